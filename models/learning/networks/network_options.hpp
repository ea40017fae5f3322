#pragma once
// The "network" of a scenario's model: how scores follow from features.
#include <variant>

#include "sim/options/describe.hpp"

namespace hearsay::models {

enum class HiddenFunction { kRelu, kTanh };
constexpr auto choices_of(HiddenFunction) {
  return std::to_array<sim::Choice>({{"relu", "max(0, z)"}, {"tanh", "tanh(z)"}});
}

struct LinearScores {
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kHelp =
      "Scores are linear in the features: theta . x, or one such score for each class.";
  void describe(sim::Visitor&) {}
};

struct Mlp {
  static constexpr std::string_view kName = "mlp";
  static constexpr std::string_view kHelp =
      "One hidden layer: scores W f(V x) + b. Not convex: there is no theta*, and metrics that need it are "
      "refused.";
  std::size_t hidden = 100;
  HiddenFunction activation = HiddenFunction::kRelu;
  void describe(sim::Visitor& v) {
    v(hidden, {.name = "hidden", .help = "Width h of the hidden layer.", .min = 1, .max = 100'000});
    v(activation, {.name = "activation", .help = "Function f of the hidden layer."});
  }
};

using NetworkOptions = std::variant<LinearScores, Mlp>;

}  // namespace hearsay::models
