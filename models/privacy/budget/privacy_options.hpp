#pragma once
// The "privacy" of a scenario.
#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/budget/adversary.hpp"
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

/// As many releases of an owner as the network, the clocks and the end of a run let it make (models/run/rehearsal.hpp).
struct ExpectedSteps {
  static constexpr std::string_view kName = "expected";
  static constexpr std::string_view kHelp =
      "About the number of releases that each owner makes in half of the runs, planned by up to 16 runs without "
      "data, on clocks, latencies, losses and absences of their own, until `stop`";
  void describe(sim::Visitor&) {}
};

/// T_i of each owner: given, or planned.
class Steps {
 public:
  using Law = sim::DistributionOr<sim::Mixture, sim::ValueList, sim::OfColumn, sim::ByAgent, ExpectedSteps>;

  Steps(double releases = 1) : law_(sim::Constant{releases}) {}  // NOLINT(google-explicit-constructor)
  template <std::convertible_to<Law> L>
  Steps(const L& law) : law_(law) {}  // NOLINT(google-explicit-constructor)

  bool expected() const { return std::holds_alternative<ExpectedSteps>(law_); }
  /// Nothing if they are expected ones.
  std::optional<sim::PerAgent> given() const;
  void describe_as(sim::Visitor& v, const sim::About& about);

 private:
  Law law_;
};

struct PrivacyOptions {
  Mechanism mechanism = {};
  sim::PerAgent epsilon = 1;
  double delta = 0;
  Accountant accountant = Accountant::kBasic;
  Adjacency adjacency = Adjacency::kReplaceOne;
  PrivacyUnit unit = PrivacyUnit::kRecord;
  Trust trust = Trust::kOwner;
  Schedule schedule = Schedule::kUniform;
  std::optional<Steps> steps = {};
  std::optional<double> epsilon_warm = {};
  std::optional<double> gradient_bound = {}, clip = {};
  bool bound_from_data = false;
  std::optional<double> epsilon_1 = {}, epsilon_2 = {};  ///< of a turn's two releases: multi-task protocols
  std::vector<Adversary> adversaries = {};  ///< whose views of a run are worked out (models/views)
  void describe(sim::Visitor& v);

  /// Whether delta is part of the guarantee: always except for pure releases under basic.
  bool needs_delta() const;
  /// Of the guarantee: 0 where it is pure.
  double total_delta() const { return needs_delta() ? delta : 0; }
  /// Whether the budget is given per turn.
  bool by_turn() const { return epsilon_1.has_value() || epsilon_2.has_value(); }
  /// Whether the releases of owners are to be planned, and there are any.
  bool expects_steps() const { return is_private(mechanism) && !by_turn() && steps && steps->expected(); }
};

}  // namespace hearsay::models
