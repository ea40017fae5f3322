#pragma once
// Files that are built into the program (embed.cmake).
#include <span>
#include <string_view>

namespace hearsay::analysis::page_files {

std::string_view style();
std::string_view script();
/// What the scripts of the page and of files share; and the latter, for node.
std::string_view adapt();
std::string_view draw();
/// templates/NAME.json; empty if there is none of that name.
std::string_view figure_template(std::string_view name);
/// Vega, Vega-Lite and Vega-Embed, in the order in which a page needs them; none if they were missing when hearsay
/// was built.
std::span<const std::string_view> vega();
/// Their license.
std::string_view license();

}  // namespace hearsay::analysis::page_files
