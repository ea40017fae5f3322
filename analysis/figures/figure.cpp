#include "analysis/figures/figure.hpp"

namespace hearsay::analysis {

std::span<const Figure> figures() {
  static constexpr Figure kFigures[] = {
      {"curves", "a metric over the course of the runs: median and quartiles of each point", true,
       draw_curves},
      {"finals", "a metric at the end of the runs against each swept option", true, draw_finals},
      {"heat_map", "a metric at the end of the runs over two swept options", true, draw_heat_map},
      {"agents", "what each agent came to", true, draw_agents},
      {"timeline", "who did what when, of the run that was traced", false, draw_timeline},
  };
  return kFigures;
}

}  // namespace hearsay::analysis
