#include "sim/network/availability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "sim/check.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/random/random.hpp"

namespace hearsay::sim {

namespace {

constexpr std::uint32_t kNoGroup = 0xFFFF'FFFF;

std::vector<std::uint32_t> groups_of(const GroupFailures& law, AgentId agents) {
  std::vector<std::uint32_t> group(agents, kNoGroup);
  for (std::uint32_t g = 0; g < law.groups.size(); ++g) {
    for (const AgentId i : law.groups[g].agents) {
      require_agent(i, agents, fmt::format("group {}: ", law.groups[g].name));
      group[i] = g;
    }
  }
  return group;
}

}  // namespace

Availability::Availability(const AvailabilityOptions& options, const Streams& streams, AgentId agents,
                           AgentId first, const std::vector<std::shared_ptr<const Sessions>>& sessions)
    : first_agent_(first) {
  draw_from(streams);
  std::uint32_t number = 0;
  const bool one_law = !std::holds_alternative<AllOf>(options);
  for (const OneAvailability& one : sim::laws(options)) {
    const auto l = static_cast<std::uint32_t>(laws_.size());
    const auto values = [&](std::string_view key, const PerAgent& law, bool hub, std::uint32_t option) {
      const AgentId from = hub ? 0 : first;
      // Of several laws the option is not named: the list that it is in has no key.
      std::vector<double> all = one_law ? law.values_of(key, from, agents - from, option, streams)
                                        : law.values(from, agents - from, option, streams, l);
      all.insert(all.begin(), from, 0.0);
      return all;
    };
    if (const auto* on_off = std::get_if<OnOff>(&one)) {
      laws_.emplace_back(Renewal{*on_off, false, {}});
    } else if (const auto* crash = std::get_if<Crash>(&one)) {
      laws_.emplace_back(
          Renewal{OnOff{.up = crash->up, .down = crash->down, .start = crash->start, .hub = crash->hub},
                  crash->state_on_return == StateOnReturn::kReset,
                  {}});
    } else if (const auto* groups = std::get_if<GroupFailures>(&one)) {
      laws_.emplace_back(
          Renewal{OnOff{.up = groups->up, .down = groups->down, .start = groups->start, .hub = true}, false,
                  groups_of(*groups, agents)});
    } else if (const auto* coin = std::get_if<Coin>(&one)) {
      coin_ *= coin->probability;
      if (coin->hub) hub_coin_ *= coin->probability;
    } else if (const auto* diurnal = std::get_if<Diurnal>(&one)) {
      laws_.emplace_back(Chain{*diurnal, values("phase", diurnal->phase, diurnal->hub, kDayPhaseOption)});
    } else if (std::holds_alternative<AvailabilityTrace>(one)) {
      check(number < sessions.size() && sessions[number] != nullptr, "an availability trace was not read");
      sessions[number]->require_agents(agents);
      laws_.emplace_back(Replay{sessions[number]});
    } else if (const auto* outages = std::get_if<Outages>(&one)) {
      const auto times = Sessions::between(*outages);
      times->require_agents(agents);
      laws_.emplace_back(Replay{times, outages->state_on_return == StateOnReturn::kReset});
    } else if (const auto* stay = std::get_if<JoinLeave>(&one)) {
      laws_.emplace_back(Stay{stay->hub, values("join", stay->join, stay->hub, kJoinOption),
                              stay->leave ? values("leave", *stay->leave, stay->hub, kLeaveOption)
                                          : std::vector<Time>(agents, kNever)});
    }
    ++number;
  }
  // Where some law has down times, the others keep their places, by which draws are numbered.
  if (std::ranges::all_of(laws_, [](const Law& law) {
        const auto* renewal = std::get_if<Renewal>(&law);
        return renewal != nullptr && renewal->never_down();
      }))
    laws_.clear();
}

void Availability::draw_from(const Streams& streams) {
  key_ = streams.key(Purpose::kAvailability);
  tick_key_ = streams.key(Purpose::kOnlineTick);
  message_key_ = streams.key(Purpose::kOnlineMessage);
}

bool Availability::applies_to(AgentId i, bool hub, std::uint32_t l) const {
  if (always()) return false;
  if (const auto* renewal = std::get_if<Renewal>(&laws_[l])) {
    if (renewal->never_down()) return false;
    if (!renewal->group.empty()) return renewal->group[i] != kNoGroup;
    return !hub || renewal->law.hub;
  }
  if (const auto* chain = std::get_if<Chain>(&laws_[l])) return !hub || chain->law.hub;
  if (const auto* stay = std::get_if<Stay>(&laws_[l])) return !hub || stay->hub;
  // A table says nothing about a hub that it does not name.
  return !hub || std::get<Replay>(laws_[l]).sessions->names(i);
}

Availability::Period Availability::first_of(const Renewal& renewal, std::uint32_t entity,
                                            std::uint32_t l) const {
  const OnOff& law = renewal.law;
  Stream s(key_, entity, l, 0);
  if (law.start == Start::kUp) return {true, law.up.sample(s)};
  // Stationary law of an alternating renewal process: the current period is size biased, and time 0 is uniform in it.
  const double mean_up = law.up.mean(), mean_down = law.down.mean();
  const bool up = bernoulli(s, mean_up / (mean_up + mean_down));
  const double position = uniform(s);
  return {up, position * (up ? law.up : law.down).sample_size_biased(s)};
}

Availability::Period Availability::first(AgentId i, std::uint32_t l) const {
  if (const auto* renewal = std::get_if<Renewal>(&laws_[l])) return first_of(*renewal, renewal->entity(i), l);
  if (const auto* chain = std::get_if<Chain>(&laws_[l])) {
    Stream s(key_, i, l, 0);
    const bool up = bernoulli(s, chain->law.probability(0, chain->phase[i]));
    return {up, end_of(*chain, i, 0, up, 0, l)};
  }
  if (const auto* replay = std::get_if<Replay>(&laws_[l])) {
    const Sessions::Begin begin = replay->sessions->begin(i);
    return {begin.up, replay->sessions->change(i, begin.change)};
  }
  const Stay& stay = std::get<Stay>(laws_[l]);
  const Time join = stay.join[i], leave = stay.leave[i];
  if (leave <= join) return {false, kNever};
  return join > 0 ? Period{false, join} : Period{true, leave};
}

Time Availability::end(AgentId i, std::uint32_t n, bool up, Time now, std::uint32_t l) const {
  if (const auto* renewal = std::get_if<Renewal>(&laws_[l])) {
    Stream s(key_, renewal->entity(i), l, n);
    return now + (up ? renewal->law.up : renewal->law.down).sample(s);
  }
  if (const auto* chain = std::get_if<Chain>(&laws_[l])) return end_of(*chain, i, n, up, now, l);
  if (const auto* replay = std::get_if<Replay>(&laws_[l]))
    return replay->sessions->change(i, replay->sessions->begin(i).change + n);
  return up ? std::get<Stay>(laws_[l]).leave[i] : kNever;
}

// With p(t) the probability of being up and 1/memory the sum of the two rates, the rate of coming up is p/memory + p'
// and that of going down (1 - p)/memory - p': then the probability is p(t) at every t, because P = p solves dP/dt =
// rate up (1 - P) - rate down P. Drawn by thinning a Poisson process of the largest rate (Lewis and Shedler,
// Simulation of nonhomogeneous Poisson processes by thinning, 1979).
Time Availability::end_of(const Chain& chain, AgentId i, std::uint32_t n, bool up, Time now,
                          std::uint32_t l) const {
  const Diurnal& law = chain.law;
  const double phase = chain.phase[i];
  const double turn = 2 * std::numbers::pi / law.period;
  const double level = up ? 1 - law.mean : law.mean, swing = up ? -law.amplitude : law.amplitude;
  const double largest = level / law.memory + law.amplitude * std::hypot(1 / law.memory, turn);
  if (largest <= 0) return kNever;
  Stream s(key_, i, l, n);
  if (n == 0) uniform(s);  // used by the state at the start
  Time at = now;
  while (true) {
    at += exponential(s, 1 / largest);
    const double angle = turn * at + 2 * std::numbers::pi * phase;
    const double rate = (level + swing * std::sin(angle)) / law.memory + swing * turn * std::cos(angle);
    if (uniform(s) * largest < rate) return at;
  }
}

bool Availability::memoryless(std::uint32_t l, bool up) const {
  if (std::holds_alternative<Chain>(laws_[l])) return true;
  const auto* renewal = std::get_if<Renewal>(&laws_[l]);
  return renewal != nullptr &&
         std::holds_alternative<Exponential>((up ? renewal->law.up : renewal->law.down).law());
}

bool Availability::never_up(std::uint32_t l) const {
  const auto* chain = std::get_if<Chain>(&laws_[l]);
  return chain != nullptr && chain->law.mean <= 0;
}

bool Availability::known(std::uint32_t l) const {
  return std::holds_alternative<Replay>(laws_[l]) || std::holds_alternative<Stay>(laws_[l]);
}

bool Availability::resets(std::uint32_t l) const {
  if (const auto* renewal = std::get_if<Renewal>(&laws_[l])) return renewal->resets;
  const auto* replay = std::get_if<Replay>(&laws_[l]);
  return replay != nullptr && replay->resets;
}

bool Availability::resets() const {
  for (std::uint32_t l = 0; l < laws(); ++l)
    if (resets(l)) return true;
  return false;
}

bool Availability::online_at_tick(AgentId i, std::uint32_t n) const {
  Stream s(tick_key_, i, 0, n);
  return bernoulli(s, coin_of(i));
}

bool Availability::online_at_message(AgentId from, AgentId to, std::uint32_t n) const {
  Stream s(message_key_, from, to, n);
  return bernoulli(s, coin_of(to));
}

}  // namespace hearsay::sim
