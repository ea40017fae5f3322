#include "models/privacy/budget/release_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/privacy/accountants/budget.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

ReleaseSchedule::ReleaseSchedule(std::optional<double> budget, std::vector<Step> turn, std::uint64_t turns,
                                 const AccountantOptions& accountant, const std::optional<Step>& upfront,
                                 const std::optional<Step>& whole, const std::optional<Tree>& tree,
                                 std::uint32_t overlap, bool part)
    : turn_(std::move(turn)),
      turns_(turns),
      upfront_(upfront),
      tree_(tree),
      overlap_(overlap),
      accountant_(accountant) {
  sim::check(!upfront_ || upfront_->law().pure, "a release up front must be pure");
  sim::check(releases() > 0, "an account was opened without a release");
  if (whole) cost_ = {*whole};
  whole_ = total(releases());
  // A numerical accountant may put it slightly above the sequence, which keeps the budget.
  if (part && budget) whole_.epsilon = std::min(whole_.epsilon, *budget);
  budget_ = budget.value_or(whole_.epsilon);
  sim::check(whole_.epsilon <= budget_ * (1 + kTolerance),
             "planned releases exceed the epsilon of the budget");
  sim::check(whole_.delta <= accountant_.delta * (1 + kTolerance),
             "planned releases exceed the delta of the budget");
}

Releases ReleaseSchedule::first(std::uint64_t n) const {
  Releases first;
  if (tree_) {
    first.add(tree_step(tree_sensitivity_squared(*tree_, n), turn_.front().noise_multiplier));
    return first;
  }
  const std::vector<Step>& cost = cost_.empty() ? turn_ : cost_;
  const std::uint64_t length = turn_.size();
  for (std::size_t k = 0; k < std::min<std::uint64_t>(cost.size(), n); ++k) {
    // Turns whose k-th release has been made.
    first.add(cost[k], static_cast<std::int64_t>((n + length - 1 - k) / length));
  }
  return first;
}

std::vector<double> ReleaseSchedule::renyi() const {
  Releases all = first(releases() - (upfront_ ? 1 : 0));
  if (upfront_) all.add(pure_step(upfront_->epsilon));
  std::vector<double> curve = renyi_curve(all, accountant_.adjacency);
  for (double& r : curve) r *= overlap_;
  return curve;
}

Guarantee ReleaseSchedule::total(std::uint64_t n) const {
  const Releases some = first(n - (upfront_ ? 1 : 0));
  Guarantee total = total_guarantee(some, accountant_);
  if (some.steps() == 0) total.delta = 0;
  if (upfront_) total.epsilon += upfront_->epsilon;
  return total;
}

Guarantee ReleaseSchedule::after(std::uint64_t n) const {
  if (n == 0) return {.accountant = accountant_.accountant, .adjacency = accountant_.adjacency};
  if (n >= releases()) return whole_;
  Part& part = [&]() -> Part& {
    const std::lock_guard lock(mutex_);
    return known_[n];
  }();
  const std::lock_guard lock(part.mutex);
  if (!part.cost) {
    Guarantee cost = total(n);
    // A numerical accountant may put a part slightly above the whole; the smaller of two upper bounds holds.
    cost.epsilon = std::min(cost.epsilon, whole_.epsilon);
    part.cost = cost;
  }
  return *part.cost;
}

Step planned_step(const Mechanism& mechanism, int dimension, std::uint64_t releases,
                  const AccountantOptions& accountant) {
  Step step = shape_of(mechanism, dimension);
  if (!step.law().pure)
    step.delta =
        step_delta(calibration_of(mechanism).delta_step, static_cast<std::int64_t>(releases), accountant);
  return step;
}

Step tree_step(double sensitivity_squared, double noise_multiplier) {
  return gaussian_step(noise_multiplier / std::sqrt(sensitivity_squared));
}

void require_tree(const Mechanism& mechanism, Accountant accountant) {
  if (!std::holds_alternative<Gaussian>(mechanism)) {
    throw std::invalid_argument(
        fmt::format("running sums by a tree require mechanism gaussian, found {}", name_of(mechanism)));
  }
  if (accountant < Accountant::kZcdp) {
    throw std::invalid_argument(
        fmt::format("{} does not compose running sums by a tree: use zcdp, rdp or pld", name_of(accountant)));
  }
}

double tree_noise_for_budget(double epsilon, double sensitivity_squared,
                             const AccountantOptions& accountant) {
  require_tree(Gaussian{}, accountant.accountant);
  const Step whole = step_for_budget(epsilon, 1, shape_of(Gaussian{}, 1), accountant);
  return whole.noise_multiplier * std::sqrt(sensitivity_squared);
}

namespace {

std::shared_ptr<const ReleaseSchedule> plan_turns(int dimension, const AccountantOptions& accountant,
                                                  const Timetable& t) {
  std::vector<Step> turn;
  double sum = 0;
  for (const double epsilon : t.turn) {
    turn.push_back(exponential_norm_step(epsilon, dimension));
    sum += epsilon;
  }
  std::optional<Step> whole;
  if (t.sampling_rate < 1) {
    whole = pure_step(amplified_turn(sum, t.sampling_rate, accountant.adjacency));
  } else if (accountant.accountant == Accountant::kKairouzExact) {
    whole = pure_step(sum);
  }
  return std::make_shared<const ReleaseSchedule>(std::nullopt, std::move(turn), t.releases, accountant,
                                                 std::nullopt, whole);
}

}  // namespace

std::shared_ptr<const ReleaseSchedule> plan_releases(const Mechanism& mechanism, int dimension,
                                                     AccountantOptions accountant, double budget,
                                                     const Timetable& t, Schedule schedule) {
  if (!t.turn.empty()) return plan_turns(dimension, accountant, t);
  if (t.tree) {
    require_tree(mechanism, accountant.accountant);
    const double z =
        tree_noise_for_budget(budget, tree_sensitivity_squared(*t.tree, t.tree->rounds), accountant);
    return std::make_shared<const ReleaseSchedule>(budget, std::vector{gaussian_step(z)}, t.tree->rounds,
                                                   accountant, std::nullopt, std::nullopt, t.tree);
  }
  budget /= t.overlap;
  accountant.delta /= t.overlap;
  if (t.upfront && !(t.upfront->epsilon < budget)) {
    throw BudgetError(fmt::format("expected a first release of epsilon below the budget ({}), found {}",
                                  budget, t.upfront->epsilon));
  }
  const double rest = t.upfront ? budget - t.upfront->epsilon : budget;
  const GaussianCalibration calibration = calibration_of(mechanism).calibration;
  std::vector<Step> turn;
  if (schedule == Schedule::kUniform) {
    Step step = planned_step(mechanism, dimension, t.releases, accountant);
    step.sampling_rate = t.sampling_rate;
    if (accountant.accountant == Accountant::kBasic && step.law().pure && t.sampling_rate == 1) {
      step.epsilon = rest / static_cast<double>(t.releases);
    } else {
      step = step_for_budget(rest, static_cast<std::int64_t>(t.releases), step, accountant, calibration);
    }
    turn = {step};
  } else if (t.releases > 0) {
    sim::check(t.overlap == 1, "a schedule for records that several owners hold");
    const ScheduleWeights weights = schedule_weights(schedule, t);
    Step form = planned_step(mechanism, dimension, weights.whole.size(), accountant);
    form.sampling_rate = t.sampling_rate;
    const double factor = factor_for_budget(rest, weights.whole, form, accountant);
    turn.reserve(weights.own.size());
    for (const double weight : weights.own)
      turn.push_back(step_of_strength(form, factor * weight, accountant, calibration));
  }
  const bool uniform = schedule == Schedule::kUniform;
  return std::make_shared<const ReleaseSchedule>(budget, std::move(turn), uniform ? t.releases : 1,
                                                 accountant, t.upfront, std::nullopt, std::nullopt, t.overlap,
                                                 !uniform);
}

}  // namespace hearsay::models
