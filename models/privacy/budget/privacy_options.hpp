#pragma once
// The "privacy" of a scenario.
#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/budget/schedule.hpp"
#include "models/privacy/mechanisms/mechanism.hpp"
#include "sim/laws/per_agent.hpp"

namespace hearsay::models {

/// Whose data two neighbouring data sets differ in.
enum class PrivacyUnit { kRecord, kOwner };
constexpr auto choices_of(PrivacyUnit) {
  return std::to_array<sim::Choice>({
      {"record", "Neighbouring data sets differ in one record of one owner."},
      {"owner", "User-level privacy: neighbouring data sets differ in all records of one owner."},
  });
}

/// Who adds the noise: whoever sees data without it is trusted.
enum class Trust { kOwner, kAggregator };
constexpr auto choices_of(Trust) {
  return std::to_array<sim::Choice>({
      {"owner", "Local model: every owner adds noise to its own messages."},
      {"aggregator",
       "Central model: owners send bounded updates without noise to the hub, which they trust; it adds "
       "noise to what it releases."},
  });
}

struct PrivacyOptions {
  Mechanism mechanism = {};
  sim::PerAgent epsilon = 1;
  double delta = 0;
  Accountant accountant = Accountant::kBasic;
  Adjacency adjacency = Adjacency::kReplaceOne;
  PrivacyUnit unit = PrivacyUnit::kRecord;
  Trust trust = Trust::kOwner;
  Schedule schedule = Schedule::kUniform;
  std::optional<sim::PerAgent> steps = {};
  std::optional<double> epsilon_warm = {};
  std::optional<double> gradient_bound = {}, clip = {};
  bool bound_from_data = false;
  std::optional<double> epsilon_1 = {}, epsilon_2 = {};  ///< of a turn's two releases: multi-task protocols
  void describe(sim::Visitor& v);

  /// Whether delta is part of the guarantee: always except for pure releases under basic.
  bool needs_delta() const;
  /// Of the guarantee: 0 where it is pure.
  double total_delta() const { return needs_delta() ? delta : 0; }
  /// Whether the budget is given per turn.
  bool by_turn() const { return epsilon_1.has_value() || epsilon_2.has_value(); }
};

}  // namespace hearsay::models
