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
std::array<std::string_view, 4> shared();
std::string_view page();
std::string_view draw();
/// The page of the player; what draws a run at a time, after the shared scripts; the player; animations as files, and the
/// encoder of GIF that they need.
std::string_view player_html();
std::array<std::string_view, 2> player_pictures();
std::string_view player();
std::string_view animation();
std::string_view gif();
/// templates/*.json, by name, as JSON.
std::string templates();
/// Vega, Vega-Lite and Vega-Embed, in the order in which a page needs them; none if they were missing when hearsay
/// was built.
std::span<const std::string_view> vega();
/// Their license, and that of the scripts of d3 that are part of the shared ones.
std::string_view license();
std::string_view d3_license();

}  // namespace hearsay::analysis::page_files
