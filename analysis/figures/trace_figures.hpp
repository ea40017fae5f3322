#pragma once
// Figures of the traced run.
#include <vector>

#include "analysis/figures/figure.hpp"

namespace hearsay::analysis {

/// Its events: time runs to the right, each agent has a lane, an arrow leads from the sender of a message to its receiver.
std::vector<Drawing> draw_timeline(const FigureInput& input, std::size_t metric);
/// Histograms of how long delivered messages were in flight, in s and in iterations.
std::vector<Drawing> draw_latency(const FigureInput& input, std::size_t metric);
/// The fraction of agents that are up, over time; none if no agent ever goes down.
std::vector<Drawing> draw_availability(const FigureInput& input, std::size_t metric);

/// A bin of a histogram, from `from` up to and without `to`.
struct Bin {
  double from, to;
  std::size_t count;
};
/// At most `most` + 2 bins of equal width 1, 2 or 5 times a power of ten, which is at least `min_width` and divides the
/// edges. Numbers that differ by less than a millionth count as equal.
std::vector<Bin> histogram(const std::vector<double>& numbers, std::size_t most, double min_width = 0);

}  // namespace hearsay::analysis
