#include "models/core/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/privacy/mechanisms/objective_perturbation.hpp"
#include "models/protocols/peer_to_peer/problem/local_models.hpp"
#include "models/solvers/own_minimum.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

Sensitive Context::gradient(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& theta) {
  const Privacy& privacy = world_.study.privacy;
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
  const Privacy& privacy = world_.study.privacy;
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

void Context::open_account(sim::AgentId i, const Timetable& timetable) {
  const Privacy& privacy = world_.study.privacy;
  world_.ledger.open(i, privacy.releases_of(world_.owner(i), timetable));
}

void Context::open_account(sim::AgentId i, const Turns& turns) {
  const Privacy& privacy = world_.study.privacy;
  world_.ledger.open(i, privacy.active() ? privacy.schedules->turns(turns) : nullptr);
}

void Context::open_account(sim::AgentId i) {
  sim::check(!world_.study.privacy.active(), "an account without a limit, with privacy");
  world_.ledger.open(i, nullptr);
}

const Step* Context::next_step(sim::AgentId i) const {
  const Account& account = world_.ledger.account(i);
  return account.schedule ? &account.schedule->step(account.releases) : nullptr;
}

void Context::charge(sim::AgentId i) {
  const Step* const step = next_step(i);
  world_.ledger.charge(i);
  ++world_.total_releases_;
  if (!world_.engine.tracing()) return;
  const Account& account = world_.ledger.account(i);
  const Guarantee spent = account.spent();
  world_.engine.trace_release(
      i, fmt::format("release={} epsilon={:.17g} spent={:.17g} delta={:.17g}", account.releases,
                     step != nullptr ? step->epsilon : 0, spent.epsilon, spent.delta));
}

std::optional<Vector> Context::release(sim::AgentId i, Sensitive sensitive) {
  if (!may_release(i)) {
    world_.spare_.push_back(std::move(sensitive.value_));
    return std::nullopt;
  }
  const std::uint64_t number = world_.ledger.account(i).releases;
  world_.released_ = sensitive.value_;
  if (world_.prescribed_noise != nullptr) {
    world_.released_ += world_.prescribed_noise->at(world_.total_releases_);
  } else if (const Step* const step = next_step(i)) {
    const double scale = noise_scale(sensitive.sensitivity_, *step);
    const std::span<double> out(world_.released_.data(), static_cast<std::size_t>(world_.released_.size()));
    sim::Stream s = world_.streams(sim::Purpose::kNoise, i, 0, static_cast<std::uint32_t>(number));
    add_noise(step->kind, out, scale, s);
  }
  charge(i);
  world_.spare_.push_back(std::move(sensitive.value_));
  return Vector(world_.released_.data(), world_.released_.size());
}

Sensitive Context::local_minimiser(sim::AgentId i, double lambda) {
  const std::size_t owner = world_.owner(i);
  return {models::local_minimiser(problem(), owner, lambda),
          world_.study.privacy.sensitivity(problem().n(owner)) / (2 * lambda)};
}

std::optional<Vector> Context::release_minimiser(sim::AgentId i, double lambda) {
  if (!may_release(i)) return std::nullopt;
  const std::size_t owner = world_.owner(i);
  const auto records = static_cast<double>(problem().n(owner));
  const std::uint64_t number = world_.ledger.account(i).releases;
  Eigen::VectorXd tilt = Eigen::VectorXd::Zero(p());
  double ridge = 0;
  const Step* const step = next_step(i);
  if (records > 0 && (step != nullptr || world_.prescribed_noise != nullptr)) {
    const double epsilon = step != nullptr ? step->epsilon : std::numeric_limits<double>::infinity();
    const ObjectiveNoise noise =
        objective_noise(epsilon, records, 2 * lambda, curvature_bound(problem().loss()));
    ridge = noise.ridge;
    if (world_.prescribed_noise != nullptr) {
      tilt = world_.prescribed_noise->at(world_.total_releases_);
    } else {
      sim::Stream s = world_.streams(sim::Purpose::kNoise, i, 0, static_cast<std::uint32_t>(number));
      add_exponential_norm({tilt.data(), static_cast<std::size_t>(tilt.size())}, noise.scale, s);
    }
  }
  world_.released_ =
      models::local_minimiser(problem(), owner, lambda + ridge / 2, tilt / std::max(records, 1.0));
  charge(i);
  return Vector(world_.released_.data(), world_.released_.size());
}

std::optional<Shard> Context::release_records(sim::AgentId i, double clip, double epsilon_label) {
  if (!may_release(i)) return std::nullopt;
  Shard shard = problem().data().train[world_.owner(i)];
  const std::uint64_t number = world_.ledger.account(i).releases;
  if (const Step* const step = next_step(i)) {
    const double epsilon = step->epsilon - epsilon_label;
    sim::check(epsilon > 0 && epsilon_label >= 0, "the label takes all of the epsilon of a record");
    for (Eigen::Index k = 0; k < shard.features.rows(); ++k) {
      const double length = shard.features.row(k).lpNorm<1>();
      if (length > clip) shard.features.row(k) *= clip / length;
    }
    sim::Stream s = world_.streams(sim::Purpose::kNoise, i, 0, static_cast<std::uint32_t>(number));
    add_laplace({shard.features.data(), static_cast<std::size_t>(shard.features.size())}, 2 * clip / epsilon,
                s);
    const double flip = epsilon_label > 0 ? 1 / (1 + std::exp(epsilon_label)) : 0;
    for (double& label : shard.target) {
      if (sim::bernoulli(s, flip)) label = -label;
    }
  }
  charge(i);
  return shard;
}

Heard Context::heard_of(sim::AgentId reader, std::uint32_t k) {
  const sim::Latest heard = world_.engine.latest(reader, k);
  if (heard.version > 0) {
    return {Vector(heard.payload.data(), static_cast<Eigen::Index>(heard.payload.size())), heard.version,
            heard.sent};
  }
  if (world_.start_.size() == 0) return {Vector(world_.zero_.data(), world_.zero_.size())};
  return {Vector(world_.start_.col(neighbours(reader)[k]).data(), world_.start_.rows())};
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

void Context::restore_start(sim::AgentId i) {
  if (world_.start_.size() == 0) {
    world_.models.col(i).setZero();
  } else {
    world_.models.col(i) = world_.start_.col(i);
  }
}

}  // namespace hearsay::models
