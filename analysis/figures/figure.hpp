#pragma once
// The figures of a report, as Vega-Lite specifications that contain their data. A figure is one template
// (templates/NAME.json), one function that fills it, and one row of the table.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figures/study_data.hpp"
#include "analysis/figures/trace_data.hpp"
#include "analysis/store/json.hpp"

namespace hearsay::analysis {

/// One picture: the name of its file (of a curve without the axis it is against), title and caption. In the caption
/// "{centre}" and "{spread}" stand for the statistics shown: median and quartiles, or mean and interval.
struct Drawing {
  std::string name, title, caption;
  Json specification;   ///< Vega-Lite
  bool always = false;  ///< shown whatever the chosen metric
};

struct FigureInput {
  const StudyData& study;
  const std::optional<TraceData>& trace;
};

/// A kind of figure. `draw` returns any number of drawings, none if there is nothing to show; it is called for each
/// metric if `of_metric`, else once.
struct Figure {
  std::string_view name;
  bool of_metric;
  std::vector<Drawing> (*draw)(const FigureInput& input, std::size_t metric);
};

std::span<const Figure> figures();

/// Throws OutputError if this program was built without the scripts that draw figures.
void require_scripts();

/// Which figures to draw; empty: all. Figures that show no metric are drawn whatever metrics are chosen.
struct FigureChoice {
  std::vector<std::string> metrics{}, kinds{};
};

/// All drawings as the scripts of the page and of files read them: figure, metric (its number or null), title, caption,
/// file (a name with this prefix, different for each) and specification.
Json drawings(const FigureInput& input, const std::string& prefix, const FigureChoice& choice = {});

}  // namespace hearsay::analysis
