#include "models/losses/loss.hpp"

namespace hearsay::models {

void SmoothedHingeLoss::describe(sim::Visitor& v) {
  v(width, {.name = "width", .help = "Width w of the parabola.", .min = 0, .open_min = true});
}

}  // namespace hearsay::models
