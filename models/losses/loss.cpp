#include "models/losses/loss.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace hearsay::models {

void SmoothedHingeLoss::describe(sim::Visitor& v) {
  v(width, {.name = "width", .help = "Width w of the parabola.", .min = 0, .open_min = true});
}

double Loss::require_smooth() const {
  if (smooth()) return max_curvature();
  throw std::invalid_argument(fmt::format(
      "the protocol needs a smooth loss, not {}: use squared, logistic or smoothed_hinge", name()));
}

}  // namespace hearsay::models
