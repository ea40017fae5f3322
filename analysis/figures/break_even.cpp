#include "analysis/figures/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/figures/page_parts.hpp"

namespace hearsay::analysis {

BreakEven break_even(const StudyData& study, std::size_t metric, std::size_t x, std::size_t y) {
  const std::vector<std::size_t> axes = other_axes(study);
  using Cell = std::map<std::size_t, std::string>;  // label by axis
  std::map<Cell, bool> pays;
  for (const FigurePoint& point : study.points) {
    const double gain = metric < point.by_owner.size() ? point.by_owner[metric].counts.mean : std::nan("");
    if (!std::isfinite(gain)) continue;
    Cell cell;
    for (const std::size_t axis : axes) cell[axis] = point.labels[axis];
    pays[cell] = gain > 0;
  }
  BreakEven all{.cells = pays.size()};
  const auto row = [](const Cell& cell) {
    Json json = Json::object();
    for (const auto& [axis, label] : cell) json[axis_key(axis)] = label;
    return json;
  };
  for (const auto& [cell, paying] : pays) {
    if (paying) all.paying.push_back(row(cell));
    for (const auto& [axis, edge] : {std::pair{x, "right"}, {y, "top"}}) {
      const std::vector<std::string>& labels = study.axes[axis].labels;
      const auto here = std::find(labels.begin(), labels.end(), cell.at(axis));
      if (here == labels.end() || here + 1 == labels.end()) continue;
      Cell next = cell;
      next[axis] = *(here + 1);
      const auto neighbour = pays.find(next);
      if (neighbour == pays.end() || neighbour->second == paying) continue;
      all.edges.push_back(row(cell));
      all.edges.back()["edge"] = edge;
    }
  }
  return all;
}

}  // namespace hearsay::analysis
