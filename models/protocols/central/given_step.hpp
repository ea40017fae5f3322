#pragma once
#include <string_view>

#include "sim/options/describe.hpp"

namespace hearsay::models {

/// A step as a number, where it may also be worked out from the data.
struct GivenStep {
  static constexpr std::string_view kName = "given";
  static constexpr std::string_view kHelp = "A number.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 1;
  void describe(sim::Visitor& v) {
    v(value, {.name = "value", .help = "The number.", .min = 0, .open_min = true, .required = true});
  }
};

}  // namespace hearsay::models
