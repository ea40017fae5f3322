#include "models/core/context.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hearsay::models {

Sensitive Context::gradient(sim::AgentId i, const In& theta) {
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

Sensitive Context::gradient(sim::AgentId i, const In& theta, double sensitivity) {
  Sensitive result = gradient(i, theta);
  result.sensitivity_ = sensitivity;
  return result;
}

Sensitive Context::gradient(sim::AgentId i, const In& theta, double sensitivity,
                            std::span<const Eigen::Index> records, double divisor) {
  Sensitive result(world_.take_vector(), sensitivity);
  const Privacy& privacy = world_.study.privacy;
  const Eigen::Index clipped =
      problem().gradient_of_records(world_.owner(i), records, theta, divisor,
                                    privacy.clips() ? privacy.bound : std::numeric_limits<double>::infinity(),
                                    privacy.norm(), result.value_);
  if (privacy.clips() && !records.empty()) {
    ++world_.tally.gradients;
    world_.tally.clipped_records += static_cast<double>(clipped) / static_cast<double>(records.size());
  }
  return result;
}

Sensitive Context::sensitive(const In& x, double sensitivity) {
  Sensitive result(world_.take_vector(), sensitivity);
  result.value_ = x;
  return result;
}

void Context::open_account(sim::AgentId i, const Timetable& timetable) {
  world_.ledger.open(i, world_.study.privacy.releases_of(world_.owner(i), timetable));
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

ReleaseNoise Context::next_noise(sim::AgentId i) const {
  const std::uint32_t number = sim::next_number(world_.ledger.account(i).releases, "releases of an agent", 0);
  return {
      next_step(i), world_.streams(sim::Purpose::kNoise, i, 0, number),
      world_.prescribed_noise != nullptr ? &world_.prescribed_noise->at(world_.total_releases_) : nullptr};
}

std::vector<double> Context::numbers_given(const Shard& shard) {
  std::vector<double> numbers;
  for (Eigen::Index k = 0; k < shard.features.rows(); ++k) {
    for (const double x : shard.features.row(k)) numbers.push_back(x);
    numbers.push_back(shard.target[k]);
  }
  return numbers;
}

void Context::charge(sim::AgentId i, std::span<const double> given_out) {
  const Step* const step = next_step(i);
  world_.ledger.charge(i);
  ++world_.total_releases_;
  if (!world_.engine.tracing()) return;
  const Account& account = world_.ledger.account(i);
  const Guarantee spent = account.spent();
  world_.engine.trace_release(
      i,
      fmt::format("release={} epsilon={:.17g} spent={:.17g} delta={:.17g}", account.releases,
                  step != nullptr ? epsilon_alone(*step) : 0, spent.epsilon, spent.delta),
      given_out);
}

std::optional<Vector> Context::release(sim::AgentId i, Sensitive sensitive) {
  if (!may_release(i)) {
    world_.give_back(std::move(sensitive.value_));
    return std::nullopt;
  }
  Eigen::VectorXd& out = world_.released_;
  if (world_.prescribed_noise != nullptr) {
    out = sensitive.value_ + world_.prescribed_noise->at(world_.total_releases_);
  } else if (next_step(i) == nullptr) {
    out.swap(sensitive.value_);  // the vector of the last release is used again
  } else {
    out = sensitive.value_;
    ReleaseNoise noise = next_noise(i);
    add_noise(noise.step->kind, {out.data(), static_cast<std::size_t>(out.size())},
              noise_scale(sensitive.sensitivity_, *noise.step), noise.stream);
    world_.tally.noise += (out - sensitive.value_).squaredNorm();
  }
  charge(i, numbers(out));
  world_.give_back(std::move(sensitive.value_));
  return Vector(out.data(), out.size());
}

Heard Context::heard(sim::AgentId reader, std::uint32_t k) {
  const sim::Latest heard = world_.engine.latest(reader, k);
  if (heard.version > 0) {
    return {Vector(heard.payload.data(), static_cast<Eigen::Index>(heard.payload.size())), heard.version,
            heard.sent};
  }
  return {world_.start(neighbours(reader)[k])};
}

Vector Context::latest(sim::AgentId reader, sim::AgentId neighbour) {
  const auto row = neighbours(reader);
  const auto found = std::lower_bound(row.begin(), row.end(), neighbour);
  sim::check(found != row.end() && *found == neighbour, "latest() of an agent that is no neighbour");
  return heard(reader, static_cast<std::uint32_t>(found - row.begin())).model;
}

sim::Stream Context::random(std::uint32_t purpose, sim::AgentId i) {
  if (world_.draws_.size() <= purpose) world_.draws_.resize(purpose + 1);
  auto& counts = world_.draws_[purpose];
  if (counts.empty()) counts.assign(agents(), 0);
  const std::uint32_t index = counts[i];
  counts[i] = sim::next_number(index, "draws of an agent for one purpose");
  return world_.streams.protocol(purpose, i, 0, index);
}

}  // namespace hearsay::models
