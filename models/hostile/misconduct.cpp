#include "models/hostile/misconduct.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "sim/check.hpp"
#include "sim/overloaded.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

namespace {

using Eigen::Index;
using Eigen::VectorXd;
using sim::AgentId;

constexpr std::uint32_t kToAll = 0xFFFF'FFFF;

Eigen::Map<const VectorXd> vector_in(std::span<const double> numbers, Index count) {
  return {numbers.data(), count};
}

}  // namespace

Misconduct::Misconduct(const HostileAgents& agents, Index p, const MessageForm& form, MixingWeights mixing,
                       const sim::Streams& streams)
    : agents_(agents),
      largest_degree_(largest_degree(agents.topology())),
      p_(p),
      form_(form),
      mixing_(mixing),
      streams_(streams) {
  for (const HostileGroup& group : agents.groups()) {
    omniscient_ |= group.omniscient && group.reads_others();
    if (const auto* replay = std::get_if<ReplayOld>(&group.behaviour))
      kept_ = std::max(kept_, replay->age + 1);
  }
}

void Misconduct::learn(AgentId knower, const Message& message, const In& x) {
  Newest& newest = known_[kind_of(knower, message, x.size())][message.from];
  newest.x = x;
  newest.conversation = message.conversation;
}

void Misconduct::note_made(const Message& message, std::span<const double> x, sim::Time now) {
  const Index count = vectors_in(message.tag, x.size());
  if (count == 0) return;
  if (!agents_.is(message.from)) {
    if (omniscient_) learn(kAllKnowing, message, vector_in(x, count));
  } else if (agents_.repeats(message.from)) {
    Made& made = made_[kind_of(message.from, message, count)];
    if (made.at == now && made.conversation == message.conversation) return;
    made.at = now;
    made.conversation = message.conversation;
    if (made.all.size() > kept_) made.all.erase(made.all.begin() + 1);
    made.all.emplace_back(vector_in(x, count));
  }
}

void Misconduct::gather(const HostileGroup& group, const Message& message, const In& x, sim::Engine& engine) {
  gathered_.clear();
  const auto* const mimic = std::get_if<Mimic>(&group.behaviour);
  const auto add = [&](AgentId i, const In& vector) {
    if (mimic == nullptr || i == mimic->of.value_or(i)) gathered_.add(1, vector);
  };
  if (message.tag == kPublication && !group.omniscient) {
    engine.read(message.from, engine.moment(),
                [&](std::uint32_t, sim::AgentId neighbour, const sim::Latest& heard) {
                  if (heard.version > 0 && !agents_.is(neighbour))
                    add(neighbour, vector_in(heard.payload, x.size()));
                });
  } else {
    const auto found = known_.find(kind_of(group.omniscient ? kAllKnowing : message.from, message, x.size()));
    if (found != known_.end()) {
      const auto same = [&](const auto& one) { return one.second.conversation == message.conversation; };
      const bool some = group.omniscient && form_.rounds && std::ranges::any_of(found->second, same);
      for (const auto& one : found->second)
        if (!some || same(one)) add(one.first, one.second.x);
    }
  }
  if (gathered_.size == 0) gathered_.add(1, x);
}

// x_i - eps sum_{honest j} W_ij (x_j - x_i)/sum_{hostile j} W_ij.
void Misconduct::dissent(const Dissensus& how, AgentId i, Out x, const Eigen::MatrixXd& models) const {
  const sim::Topology& graph = agents_.topology();
  VectorXd pull = VectorXd::Zero(p_);
  double hostile = 0;
  for (const AgentId j : graph.neighbours(i)) {
    const double w = mixing_weight(mixing_, graph, i, j, largest_degree_);
    if (agents_.is(j)) {
      hostile += w;
    } else {
      pull += w * (models.col(j) - models.col(i));
    }
  }
  x.head(p_) = models.col(i) - how.eps / hostile * pull;
}

void Misconduct::replace(const HostileGroup& group, const Message& message, Out x, const Reach& reach) {
  if (group.reads_others()) gather(group, message, x, reach.engine);
  const Kind kind = kind_of(message.from, message, x.size());
  const Sending& sending = sendings_[kind];
  const auto stream = [&](std::uint32_t receiver) {
    return streams_(sim::Purpose::kHostile, message.from + 1, receiver, sending.number);
  };
  const auto normal = [&](double scale, std::uint32_t receiver) {
    sim::Stream drawn = stream(receiver);
    if (reach.followed) scale = 0;
    return VectorXd::NullaryExpr(x.size(), [&](Index) { return scale * sim::normal(drawn); }).eval();
  };
  const auto mean = [&] { return gathered_.columns().rowwise().mean().eval(); };
  const auto honest = [&](AgentId i) { return message.tag != kPublication && !agents_.is(i); };
  const auto made = [&]() -> const std::vector<VectorXd>& {
    const std::vector<VectorXd>& all = made_[kind].all;
    sim::check(!all.empty(), "a vector is sent that was not made");
    return all;
  };
  std::visit(
      sim::Overloaded{
          [&](const SignFlip& how) { x = how.own ? VectorXd(-x) : VectorXd(-mean()); },
          [&](const InnerProduct& how) { x = -how.tau * mean(); },
          [&](const ALittle& how) {
            if (reach.followed) return void(x = reach.followed(gathered_));
            const VectorXd m = mean();
            const double divisor = std::max(static_cast<double>(gathered_.size) - how.ddof, 1.0);
            const VectorXd s =
                ((gathered_.columns().colwise() - m).rowwise().squaredNorm() / divisor).cwiseSqrt();
            x = m + how.tau.value_or(agents_.hiding_quantile()) * s;
          },
          [&](const GaussianVectors& how) { x = normal(how.scale, kToAll); },
          [&](const ConstantVectors& how) { x.setConstant(reach.followed ? 0 : how.value); },
          [&](const InfiniteVectors&) { x.setConstant(std::numeric_limits<double>::infinity()); },
          [&](const NotANumber&) { x.setConstant(std::numeric_limits<double>::quiet_NaN()); },
          [&](const Mimic&) { x = gathered_.x.col(0); },
          [&](const FreeRider& how) {
            if (how.sends == Ridden::kZeros) x.setZero();
            if (how.sends == Ridden::kOld) x = made().front();
            const auto found = known_.find({message.from, kAnyTag, static_cast<std::uint32_t>(x.size())});
            if (how.sends == Ridden::kReceived && found != known_.end()) x = found->second.begin()->second.x;
          },
          [&](const Dissensus& how) {
            if (honest(message.to)) dissent(how, message.to, x, reach.models);
          },
          [&](const Spectral& how) {
            if (!honest(message.to)) return;
            const VectorXd& e = agents_.slowest();
            x.head(p_) = reach.models.col(message.to) + how.eps * e[message.to] * (reach.models * e);
          },
          [&](const Equivocate& how) { x += normal(how.scale, message.to); },
          [&](const Stuck&) { x = stuck_at_.try_emplace(kind, x).first->second; },
          [&](const BitFlip& how) {
            sim::Stream drawn = stream(message.to);
            for (std::uint32_t k = 0; k < how.bits; ++k) {
              double& number =
                  x[static_cast<Index>(sim::uniform_index(drawn, static_cast<std::size_t>(x.size())))];
              number = std::bit_cast<double>(std::bit_cast<std::uint64_t>(number) ^
                                             (std::uint64_t{1} << sim::uniform_index(drawn, 64)));
            }
          },
          [&](const ReplayOld& how) {
            const auto& all = made();
            x = all[all.size() - std::min<std::size_t>(all.size(), how.age + 1)];
          },
          [](const auto&) {}},
      group.behaviour);
}

Misconduct::Sent Misconduct::send(const Message& message, std::span<const double> numbers, const Reach& reach,
                                  bool sealed) {
  sim::Engine& engine = reach.engine;
  const HostileGroup& group = *agents_.acting(message.from, engine.leaves(message.from));
  Index count = vectors_in(message.tag, numbers.size());
  if (too_short(group, count)) count = 0;
  const Kind kind = kind_of(message.from, message, count);
  Sending& sending = sendings_[kind];
  const bool again = sending.at == engine.now() && sending.conversation == message.conversation;
  if (!again) sending = {engine.now(), message.conversation, ++sent_by_[message.from]};
  Sent sent{numbers};
  if (std::holds_alternative<Silent>(group.behaviour)) sent.withheld = sim::kNever;
  if (const auto* late = std::get_if<Late>(&group.behaviour)) {
    sim::Stream drawn = streams_(sim::Purpose::kHostile, message.from + 1, message.to, sending.number);
    sent.withheld = late->delay.sample(drawn);
  }
  if (!again && (count > 0 || sent.withheld > 0))  // a message without vectors is as the protocol says
    engine.trace_hostile(message.from,
                         std::visit([](const auto& how) { return how.kName; }, group.behaviour));
  if (count == 0) return sent;
  note_made(message, numbers, engine.now());
  sent_ = vector_in(numbers, static_cast<Index>(numbers.size()));
  // What is settled when it arrives must not be replaced twice.
  if (!group.decides_late() || sealed || message.tag == kPublication)
    replace(group, message, sent_.head(count), reach);
  sent.numbers = {sent_.data(), numbers.size()};
  return sent;
}

bool Misconduct::arrive(const sim::Message& message, const Reach& reach, bool sealed) {
  const Index count = vectors_in(message.tag, message.payload.size());
  if (count == 0) return true;
  const Message seen{message.from, message.to, message.tag, message.conversation};
  if (agents_.is(message.to)) {
    const auto x = vector_in(message.payload, count);
    if (!agents_.is(message.from)) learn(message.to, seen, x);
    known_[{message.to, kAnyTag, static_cast<std::uint32_t>(count)}][0].x = x;
  }
  const HostileGroup* const group = agents_.acting(message.from, message.sent);
  if (group == nullptr || !group->decides_late() || sealed || too_short(*group, count)) return true;
  const std::span<double> numbers = reach.engine.numbers_of(message);
  Eigen::Map<VectorXd> x(numbers.data(), count);
  replace(*group, seen, x, reach);
  return x.allFinite();
}

}  // namespace hearsay::models
