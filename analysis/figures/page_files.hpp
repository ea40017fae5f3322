#pragma once
// Files that are built into the program (embed.cmake).
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace hearsay::analysis::page_files {

/// The page, with a {place} for each of its parts.
std::string_view html();
std::string_view style();
/// What the scripts of the page and of files share, in the order in which they are read; then each of the two.
std::array<std::string_view, 3> shared();
std::string_view page();
std::string_view draw();
/// templates/*.json, by name, as JSON.
std::string templates();
/// Vega, Vega-Lite and Vega-Embed, in the order in which a page needs them; none if they were missing when hearsay
/// was built.
std::span<const std::string_view> vega();
/// Their license.
std::string_view license();

}  // namespace hearsay::analysis::page_files
