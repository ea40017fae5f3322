#pragma once
// The step of a central learner: a number, or computed from the data.
#include <string_view>
#include <utility>

#include "models/core/world.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

struct GivenStep {
  static constexpr std::string_view kName = "given";
  static constexpr std::string_view kHelp = "Given value.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 1;
  void describe(sim::Visitor& v) {
    v(value,
      {.name = "value", .help = "Value of the parameter.", .min = 0, .open_min = true, .required = true});
  }
};

/// h_min and h_max, the extreme eigenvalues of the Hessian of the pooled mean loss, for the step `key` "auto". Throws
/// std::invalid_argument unless the loss is the squared one. O(n p^2 + p^3), once per problem.
std::pair<double, double> hessian_for_step(std::string_view key, const Study& study);

}  // namespace hearsay::models
