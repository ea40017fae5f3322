#include "models/privacy/budget/release_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/privacy/accountants/budget.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

namespace {

// The remainder of a budget after the release up front.
double rest_of(double budget, const std::optional<Step>& upfront) {
  if (!upfront) return budget;
  if (!(upfront->epsilon < budget)) {
    throw BudgetError(fmt::format("expected a first release of epsilon below the budget ({}), found {}",
                                  budget, upfront->epsilon));
  }
  return budget - upfront->epsilon;
}

}  // namespace

ReleaseSchedule::ReleaseSchedule(double budget, Releases steps, const AccountantOptions& accountant,
                                 const std::optional<Step>& upfront)
    : budget_(budget), steps_(std::move(steps)), upfront_(upfront), accountant_(accountant) {
  sim::check(!upfront_ || upfront_->law().pure, "a release up front must be pure");
  sim::check(releases() > 0, "an account was opened without a release");
  std::uint64_t end = 0;
  for (const StepRun& run : steps_.runs()) ends_.push_back(end += static_cast<std::uint64_t>(run.count));
  whole_ = total(releases());
  sim::check(whole_.epsilon <= budget_ * (1 + kTolerance),
             "planned releases exceed the epsilon of the budget");
  sim::check(whole_.delta <= accountant_.delta * (1 + kTolerance),
             "planned releases exceed the delta of the budget");
}

ReleaseSchedule::ReleaseSchedule(double budget, const Tree& tree, const Step& node, const Step& whole,
                                 const AccountantOptions& accountant)
    : budget_(budget), steps_(node, 1), tree_(tree), accountant_(accountant) {
  sim::check(releases() > 0, "an account was opened without a release");
  whole_ = total_guarantee(Releases(whole, 1), accountant_);
  sim::check(whole_.epsilon <= budget_ * (1 + kTolerance), "the tree exceeds the epsilon of the budget");
}

ReleaseSchedule::ReleaseSchedule(Turn turn, std::uint64_t turns, const AccountantOptions& accountant)
    : turn_(std::move(turn)), turns_(turns), accountant_(accountant) {
  sim::check(releases() > 0, "an account was opened without a release");
  sim::check(turn_.cost.size() == turn_.noise.size() || turn_.cost.size() == 1,
             "a turn is charged by the release or as a whole");
  whole_ = total(releases());
  budget_ = whole_.epsilon;
}

const Step& ReleaseSchedule::step_of_several(std::uint64_t n) const {
  const auto run = std::upper_bound(ends_.begin(), ends_.end(), n) - ends_.begin();
  return steps_.runs()[static_cast<std::size_t>(run)].step;
}

Guarantee ReleaseSchedule::total(std::uint64_t n) const {
  if (tree_) {
    const double z = steps_.runs().front().step.noise_multiplier;
    return total_guarantee(Releases(tree_step(tree_sensitivity_squared(*tree_, n), z), 1), accountant_);
  }
  if (upfront_) --n;
  Releases first;
  for (std::size_t k = 0; k < turn_.cost.size(); ++k) {
    const std::uint64_t length = turn_.noise.size();
    const std::uint64_t begun = (n + length - 1 - k) / length;  // turns whose k-th release has been made
    if (begun > 0) first.add(turn_.cost[k], static_cast<std::int64_t>(begun));
  }
  for (const StepRun& run : steps_.runs()) {
    const auto left = static_cast<std::int64_t>(n) - first.steps();
    if (left <= 0) break;
    first.add(run.step, std::min(run.count, left));
  }
  Guarantee total = total_guarantee(first, accountant_);
  if (first.steps() == 0) total.delta = 0;
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

std::shared_ptr<const ReleaseSchedule> ReleaseSchedules::uniform(double budget, std::uint64_t releases,
                                                                 std::uint32_t overlap,
                                                                 const std::optional<Step>& upfront,
                                                                 double sampling_rate) const {
  const double part = budget / overlap, rest = rest_of(part, upfront);
  const std::lock_guard lock(mutex_);
  auto& made = uniform_[{budget, releases, overlap, upfront, sampling_rate}];
  if (made) return made;
  AccountantOptions accountant = accountant_;
  accountant.delta /= overlap;
  const auto count = static_cast<std::int64_t>(releases);
  Step step = planned_step(mechanism_, dimension_, releases, accountant);
  step.sampling_rate = sampling_rate;
  if (accountant.accountant == Accountant::kBasic && step.law().pure && sampling_rate == 1) {
    step.epsilon = rest / static_cast<double>(releases);
  } else {
    step = step_for_budget(rest, count, step, accountant, calibration_of(mechanism_).calibration);
  }
  return made = std::make_shared<const ReleaseSchedule>(part, Releases(step, count), accountant, upfront);
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

std::shared_ptr<const ReleaseSchedule> ReleaseSchedules::tree(double budget, const Tree& tree) const {
  require_tree(mechanism_, accountant_.accountant);
  const std::lock_guard lock(mutex_);
  auto& made = trees_[{budget, tree}];
  if (made) return made;
  const double sensitivity_squared = tree_sensitivity_squared(tree, tree.rounds);
  const double z = tree_noise_for_budget(budget, sensitivity_squared, accountant_);
  return made = std::make_shared<const ReleaseSchedule>(budget, tree, gaussian_step(z),
                                                        tree_step(sensitivity_squared, z), accountant_);
}

std::shared_ptr<const ReleaseSchedule> ReleaseSchedules::turns(const Turns& turns) const {
  const std::lock_guard lock(mutex_);
  auto& made = turns_[turns];
  if (made) return made;
  Turn turn;
  double sum = 0;
  for (const double epsilon : turns.epsilons) {
    turn.noise.push_back(exponential_norm_step(epsilon, dimension_));
    sum += epsilon;
  }
  const bool whole = turns.q < 1 || accountant_.accountant == Accountant::kKairouzExact;
  if (whole) {
    turn.cost = {pure_step(turns.q < 1 ? amplified_turn(sum, turns.q, accountant_.adjacency) : sum)};
  } else {
    turn.cost = turn.noise;
  }
  return made = std::make_shared<const ReleaseSchedule>(std::move(turn), turns.count, accountant_);
}

std::shared_ptr<const ReleaseSchedule> ReleaseSchedules::weighted(double budget, std::span<const double> own,
                                                                  std::span<const double> whole,
                                                                  const std::optional<Step>& upfront,
                                                                  double sampling_rate) const {
  if (own.empty()) return std::make_shared<const ReleaseSchedule>(budget, Releases(), accountant_, upfront);
  Step form = planned_step(mechanism_, dimension_, whole.size(), accountant_);
  form.sampling_rate = sampling_rate;
  const double factor = factor_for_budget(rest_of(budget, upfront), whole, form, accountant_);
  Releases steps;
  steps.reserve(own.size());
  for (const double weight : own)
    steps.add(step_of_strength(form, factor * weight, accountant_, calibration_of(mechanism_).calibration));
  return std::make_shared<const ReleaseSchedule>(budget, std::move(steps), accountant_, upfront);
}

}  // namespace hearsay::models
