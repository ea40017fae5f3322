#include "models/core/extent.hpp"

#include "models/core/world.hpp"

namespace hearsay::models {

sim::Memory memory_of_problem(const Loss& loss, const DataNeed& data) {
  const double p = data.features, numbers = data.owners * sizeof(std::size_t);
  if (!loss.quadratic()) return {numbers, 0};
  const double square = p * p * sizeof(double);
  const double owned = sim::heap_block(square) + 2 * sim::heap_block(p * sizeof(double));
  const sim::Memory moments = sim::grown(data.owners, sizeof(Moments));
  return {numbers + moments.held + data.owners * owned + square, moments.making + 2 * square};
}

sim::Memory memory_of_optimum(const Loss& loss, const DataNeed& data) {
  // Newton's method copies the Hessian for its factorisation; a quadratic keeps its moments in both functions.
  const double p = data.features, square = p * p * sizeof(double);
  if (loss.quadratic()) return {0, 9 * square};
  constexpr double kBlock = 256;  // records at a time
  const bool hinge = !loss.smooth();
  return {0, 6 * square + kBlock * p * sizeof(double) + (hinge ? 2 * data.records * p * sizeof(double) : 0)};
}

double memory_of_world(const Extent& extent) {
  return extent.vectors(extent.agents) + extent.agents * sizeof(Account);
}

}  // namespace hearsay::models
