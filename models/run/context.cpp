#include "models/run/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace hearsay::models {

void Context::send_as(sim::AgentId from, std::span<const sim::AgentId> to, std::uint16_t tag,
                      std::uint32_t conversation, std::span<const double> payload) {
  Misconduct& misconduct = *world_.misconduct;
  misconduct.note_made({from, from, tag, conversation}, payload, now());
  if (!misconduct.agents().is(from)) return world_.engine.send(from, to, tag, conversation, payload);
  // No two receivers share a payload, which may be changed when it arrives.
  for (const sim::AgentId receiver : to) {
    Misconduct::Sent sent{payload};
    if (misconduct.agents().acting(from, leaves(from)) != nullptr)
      sent = misconduct.send({from, receiver, tag, conversation}, payload, reach());
    if (sent.withheld < sim::kNever)
      world_.engine.send(from, receiver, tag, conversation, sent.numbers, sent.withheld);
  }
}

std::uint32_t Context::publish_as(sim::AgentId from, std::span<const double> state) {
  Misconduct& misconduct = *world_.misconduct;
  const Misconduct::Message message{from, from, Misconduct::kPublication, 0};
  if (misconduct.agents().acting(from, leaves(from)) == nullptr) {
    misconduct.note_made(message, state, now());
    return world_.engine.publish(from, state);
  }
  const auto sent = misconduct.send(message, state, reach());
  return world_.engine.publish(from, sent.numbers, sent.withheld);
}

bool Context::arrive_as(const sim::Message& message) {
  const bool sealed = message.to == 0 && world_.study.privacy.trust == Trust::kAggregator;
  return world_.misconduct->arrive(message, reach(), sealed);
}

Eigen::VectorXd Context::followed(const Gathered& inputs) const {
  // Without vectors there is nothing but the centre.
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(std::max(inputs.x.rows(), inputs.centre.size())), one;
  const auto add = [&](const In& input) {
    for (Eigen::Index at = 0; at < input.size(); at += p()) {
      one = input.segment(at, p());
      world_.stand_in->transform(one, one);
      sum.segment(at, p()) += one;
    }
  };
  for (Eigen::Index k = 0; k < inputs.size; ++k) add(inputs.x.col(k));
  if (inputs.centre.size() > 0) add(inputs.centre);
  return sum;
}

Misconduct::Reach Context::reach() const {
  Misconduct::Reach reach{world_.engine, world_.models, {}};
  if (world_.stand_in != nullptr && world_.stand_in->follows())
    reach.followed = [this](const Gathered& inputs) { return followed(inputs); };
  return reach;
}

Sensitive Context::gradient(sim::AgentId i, const In& theta, std::span<const double> known) {
  const Budget& privacy = world_.study.privacy;
  constexpr double kRounding = 1e-12;
  if (world_.stand_in == nullptr && privacy.source == BoundSource::kDerived &&
      !std::isfinite(problem().loss().max_slope()) &&
      theta.lpNorm<Eigen::Infinity>() > *problem().model().theta_max * (1 + kRounding)) {
    throw std::invalid_argument(
        "gradient: the bound of a record's gradient is derived from model.theta_max, and theta is outside that "
        "box: project it, or set privacy.clip");
  }
  return mean_gradient(i, theta, known, privacy.sensitivity(records(i)));
}

Sensitive Context::gradient(sim::AgentId i, const In& theta, double sensitivity) {
  return mean_gradient(i, theta, {}, sensitivity);
}

Sensitive Context::mean_gradient(sim::AgentId i, const In& theta, std::span<const double> known,
                                 double sensitivity) {
  Sensitive result(world_.take_vector(), sensitivity);
  if (world_.stand_in != nullptr) {
    world_.stand_in->gradient(i, theta, true, result.value_);
  } else {
    compute_gradient(i, theta, known, result.value_, world_.tally);
  }
  return result;
}

void Context::compute_gradient(sim::AgentId i, const In& theta, std::span<const double> known,
                               Eigen::VectorXd& out, Tally& tally) const {
  const Budget& privacy = world_.study.privacy;
  const std::size_t owner = world_.owner(i);
  if (privacy.clips()) {
    ++tally.gradients;
    tally.clipped_records +=
        records_of(i).mean_gradient_clipped(owner, theta, privacy.bound, privacy.norm(), out, known);
  } else {
    records_of(i).mean_gradient(owner, theta, out, known);
  }
}

Sensitive Context::gradient(sim::AgentId i, const In& theta, double sensitivity,
                            std::span<const Eigen::Index> records, double divisor) {
  Sensitive result(world_.take_vector(), sensitivity);
  if (world_.stand_in != nullptr) {
    world_.stand_in->gradient(i, theta, false, result.value_);
  } else {
    compute_gradient(i, theta, {sensitivity, records, divisor}, result.value_, world_.tally);
  }
  return result;
}

void Context::compute_gradient(sim::AgentId i, const In& theta, const Batch& batch, Eigen::VectorXd& out,
                               Tally& tally) const {
  const Budget& privacy = world_.study.privacy;
  const Eigen::Index clipped = records_of(i).gradient_of_records(
      world_.owner(i), batch.records, theta, batch.divisor,
      privacy.clips() ? privacy.bound : std::numeric_limits<double>::infinity(), privacy.norm(), out);
  if (privacy.clips() && !batch.records.empty()) {
    ++tally.gradients;
    tally.clipped_records += static_cast<double>(clipped) / static_cast<double>(batch.records.size());
  }
}

Sensitive Context::sensitive(const In& x, double sensitivity) {
  Sensitive result(world_.take_vector(), sensitivity);
  result.value_ = x;
  return result;
}

void Context::open_account(sim::AgentId i, std::uint64_t releases, std::uint32_t overlap) {
  const std::uint64_t asked = privacy().steps_or(owner(i), releases);
  if (privacy().active() && !privacy().by_turn() && asked != releases)
    throw std::invalid_argument(
        fmt::format("privacy.steps has no effect: it is {} for agent {}, and this protocol plans the agent's "
                    "budget for {} releases; leave it out",
                    asked, i, releases));
  open_account(i, Timetable{.releases = releases, .overlap = overlap});
}

void Context::open_account(sim::AgentId i, const Timetable& timetable) {
  world_.ledger.open(i, world_.study.privacy.releases_of(world_.owner(i), timetable));
}

void Context::open_account(sim::AgentId i) {
  sim::check(!world_.study.privacy.active(), "an account without a limit, with privacy");
  world_.ledger.open(i, nullptr);
}

const Step* Context::next_step(sim::AgentId i, std::uint64_t later) const {
  const Account& account = world_.ledger.account(i);
  sim::check(account.schedule || !privacy().active(), "a release without noise, with privacy");
  return account.schedule ? &account.schedule->step(account.releases + later) : nullptr;
}

ReleaseNoise Context::next_noise(sim::AgentId i, std::uint64_t later) const {
  const std::uint32_t number =
      sim::next_number(world_.ledger.account(i).releases + later, "releases of an agent", 0);
  return {next_step(i, later),
          world_.streams(sim::Purpose::kNoise, i, 0, number),
          world_.streams,
          i,
          number,
          world_.prescribed_noise != nullptr ? &world_.prescribed_noise->at(world_.total_releases_) : nullptr,
          world_.noise_factor};
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
  if (world_.stand_in != nullptr) {
    out = sensitive.value_;
    world_.stand_in->release(i, next_step(i), sensitive.sensitivity_, out);
  } else if (world_.prescribed_noise != nullptr) {
    out = sensitive.value_ + world_.prescribed_noise->at(world_.total_releases_);
  } else if (next_step(i) == nullptr) {
    out.swap(sensitive.value_);  // the vector of the last release is used again
  } else {
    perturb(i, 0, sensitive.sensitivity_, sensitive.value_, out, world_.tally);
  }
  charge(i, numbers(out));
  world_.give_back(std::move(sensitive.value_));
  return Vector(out.data(), out.size());
}

void Context::perturb(sim::AgentId i, std::uint64_t later, double sensitivity, const Eigen::VectorXd& value,
                      Eigen::VectorXd& out, Tally& tally) const {
  out = value;
  ReleaseNoise noise = next_noise(i, later);
  const double scale = noise.factor() * noise_scale(sensitivity, *noise.step);
  add_noise(noise.step->kind, {out.data(), static_cast<std::size_t>(out.size())}, scale, noise.stream);
  tally.noise += (out - value).squaredNorm();
  tally.expected_noise += noise_energy(noise.step->kind, static_cast<double>(out.size()), scale);
}

void Context::prepare_release(sim::AgentId i, Prepared& out) const {
  if (!out.ahead_) return;
  out.next_.tally_ = {};
  out.releases_ = foresee_release(i, 0, world_.models.col(i), nullptr, false, out.next_);
}

std::optional<Vector> Context::release_gradient(sim::AgentId i, Prepared& ready,
                                                std::span<const double> known) {
  if (!ready.releases_) return release(i, gradient(i, model(i), known));
  world_.tally.add(ready.next_.tally_);
  charge(i, numbers(ready.next_.noisy_));
  return Vector(ready.next_.noisy_.data(), ready.next_.noisy_.size());
}

bool Context::foresee_release(sim::AgentId i, std::uint64_t later, const In& theta, const Batch* batch,
                              bool inside, Foreseen& out) const {
  const Account& account = world_.ledger.account(i);
  if (!inside && account.releases + later >= account.release_limit) return false;
  out.gradient_.resize(p());
  if (batch != nullptr) {
    compute_gradient(i, theta, *batch, out.gradient_, out.tally_);
  } else {
    compute_gradient(i, theta, std::span<const double>(), out.gradient_, out.tally_);
  }
  if (inside || next_step(i, later) == nullptr) {
    out.noisy_.swap(out.gradient_);
  } else {
    const double sensitivity =
        batch != nullptr ? batch->sensitivity : world_.study.privacy.sensitivity(records(i));
    perturb(i, later, sensitivity, out.gradient_, out.noisy_, out.tally_);
  }
  return true;
}

void Context::use_foreseen(sim::AgentId i, const Tally& before, std::span<const Tally> releases,
                           std::uint64_t charged) {
  ++world_.foreseen;
  world_.tally.add(before);
  for (const Tally& release : releases) world_.tally.add(release);
  for (std::uint64_t k = 0; k < charged; ++k) charge(i, {});
}

void Context::keep_draws(std::uint32_t purpose) {
  constexpr std::size_t kPurposes =
      64;  // more than protocols have: none of them moves when another is first used
  if (const std::size_t all = std::max(kPurposes, std::size_t{purpose} + 1); world_.draws_.size() < all)
    world_.draws_.resize(all);
  if (world_.draws_[purpose].empty()) world_.draws_[purpose].assign(agents(), 0);
}

sim::Preparation Context::preparation() const {
  if (world_.stand_in != nullptr || world_.misconduct != nullptr || world_.prescribed_noise != nullptr)
    return {};
  constexpr double kRead = 20, kAdd = 0.5, kGradient = 1, kNoise = 20;  // ns: of a vector, and a number
  const double n = agents(), degree = 2 * static_cast<double>(world_.engine.topology().edges()) / n;
  const auto each = static_cast<double>(p());
  const double records_each = static_cast<double>(records()) / n;
  return {degree * (kRead + kAdd * each) + kGradient * records_each * each +
              (privacy().active() ? kNoise * each : 0),
          sizeof(Prepared) + 3 * sizeof(double) * static_cast<std::size_t>(p()) +
              sizeof(std::uint32_t) * static_cast<std::size_t>(degree)};
}

void Context::make_rooms(std::uint32_t count) {
  world_.rooms_.resize(count);
  for (Prepared& room : world_.rooms_) room.ahead_ = true;
}

void Context::open_shared_account(std::shared_ptr<const ReleaseSchedule> releases) {
  sim::check(!world_.study.privacy.active() || releases != nullptr,
             "an account without a limit, with privacy");
  world_.ledger.open_shared(std::move(releases));
}

void Context::seal(sim::AgentId i, std::uint32_t conversation, std::span<double> x) const {
  // Rows of coefficients are not values: a seal would make another row of them.
  if (world_.stand_in != nullptr && world_.stand_in->follows()) return;
  sim::Stream pad = world_.streams.protocol(sim::Streams::kOfWholeRun, i, 0, conversation);
  for (double& value : x) value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ pad());
}

void Context::entrust(sim::AgentId i, std::uint16_t tag, std::uint32_t conversation, const LocalVector& x) {
  sim::check(world_.hub, "a vector was entrusted in a network without a hub");
  const Budget& privacy = world_.study.privacy;
  // It leaves sealed, so that nothing else can see it.
  if (world_.stand_in == nullptr && !is_hostile(i) && !x.value_.allFinite()) world_.overflowed = i;
  Eigen::VectorXd sealed = world_.take_vector();
  sealed = x.value_;
  sim::Time withheld = 0;
  if (world_.misconduct != nullptr && world_.misconduct->agents().acting(i, leaves(i)) != nullptr) {
    const auto sent = world_.misconduct->send({i, 0, tag, conversation}, numbers(sealed), reach(), true);
    withheld = sent.withheld;
    sealed = vector_of(sent.numbers);
    if (!sealed.allFinite()) sealed.setZero();
  }
  if (world_.stand_in != nullptr) {
    sealed.setZero();
  } else if (privacy.active()) {
    const double factor =
        shortening(privacy.norm() == Norm::kL1 ? sealed.lpNorm<1>() : length_of(sealed), privacy.bound);
    ++world_.tally.gradients;
    if (factor < 1) ++world_.tally.clipped_records;
    if (factor > 0) {
      sealed *= factor;
    } else {
      sealed.setZero();
    }
  }
  if (world_.misconduct != nullptr)
    world_.misconduct->note_made({i, 0, tag, conversation}, numbers(sealed), now());
  seal(i, conversation, {sealed.data(), static_cast<std::size_t>(sealed.size())});
  if (withheld < sim::kNever)
    world_.engine.send(i, 0, tag, conversation, numbers(sealed), withheld, sim::Engine::Payload::kAnyBits);
  world_.give_back(std::move(sealed));
}

void Context::collect(const sim::Message& message, EntrustedSum& sum) {
  sim::check(message.to == 0, "an entrusted vector was collected by another agent than the hub");
  std::uint64_t& last = sum.last_[world_.owner(message.from)];
  const std::uint64_t round = sum.rounds_ + 1;
  sim::check(last < round, "an owner has contributed to a round twice");
  sim::check(!sum.tree_ || last == 0 || (round - last) % sum.tree_->epoch == 0,
             "an owner has changed its position in the tree");
  last = round;
  Eigen::VectorXd opened = world_.take_vector();
  opened = vector_of(message);
  seal(message.from, message.conversation, {opened.data(), static_cast<std::size_t>(opened.size())});
  sum.sum_ += opened;
  world_.give_back(std::move(opened));
  ++sum.contributions_;
}

// Moves on to the noise of the next running sum; a completed tree ends with that of its root.
void Context::add_tree_noise(EntrustedSum& sum, double scale, sim::Stream& stream) {
  sum.noise_->next(scale, stream);
  if (sum.tree_->completes_at(sum.rounds_)) sum.noise_->complete(scale, stream);
  world_.released_ += sum.noise_->noise();
}

std::optional<Vector> Context::release(EntrustedSum& sum, double divisor) {
  constexpr sim::AgentId kHub = 0;
  if (!may_release(kHub)) return std::nullopt;
  Eigen::VectorXd& out = world_.released_;
  out = sum.sum_;
  if (world_.stand_in != nullptr) {
    const double own = sum.tree_
                           ? std::numeric_limits<double>::infinity()  // of a release whose noise others share
                           : world_.study.privacy.sensitivity_of_sum(1);
    world_.stand_in->release(kHub, next_step(kHub), own, out);
  } else if (world_.prescribed_noise != nullptr) {
    out += world_.prescribed_noise->at(world_.total_releases_);
  } else if (next_step(kHub) != nullptr) {
    ReleaseNoise noise = next_noise(kHub);
    const double scale =
        noise.factor() * noise_scale(world_.study.privacy.sensitivity_of_sum(1), *noise.step);
    if (sum.tree_) {
      add_tree_noise(sum, scale, noise.stream);
    } else {
      add_noise(noise.step->kind, {out.data(), static_cast<std::size_t>(out.size())}, scale, noise.stream);
    }
    world_.tally.noise += (out - sum.sum_).squaredNorm() / (divisor * divisor);
    const double energy = noise_energy(noise.step->kind, static_cast<double>(out.size()), scale);
    world_.tally.expected_noise += sum.tree_ ? std::nan("") : energy / (divisor * divisor);
  }
  out /= divisor;
  ++sum.rounds_;
  sum.contributions_ = 0;
  const bool goes_on = sum.tree_ && sum.rounds_ % sum.tree_->leaves != 0;
  if (!goes_on) sum.sum_.setZero();
  if (!goes_on && sum.noise_) sum.noise_->restart();
  charge(kHub, numbers(out));
  return Vector(out.data(), out.size());
}

Vector Context::latest(sim::AgentId reader, sim::AgentId neighbour) {
  const auto row = neighbours(reader);
  const auto found = std::lower_bound(row.begin(), row.end(), neighbour);
  sim::check(found != row.end() && *found == neighbour, "latest() of an agent that is no neighbour");
  return heard(reader, static_cast<std::uint32_t>(found - row.begin())).model;
}

sim::Stream Context::random(std::uint32_t purpose, sim::AgentId i) {
  keep_draws(purpose);
  const sim::Stream stream = next_random(purpose, i);
  std::uint32_t& count = world_.draws_[purpose][i];
  count = sim::next_number(count, "draws of an agent for one purpose");
  return stream;
}

}  // namespace hearsay::models
