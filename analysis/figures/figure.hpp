#pragma once
// The figures of a report, as Vega-Lite specifications with their data in them. A figure is one function and
// one row of the table.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figures/study_data.hpp"
#include "analysis/figures/trace_data.hpp"

namespace hearsay::analysis {

/// One picture, with what stands over it and below it.
struct Drawing {
  std::string title, caption;
  nlohmann::json specification;  ///< Vega-Lite
};

struct FigureInput {
  const StudyData& study;
  const std::optional<TraceData>& trace;
};

/// A kind of figure. `draw` gives any number of drawings of it, none where there is nothing to show; of a
/// metric if `of_metric`, else once.
struct Figure {
  std::string_view name, help;
  bool of_metric;
  std::vector<Drawing> (*draw)(const FigureInput& input, std::size_t metric);
};

std::span<const Figure> figures();

std::vector<Drawing> draw_curves(const FigureInput& input, std::size_t metric);
std::vector<Drawing> draw_finals(const FigureInput& input, std::size_t metric);
std::vector<Drawing> draw_heat_map(const FigureInput& input, std::size_t metric);
std::vector<Drawing> draw_agents(const FigureInput& input, std::size_t metric);
std::vector<Drawing> draw_timeline(const FigureInput& input, std::size_t metric);

}  // namespace hearsay::analysis
