#pragma once
// The releases of an owner, computed from its budget before the run: the steps in order, and the cost of the
// first n together. The whole keeps the budget under the accountant and a part never costs more than the whole,
// so an owner that stops after the last step does not exceed it, and charging a release means counting it.
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/budget/schedule.hpp"
#include "models/privacy/mechanisms/mechanism.hpp"

namespace hearsay::models {

/// `count` turns, each of one release for every epsilon, all on one Poisson subsample that takes each record with
/// probability q.
struct Turns {
  std::vector<double> epsilons;
  double q = 1;
  std::uint64_t count = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
  auto operator<=>(const Turns&) const = default;
};

/// A turn of a protocol that makes several releases at a time: `noise` perturbs each of them, in order. `cost` is
/// what accountants compose: the same steps, or one step for the turn as a whole (for an accountant of equal
/// steps, or one subsample for all of them), charged with the turn's first release.
struct Turn {
  std::vector<Step> noise, cost;
};

/// Immutable except for cached results; thread-safe.
class ReleaseSchedule {
 public:
  /// Rounding of a total, relative to the budget.
  static constexpr double kTolerance = 1e-11;

  /// `steps` in order of release, at least one in all. `upfront`: a pure release made before the others; its
  /// epsilon is added to the total of the others, an upper bound under every accountant, and the rule by which
  /// their budget was set. Throws sim::InvariantError if together they exceed (budget, accountant.delta).
  ReleaseSchedule(double budget, Releases steps, const AccountantOptions& accountant,
                  const std::optional<Step>& upfront = {});
  /// One release for every round of the tree, with noise multiplier `node` in its nodes: a running sum. `whole`: what
  /// they cost together, tree_step().
  ReleaseSchedule(double budget, const Tree& tree, const Step& node, const Step& whole,
                  const AccountantOptions& accountant);
  /// `turns` >= 1 turns; their budget is their total.
  ReleaseSchedule(Turn turn, std::uint64_t turns, const AccountantOptions& accountant);

  double budget() const { return budget_; }
  /// Delta of the budget: 0 where the accountant is basic and the steps are pure.
  double delta() const { return whole_.delta; }
  std::uint64_t releases() const {
    if (tree_) return tree_->rounds;
    return turns_ * turn_.noise.size() + static_cast<std::uint64_t>(steps_.steps()) + (upfront_ ? 1 : 0);
  }
  /// The n-th release, n from 0. O(1) if all (except the one up front) are equal, else O(log n).
  const Step& step(std::uint64_t n) const {
    if (!turn_.noise.empty()) return turn_.noise[n % turn_.noise.size()];
    if (upfront_) {
      if (n == 0) return *upfront_;
      --n;
    }
    const auto runs = steps_.runs();
    return runs.size() == 1 ? runs.front().step : step_of_several(n);
  }
  /// The guarantee of the first n releases together: (0, 0) for none, never above the budget. Computed once for
  /// every n; other threads that want the same one wait.
  Guarantee after(std::uint64_t n) const;

 private:
  const Step& step_of_several(std::uint64_t n) const;
  Guarantee total(std::uint64_t n) const;

  double budget_ = 0;
  Releases steps_;  // without turns
  std::optional<Step> upfront_;
  Turn turn_;
  std::uint64_t turns_ = 0;
  std::optional<Tree> tree_;         // of running sums; all their steps are steps_
  std::vector<std::uint64_t> ends_;  // releases up to the end of each run
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

/// Makes release schedules, each once: all releases are of one mechanism, in R^dimension, under one accountant. May be
/// shared by all points and runs with the same: what is planned and composed for one is known to the others.
/// Immutable except for what it has made; thread-safe.
class ReleaseSchedules {
 public:
  ReleaseSchedules(const Mechanism& mechanism, const AccountantOptions& accountant, int dimension)
      : mechanism_(mechanism), accountant_(accountant), dimension_(dimension) {}

  /// `releases` equal steps that just keep the budget, or its `overlap`-th part (epsilon and delta) if that many
  /// owners may hold the same record, as their guarantees for it add up; minus `upfront`. Each step is of a random
  /// part of the records, `sampling_rate`. The inverse problem is solved once for different arguments. Throws
  /// BudgetError if no noise is enough, std::invalid_argument as the accountant does.
  std::shared_ptr<const ReleaseSchedule> uniform(double budget, std::uint64_t releases,
                                                 std::uint32_t overlap = 1,
                                                 const std::optional<Step>& upfront = {},
                                                 double sampling_rate = 1) const;
  /// Running sums by a tree that just keep the budget: `mechanism` must be gaussian, and the accountant zcdp, rdp or
  /// pld. Made once for the same budget and tree. Throws std::invalid_argument.
  std::shared_ptr<const ReleaseSchedule> tree(double budget, const Tree& tree) const;
  /// Turns with the budget that they add up to. The accountant composes single releases, or whole turns if
  /// q < 1 (see amplified_turn) or it takes equal steps only. Made once for the same turns.
  std::shared_ptr<const ReleaseSchedule> turns(const Turns& turns) const;
  /// Steps whose strengths are proportional to `own`, by the factor at which `whole` would just keep the
  /// budget; `own` is a part of `whole`, or the same. Not cached.
  std::shared_ptr<const ReleaseSchedule> weighted(double budget, std::span<const double> own,
                                                  std::span<const double> whole,
                                                  const std::optional<Step>& upfront = {},
                                                  double sampling_rate = 1) const;

 private:
  Mechanism mechanism_;
  AccountantOptions accountant_;
  int dimension_;
  mutable std::mutex mutex_;
  mutable std::map<std::tuple<double, std::uint64_t, std::uint32_t, std::optional<Step>, double>,
           std::shared_ptr<const ReleaseSchedule>>
      uniform_;
  mutable std::map<std::pair<double, Tree>, std::shared_ptr<const ReleaseSchedule>> trees_;
  mutable std::map<Turns, std::shared_ptr<const ReleaseSchedule>> turns_;
};

}  // namespace hearsay::models
