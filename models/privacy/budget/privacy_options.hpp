#pragma once
// The "privacy" of a scenario.
#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/budget/schedule.hpp"
#include "models/privacy/mechanisms/mechanism.hpp"
#include "sim/options/per_agent.hpp"

namespace hearsay::models {

struct PrivacyOptions {
  Mechanism mechanism = {};
  sim::PerAgent epsilon = 1;
  double delta = 0;
  Accountant accountant = Accountant::kBasic;
  Adjacency adjacency = Adjacency::kReplaceOne;
  Schedule schedule = Schedule::kUniform;
  std::optional<sim::PerAgent> steps = {};
  std::optional<double> epsilon_warm = {};
  std::optional<double> gradient_bound = {}, clip = {};
  bool bound_from_data = false;
  std::optional<double> epsilon_1 = {}, epsilon_2 = {};  ///< of a turn's two releases: multi-task protocols
  void describe(sim::Visitor& v);

  /// Whether delta is part of the guarantee: always except for pure releases under basic.
  bool needs_delta() const;
  /// Whether the budget is given by turn.
  bool by_turn() const { return epsilon_1.has_value() || epsilon_2.has_value(); }
};

}  // namespace hearsay::models
