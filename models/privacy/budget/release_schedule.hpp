#pragma once
// The releases of an owner, computed from its budget before the run: the steps in order, and the cost of the
// first n together. The whole keeps the budget under the accountant and a part never costs more than the whole,
// so an owner that stops after the last step does not exceed it, and charging a release means counting it.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/budget/schedule.hpp"
#include "models/privacy/mechanisms/mechanism.hpp"

namespace hearsay::models {

/// Immutable except for cached results; thread-safe.
class ReleaseSchedule {
 public:
  /// Rounding of a total, relative to the budget.
  static constexpr double kTolerance = 1e-11;

  /// The steps of a turn in order of release, so many turns; at least one release in all.
  ///   budget    nothing: what they cost together
  ///   upfront   a pure release before the others; its epsilon is added to the total of the others, an upper bound
  ///             under every accountant, and the rule by which their budget was set
  ///   whole     what accountants compose for a turn, charged with its first release: for accountants of equal steps,
  ///             or one subsample for all of them; nothing: its steps
  ///   overlap   owners that may hold the same record
  ///   part      whether the releases are part of a sequence that keeps the budget
  ///   tree      the releases are running sums by this tree; the turn is one step, that of a node
  /// Throws sim::InvariantError if together they exceed (budget, accountant.delta).
  ReleaseSchedule(std::optional<double> budget, std::vector<Step> turn, std::uint64_t turns,
                  const AccountantOptions& accountant, const std::optional<Step>& upfront = {},
                  const std::optional<Step>& whole = {}, const std::optional<Tree>& tree = {},
                  std::uint32_t overlap = 1, bool part = false);

  double budget() const { return budget_; }
  /// Delta of the budget: 0 where the accountant is basic and the steps are pure.
  double delta() const { return whole_.delta; }
  std::uint64_t releases() const { return turns_ * turn_.size() + (upfront_ ? 1 : 0); }
  /// The n-th release, n from 0. O(1).
  const Step& step(std::uint64_t n) const {
    if (upfront_ && n-- == 0) return *upfront_;
    return turn_.size() == 1 ? turn_.front() : turn_[n % turn_.size()];
  }
  /// Whether the noise of a release is its own: else it is that of nodes of a tree.
  bool independent() const { return !tree_; }
  /// Whether a release is charged less because only a random part of the records takes part in it.
  bool amplified() const {
    const auto sampled = [](const Step& step) { return step.sampling_rate < 1; };
    return std::ranges::any_of(turn_, sampled) || std::ranges::any_of(cost_, sampled);
  }
  /// The guarantee of the first n releases together: (0, 0) for none, never above the budget. Computed once for
  /// every n; other threads that want the same one wait.
  Guarantee after(std::uint64_t n) const;
  /// renyi_curve() of all releases, for a record of as many owners as may hold it. Throws as renyi_divergence() does.
  std::vector<double> renyi() const;

 private:
  Releases first(std::uint64_t n) const;  // without the one up front
  Guarantee total(std::uint64_t n) const;

  double budget_ = 0;
  std::vector<Step> turn_, cost_;
  std::uint64_t turns_ = 0;
  std::optional<Step> upfront_;
  std::optional<Tree> tree_;
  std::uint32_t overlap_;
  AccountantOptions accountant_;
  Guarantee whole_;
  struct Part {
    std::mutex mutex;
    std::optional<Guarantee> cost;
  };
  mutable std::mutex mutex_;  // of the map
  mutable std::map<std::uint64_t, Part> known_;
};

/// One of `releases` equal releases, without its strength: the kind, and the delta of a Gaussian step.
Step planned_step(const Mechanism& mechanism, int dimension, std::uint64_t releases,
                  const AccountantOptions& accountant);

/// Throws std::invalid_argument if the mechanism or the accountant has no running sums by a tree.
void require_tree(const Mechanism& mechanism, Accountant accountant);
/// What rounds of a tree cost together, with noise multiplier z in its nodes: one Gaussian step.
Step tree_step(double sensitivity_squared, double noise_multiplier);
/// The noise multiplier of a tree's nodes that just keeps a total budget, given tree_sensitivity_squared() of all its
/// rounds. Throws std::invalid_argument unless the accountant is zcdp, rdp or pld, BudgetError where no noise keeps it.
double tree_noise_for_budget(double epsilon, double sensitivity_squared, const AccountantOptions& accountant);

/// The releases in R^dimension by the timetable that just keep a budget, by the schedule: equal ones; steps whose
/// strengths are proportional to the schedule's, by the factor at which its whole would keep the budget; or running
/// sums. With `overlap` they keep that part of the budget (epsilon and delta), as the owners' guarantees for a record
/// add up. Turns cost what they add up to: the accountant composes single releases, or whole turns if they are sampled
/// (see amplified_turn) or it takes equal steps only. Throws BudgetError if no noise is enough, std::invalid_argument as
/// the accountant does.
std::shared_ptr<const ReleaseSchedule> plan_releases(const Mechanism& mechanism, int dimension,
                                                     AccountantOptions accountant, double budget,
                                                     const Timetable& timetable,
                                                     Schedule schedule = Schedule::kUniform);

/// Schedules of one privacy and dimension, each made once, for all points and runs with the same: what is planned and
/// composed for one is known to the others. Thread-safe.
class ReleaseCache {
 public:
  explicit ReleaseCache(AccountantWatch* composing = nullptr) : watch(composing) {}

  template <class F>
  std::shared_ptr<const ReleaseSchedule> get(double budget, const Timetable& timetable, const F& make) const {
    const std::lock_guard lock(mutex_);
    auto& known = made_[{budget, timetable}];
    return known ? known : known = make();
  }

  AccountantWatch* const watch;  ///< of what is composed; may be null

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::pair<double, Timetable>, std::shared_ptr<const ReleaseSchedule>> made_;
};

}  // namespace hearsay::models
