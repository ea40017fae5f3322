#pragma once
// Step sizes of local steps. eta_t, t = 0, 1, ...: the number of the step, as the protocol counts.
#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

#include "sim/options/describe.hpp"

namespace hearsay::models {

/// eta_t = value.
struct ConstantStep {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kHelp = "The same step size for every step.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 0.1;
  void describe(sim::Visitor& v) { v(value, sim::positive("value", "Step size.")); }
  double at(std::uint64_t) const { return value; }
};

/// eta_t = first/(1 + decay t)^power.
struct DecreasingStep {
  static constexpr std::string_view kName = "decreasing";
  static constexpr std::string_view kHelp = "Step size first/(1 + decay t)^power in step t = 0, 1, ...";
  double first = 0.1, decay = 1, power = 1;
  void describe(sim::Visitor& v) {
    v(first, sim::positive("first", "Step size of step 0."));
    v(decay, sim::non_negative("decay", "Decrease per step; 1/decay steps divide the step size by 2^power."));
    v(power, sim::non_negative("power", "Exponent; 0.5 and 1 are usual."));
  }
  double at(std::uint64_t t) const { return first / std::pow(1 + decay * static_cast<double>(t), power); }
};

using StepSchedule = std::variant<ConstantStep, DecreasingStep>;

inline double step_at(const StepSchedule& schedule, std::uint64_t t) {
  return std::visit([t](const auto& s) { return s.at(t); }, schedule);
}

}  // namespace hearsay::models
