#pragma once
// The tables from which scripts draw figures, in the page and for files (figures.js).
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figures/study_data.hpp"
#include "analysis/figures/trace_data.hpp"
#include "analysis/store/json.hpp"

namespace hearsay::analysis {

/// The kinds of figures, as figures.js names them.
inline constexpr std::array<std::string_view, 11> kFigureNames{
    "curves",   "finals",  "heat_map",     "agents", "gains",   "network",
    "timeline", "latency", "availability", "panels", "distance"};

/// Throws OutputError if this program was built without the scripts that draw figures.
void require_scripts();

/// The axes of a figure of panels, by their numbers: the horizontal one, and those with a value for each panel and for
/// each series. No other axis distinguishes the points.
struct PanelAxes {
  std::size_t x;
  std::optional<std::size_t> facet{}, series{};
};

/// Which figures to draw; empty: all. Figures that show no metric are drawn whatever metrics are chosen, and one of panels
/// if its axes are.
struct FigureChoice {
  std::vector<std::string> metrics{}, kinds{};
  std::optional<PanelAxes> panels{};
};

/// {"study": ..., "templates": by name, "prefix": of the names of files, "metrics", "kinds": those of the choice}. Statistics
/// are lists of median, quartiles, mean and its interval, to seven digits, more than can be seen; a number that is not
/// finite is null.
Json figure_data(const StudyData& study, const std::optional<TraceData>& trace, const std::string& prefix,
                 const FigureChoice& choice = {});

/// A bin of a histogram, from `from` up to and without `to`.
struct Bin {
  double from, to;
  std::size_t count;
};
/// At most `most` + 2 bins of equal width 1, 2 or 5 times a power of ten, which is at least `min_width` and divides the
/// edges. Numbers that differ by less than a millionth count as equal.
std::vector<Bin> histogram(const std::vector<double>& numbers, std::size_t most, double min_width = 0);

}  // namespace hearsay::analysis
