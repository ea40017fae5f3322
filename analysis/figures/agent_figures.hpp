#pragma once
// Figures that show each agent.
#include <vector>

#include "analysis/figures/figure.hpp"

namespace hearsay::analysis {

/// The final value of each owner: a bar at a selected point, with its baselines.
std::vector<Drawing> draw_agents(const FigureInput& input, std::size_t metric);
/// What each owner gains over its isolated model, where that is a baseline.
std::vector<Drawing> draw_gains(const FigureInput& input, std::size_t metric);
/// The network, its nodes coloured by the final value of a per-agent metric; by degree if the study has none.
std::vector<Drawing> draw_network(const FigureInput& input, std::size_t metric);

}  // namespace hearsay::analysis
