#include "models/context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/solvers/own_minimum.hpp"

namespace hearsay::models {

Sensitive Context::gradient(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& theta) {
  const PrivacyPlan& privacy = world_.study.privacy;
  const std::size_t owner = world_.owner(i);
  Sensitive result(world_.take_vector(), privacy.sensitivity(problem().n(owner)));
  if (privacy.clips()) {
    ++world_.tally.gradients;
    world_.tally.clipped_records +=
        problem().mean_gradient_clipped(owner, theta, privacy.bound, privacy.norm(), result.value_);
  } else {
    problem().mean_gradient(owner, theta, result.value_);
  }
  return result;
}

Sensitive Context::gradient(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& theta,
                            double sensitivity, std::span<const Eigen::Index> records, double divisor) {
  Sensitive result(world_.take_vector(), sensitivity);
  const PrivacyPlan& privacy = world_.study.privacy;
  problem().gradient_of_records(world_.owner(i), records, theta, divisor,
                                privacy.clips() ? privacy.bound : std::numeric_limits<double>::infinity(),
                                result.value_);
  return result;
}

Sensitive Context::gradient(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& theta,
                            double sensitivity) {
  Sensitive result = gradient(i, theta);
  result.sensitivity_ = sensitivity;
  return result;
}

Sensitive Context::local(const Eigen::Ref<const Eigen::VectorXd>& x, double sensitivity) {
  Sensitive result(world_.take_vector(), sensitivity);
  result.value_ = x;
  return result;
}

Sensitive Context::fit(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& offset, double ridge) {
  return {minimise_own(problem(), world_.owner(i), offset, ridge), std::numeric_limits<double>::infinity()};
}

const Eigen::VectorXd& Context::alone(sim::AgentId i, double ridge) const {
  return minimise_alone(problem(), world_.owner(i), ridge);
}

ReleasePlan Context::plan_turns(sim::AgentId i, std::span<const double> epsilons, double q,
                                std::uint64_t turns) {
  if (!world_.study.privacy.active()) {
    world_.ledger.open(i, nullptr);
    return {};
  }
  const auto steps = world_.study.privacy.spending->turns(epsilons, q, turns);
  world_.ledger.open(i, steps);
  return ReleasePlan(*steps);
}

ReleasePlan Context::plan(sim::AgentId i, std::uint64_t releases) {
  return plan(i, Timetable{.releases = releases});
}

ReleasePlan Context::plan(sim::AgentId i, const Timetable& timetable) {
  const PrivacyPlan& privacy = world_.study.privacy;
  if (!privacy.active()) {
    world_.ledger.open(i, nullptr);
    return {};
  }
  const double budget = privacy.epsilon[world_.owner(i)];
  std::shared_ptr<const SpendingPlan> steps;
  if (privacy.schedule == Schedule::kUniform) {
    steps = privacy.spending->uniform(budget, timetable.releases);
  } else {
    const ScheduleWeights weights = schedule_weights(privacy.schedule, timetable);
    steps = privacy.spending->weighted(budget, weights.own, weights.whole);
  }
  world_.ledger.open(i, steps);
  return ReleasePlan(*steps);
}

std::optional<Vector> Context::release(sim::AgentId i, Sensitive sensitive, const ReleasePlan& plan) {
  const Account& account = world_.ledger.account(i);
  if (!world_.ledger.affords(i)) {
    world_.spare_.push_back(std::move(sensitive.value_));
    return std::nullopt;
  }
  sim::check(account.plan.get() == plan.steps_, "a release by a plan that is not the agent's");
  const std::uint64_t number = account.releases;
  world_.released_ = sensitive.value_;
  if (world_.prescribed_noise != nullptr) {
    world_.released_ += world_.prescribed_noise->at(world_.total_releases_);
  } else if (plan.steps_ != nullptr) {
    const Mechanism& mechanism = world_.study.privacy.mechanism;
    const double scale = noise_scale(mechanism, sensitive.sensitivity_, plan.steps_->step(number));
    const std::span<double> out(world_.released_.data(), static_cast<std::size_t>(world_.released_.size()));
    sim::Stream s = world_.streams(sim::Purpose::kNoise, i, 0, static_cast<std::uint32_t>(number));
    add_noise(mechanism, out, scale, s);
  }
  world_.ledger.charge(i);
  ++world_.total_releases_;
  if (world_.engine.tracing()) {
    const Guarantee spent = account.spent();
    world_.engine.trace_release(
        i, fmt::format("release={} epsilon={:.17g} spent={:.17g} delta={:.17g}", number + 1,
                       plan.steps_ != nullptr ? plan.steps_->step(number).epsilon : 0, spent.epsilon,
                       spent.delta));
  }
  world_.spare_.push_back(std::move(sensitive.value_));
  return Vector(world_.released_.data(), world_.released_.size());
}

Vector Context::latest_of(sim::AgentId reader, std::uint32_t k) {
  const sim::Latest heard = world_.engine.latest(reader, k);
  if (heard.version > 0) return Vector(heard.payload.data(), static_cast<Eigen::Index>(heard.payload.size()));
  if (world_.start_.size() == 0) return Vector(world_.zero_.data(), world_.zero_.size());
  return Vector(world_.start_.col(neighbours(reader)[k]).data(), world_.start_.rows());
}

Vector Context::latest(sim::AgentId reader, sim::AgentId neighbour) {
  const auto row = neighbours(reader);
  const auto found = std::lower_bound(row.begin(), row.end(), neighbour);
  sim::check(found != row.end() && *found == neighbour, "latest() of an agent that is no neighbour");
  return latest_of(reader, static_cast<std::uint32_t>(found - row.begin()));
}

sim::Stream Context::random(std::uint32_t purpose, sim::AgentId i) {
  if (world_.draws_.size() <= purpose) world_.draws_.resize(purpose + 1);
  auto& counts = world_.draws_[purpose];
  if (counts.empty()) counts.assign(agents(), 0);
  return world_.streams.protocol(purpose, i, 0, counts[i]++);
}

void Context::freeze_start() {
  if (!world_.models.isZero(0)) world_.start_ = world_.models;
}

}  // namespace hearsay::models
