#pragma once
// The "network" of a scenario's model: how scores follow from features.
#include <variant>

#include "sim/options/code.hpp"
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

/// A model with its own loss and gradients (models/learning/networks/record_model.hpp).
struct PythonModel {
  static constexpr std::string_view kName = "python";
  static constexpr std::string_view kHelp =
      "A model written in Python, with its own loss: a class, with its own options. There is no theta*, and metrics "
      "that need it are refused; model.loss has no effect.";
  static constexpr bool kOpen = true;
  sim::InputCode code{sim::CodeKind::kModel};
  void describe(sim::Visitor& v) { code.describe(v); }
};

using NetworkOptions = std::variant<LinearScores, Mlp, PythonModel>;

}  // namespace hearsay::models
