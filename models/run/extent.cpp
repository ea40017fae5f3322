#include "models/run/extent.hpp"

#include "models/run/world.hpp"

namespace hearsay::models {

double parameters_of(const ModelOptions& model, const DataNeed& data) {
  constexpr double kClasses = 10;
  const double scores = model.loss.scalar() ? 1 : data.classes > 0 ? data.classes : kClasses;
  const auto* mlp = std::get_if<Mlp>(&model.network);
  if (mlp == nullptr) return scores * data.features;
  const auto hidden = static_cast<double>(mlp->hidden);
  return hidden * data.features + scores * (hidden + 1);
}

sim::Memory memory_of_problem(const ModelOptions& model, const DataNeed& data) {
  const double p = data.features, numbers = data.owners * sizeof(std::size_t);
  if (!model.loss.quadratic() || !model.one_score()) return {numbers, 0};
  const double square = p * p * sizeof(double);
  const double owned = sim::heap_block(square) + 2 * sim::heap_block(p * sizeof(double));
  const sim::Memory moments = sim::grown(data.owners, sizeof(Moments));
  return {numbers + moments.held + data.owners * owned + square, moments.making + 2 * square};
}

sim::Memory memory_of_optimum(const ModelOptions& model, const DataNeed& data) {
  const Loss& loss = model.loss;
  // Newton's method copies the Hessian for its factorisation; a quadratic keeps its moments in both functions.
  const double p = parameters_of(model, data), square = p * p * sizeof(double);
  if (loss.quadratic()) return {0, 9 * square};
  constexpr double kBlock = 256;  // records at a time
  const bool hinge = !loss.smooth();
  return {0, 6 * square + kBlock * p * sizeof(double) + (hinge ? 2 * data.records * p * sizeof(double) : 0)};
}

double memory_of_world(const Extent& extent) {
  return extent.vectors(extent.agents) + extent.agents * sizeof(Account);
}

}  // namespace hearsay::models
