#pragma once
// The "privacy" of a scenario, resolved: what ledger, manifest, plan and report read.
#include "models/learning/problem.hpp"
#include "models/learning/solvers/optimum.hpp"
#include "models/privacy/budget/privacy_options.hpp"
#include "models/privacy/budget/release_schedule.hpp"

namespace hearsay::models {

/// Where the bound on a record's gradient, or on an owner's update, comes from.
enum class BoundSource { kNone, kGiven, kDerived, kClip, kFromData, kProtocol, kUpdateClip };
/// In words: "clip: every record's gradient is scaled to the bound".
std::string_view describe(BoundSource source);

/// What epsilon means, the bound in force, and what each owner may spend and how.
struct Budget {
  Mechanism mechanism = {};
  Accountant accountant = Accountant::kBasic;
  Adjacency adjacency = Adjacency::kReplaceOne;
  Schedule schedule = Schedule::kUniform;
  PrivacyUnit unit = PrivacyUnit::kRecord;
  Trust trust = Trust::kOwner;
  double delta = 0;  ///< of an owner's budget; 0 where the guarantee is pure
  BoundSource source = BoundSource::kNone;
  double bound = 0;  ///< the norm of a record's gradient, or of an owner's update, is at most this (Xi)
  std::vector<double> epsilon{};         ///< total budget, by owner; of a turn if the budget is given by turn
  double epsilon_1 = 0, epsilon_2 = 0;   ///< of a turn's two releases, if the budget is given by turn
  std::vector<std::uint64_t> steps{};    ///< T_i, by owner; empty if not given
  bool expected = false;                 ///< T_i are planned (expected_releases): 1 before they are
  bool planned = false;                  ///< they have been
  std::optional<double> epsilon_warm{};  ///< part of it for a private warm start
  std::vector<std::string> warnings{};
  int dimension = 1;                                ///< of a release: the parameters of the model
  std::shared_ptr<const ReleaseCache> schedules{};  ///< null without privacy, or before there are data

  bool active() const { return is_private(mechanism); }
  /// Whether the budget is given by turn; else in total.
  bool by_turn() const { return epsilon_2 > 0; }
  /// Whether the gradients of records are scaled down to the bound.
  bool clips() const { return source == BoundSource::kClip; }
  /// What epsilon means: "unit record, trust owner, adjacency replace_one; clip: every record's ...".
  std::string meaning() const;
  /// The norm of the bound and of the sensitivity: the mechanism's.
  Norm norm() const { return norm_of(mechanism); }
  /// Sensitivity of a sum of gradients, each bounded by `bound`, that is divided by a public number, the same for
  /// both neighbours: 2 bound/divisor if a record of the sum can be replaced by another, bound/divisor if it can
  /// only be absent. A batch of fixed size always draws another record for one that is removed. The same holds for a
  /// sum of owners' updates with unit owner.
  double sensitivity_of_sum(double divisor, Sampling sampling = Sampling::kAll) const {
    const bool fixed_size = sampling == Sampling::kWithoutReplacement || sampling == Sampling::kShuffled;
    return (adjacency == Adjacency::kReplaceOne || fixed_size ? 2 : 1) * bound / divisor;
  }
  /// Of the mean of all n gradients of an owner; 0 without records.
  double sensitivity(Eigen::Index n) const { return n == 0 ? 0 : sensitivity_of_sum(static_cast<double>(n)); }
  /// Whether accountant, mechanism and adjacency make a release of a random part of the records cheaper than one of
  /// all: pure releases under Poisson sampling, and under replace_one without replacement; Gaussian ones under
  /// Poisson sampling with add_remove and rdp or pld.
  bool amplifies(Sampling sampling) const;
  /// The sampling rate to open an account with: q where it makes a release cheaper, else 1, which is an upper bound.
  double accounted_rate(Sampling sampling, double q) const { return amplifies(sampling) ? q : 1; }
  /// The releases of an owner by the timetable under the scenario's schedule; null without privacy. Planned once for
  /// equal ones, unless the schedule is not uniform.
  std::shared_ptr<const ReleaseSchedule> releases_of(std::size_t owner, const Timetable& timetable) const;
  /// Throws BudgetError unless every owner's budget has room for so many equal releases, std::invalid_argument unless
  /// the mechanism can make them. Solves for their noise, once. Protocols call it before a run. Nothing without schedules.
  void require_room(std::uint64_t releases, std::uint32_t overlap = 1) const;
  /// The same for the number of steps of every owner, after a release up front if there is one. `sampling_rates`:
  /// the accounted rate of every owner; empty: 1. Throws std::invalid_argument if privacy.steps is not given.
  void require_room_for_steps(const std::optional<Step>& upfront = {},
                              std::span<const double> sampling_rates = {}) const;
  /// The releases that an owner's budget is planned for: privacy.steps, else `otherwise`, which the protocol plans.
  std::uint64_t steps_or(std::size_t owner, std::uint64_t otherwise) const {
    return steps.empty() ? otherwise : steps[owner];
  }
  /// Of a protocol that spreads each owner's budget over privacy.steps. Throws std::invalid_argument without them.
  void require_steps() const;

 private:
  std::shared_ptr<const ReleaseSchedule> plan(double total, const Timetable& timetable, Schedule by) const;
};

/// A warning where releases of a random part are charged as those of the whole: a sampling that Budget::amplifies
/// does not cover. `what`: the option and what is released.
std::vector<std::string> full_charge_note(std::string_view what, Sampling sampling, const Budget& budget);

/// What options say of the data.
struct KnownData {
  std::optional<DeclaredBounds> bounds = {};
  std::optional<std::size_t> owners = {};
  int parameters = 1;  ///< p; 1 where it is not known, which no accountant refuses
};

/// The budget as far as it is settled before the data are there: the bound is 0 where it is taken from them, there is no
/// warning and no release can be planned. Without a number of owners, epsilon and steps have the value for all owners, or
/// none if there is no such value. Agents of owners are numbered from `first_agent`. Throws std::invalid_argument if no
/// bound is given, derivable or enforced, or the accountant does not cover the mechanism. `gradients`: Entry::gradients
/// of the protocol; without them there is no bound.
Budget settle_budget(const PrivacyOptions& options, const ModelOptions& model, const KnownData& known,
                     sim::AgentId first_agent, const sim::Streams& streams, bool gradients = true);
/// The same for a problem. `optimum` is theta*, computed only with bound_from_data: the largest norm of a record's gradient
/// at 0 and at theta*. `schedules`: of equal options and p, to be shared; null: of this problem alone.
Budget resolve_budget(const PrivacyOptions& options, const Problem& problem, const LazyOptimum& optimum,
                      sim::AgentId first_agent, const sim::Streams& streams,
                      std::shared_ptr<const ReleaseCache> schedules = nullptr, bool gradients = true);

}  // namespace hearsay::models
