#pragma once
// Files that are built into the program (embed.cmake).
#include <array>
#include <map>
#include <string_view>

namespace hearsay::analysis {

/// By path in analysis/figures: pages, with a {place} for each of their parts, styles, scripts and templates. By path in
/// the modules of npm: the scripts of others; and "d3.js", those of d3 in one. These are empty if npm had not installed them
/// when hearsay was built. "copyright": the notices of package/.
const std::map<std::string_view, std::string_view>& page_files();

/// What the scripts of the page (page.js) and of files (draw.js, animation.js) share, in the order in which they are read.
inline constexpr std::array<std::string_view, 4> kSharedScripts{"d3.js", "parts.js", "trace_figures.js",
                                                                "figures.js"};
/// What draws a run at a time, after the shared scripts.
inline constexpr std::array<std::string_view, 2> kPlayerPictures{"player/state.js", "player/picture.js"};
/// Vega, Vega-Lite and Vega-Embed, in the order in which a page needs them.
inline constexpr std::array<std::string_view, 3> kVega{
    "vega/build/vega.min.js", "vega-lite/build/vega-lite.min.js", "vega-embed/build/vega-embed.min.js"};

}  // namespace hearsay::analysis
