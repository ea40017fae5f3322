// Draws that two different runs share: ticks, up and down times, and for the n-th message on an edge its latency and
// whether the link loses it.
#include <catch2/catch.hpp>

#include <map>
#include <optional>

#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

struct MessageFate {
  bool lost = false;
  std::optional<Time> sent, arrived;
};

struct Draws {
  std::map<AgentId, std::vector<Time>> ticks;
  std::map<AgentId, std::vector<std::pair<Time, bool>>> states;
  std::map<std::pair<AgentId, AgentId>, std::vector<MessageFate>> messages;
};

Draws draws_of(const test::TraceLog& trace) {
  Draws draws;
  std::map<Cause, MessageFate*> fates;
  std::map<Cause, std::pair<AgentId, AgentId>> edge;
  std::map<Cause, std::size_t> place;
  for (const auto& [r, detail] : trace.entries) {
    if (r.kind == TraceKind::kTick || r.kind == TraceKind::kSkip) draws.ticks[r.agent].push_back(r.time);
    if (r.kind == TraceKind::kUp || r.kind == TraceKind::kDown)
      draws.states[r.agent].emplace_back(r.time, r.kind == TraceKind::kUp);
    if (r.kind == TraceKind::kSend || r.kind == TraceKind::kPublish) {
      edge[r.message] = {r.agent, r.peer};
      auto& all = draws.messages[edge[r.message]];
      place[r.message] = all.size();
      all.push_back({.lost = false, .sent = r.time, .arrived = {}});
    }
    if (r.kind != TraceKind::kDeliver && r.kind != TraceKind::kLose) continue;
    auto& all = draws.messages[edge[r.message]];
    if (detail == "sender_down") {
      all.pop_back();  // it was never on the link
    } else if (detail == "loss") {
      all[place[r.message]].lost = true;
    } else {
      all[place[r.message]].arrived = r.time;
    }
  }
  return draws;
}

struct Compared {
  std::size_t wrong = 0, ticks = 0, states = 0, latencies = 0, losses = 0;
};

// Compares the draws that both runs have; with another loss the fate of a message may differ.
Compared compare(const Draws& a, const Draws& b, bool same_loss = true) {
  Compared c;
  const auto common = [&c](const auto& x, const auto& y, std::size_t& compared) {
    const std::size_t n = std::min(x.size(), y.size());
    for (std::size_t k = 0; k < n; ++k) c.wrong += x[k] == y[k] ? 0u : 1u;
    compared += n;
  };
  for (const auto& [agent, ticks] : a.ticks) {
    if (b.ticks.count(agent) != 0) common(ticks, b.ticks.at(agent), c.ticks);
  }
  for (const auto& [agent, states] : a.states) {
    if (b.states.count(agent) != 0) common(states, b.states.at(agent), c.states);
  }
  for (const auto& [edge, mine] : a.messages) {
    const auto other = b.messages.find(edge);
    if (other == b.messages.end()) continue;
    for (std::size_t n = 0; n < std::min(mine.size(), other->second.size()); ++n) {
      const MessageFate &x = mine[n], &y = other->second[n];
      if (same_loss) c.wrong += x.lost == y.lost ? 0u : 1u;
      c.losses += x.lost ? 1u : 0u;
      if (!x.arrived || !y.arrived) continue;
      ++c.latencies;
      // Bit by bit where both were sent at one time; else up to the rounding of arrival = sent + latency.
      c.wrong += *x.sent == *y.sent ? (*x.arrived == *y.arrived ? 0u : 1u)
                 : std::abs((*x.arrived - *x.sent) - (*y.arrived - *y.sent)) < 1e-12 ? 0u
                                                                                     : 1u;
    }
  }
  return c;
}

struct Setting {
  AgentId agents = 8;
  double loss = 0.15;
  Time observe_every = kNever;
  bool other_protocol = false;
  bool hub = true;
  std::uint64_t seed = 3;
  bool rich = false;  // laws that keep a state or draw once per agent or link
};

Draws run(const Setting& setting) {
  const Streams streams(setting.seed, 0);
  const Topology star = make_topology(Star{}, setting.agents, streams);
  Engine::Options options;
  options.hub = setting.hub;
  options.clocks = Poisson{Uniform{0.5, 2}};
  options.network.links = {.latency = Lognormal{0.3, 1}, .loss = BernoulliLoss{setting.loss}};
  options.network.availability =
      OnOff{.up = Exponential{9}, .down = Gamma{2, 2}, .start = Start::kStationary};
  if (setting.rich) {
    options.clocks = Periodic{.period = Uniform{0.5, 1}, .phase = Uniform{0, 1}, .jitter = Uniform{0, 0.4}};
    options.network.links.latency =
        LatencyOptions(Mixture{{{1, Lognormal{0.3, 1}}, {1, Uniform{0, 1}}}}, Drawn::kPerLink);
    options.network.links.loss = AnyLoss{
        {BernoulliLoss{setting.loss / 2}, GilbertElliott{.p_good_to_bad = 0.05, .p_bad_to_good = 0.4}}};
    options.network.availability =
        AllOf{{OnOff{.up = Exponential{9}, .down = Gamma{2, 2}, .start = Start::kStationary},
               JoinLeave{.join = Uniform{0, 20}, .leave = PerAgent(Uniform{40, 80})},
               Diurnal{.mean = 0.7, .amplitude = 0.2, .period = 30, .phase = Uniform{0, 1}, .memory = 4}}};
  }
  options.observe_every = setting.observe_every;
  options.time_limit = 60;
  test::TraceLog trace;
  test::ScriptedEngine engine(options, star, streams, &trace);
  const double number = 1;
  if (setting.other_protocol) {
    engine.on_tick = [&](AgentId i) {
      engine.after(i, 0.1, 0, 0);
      engine.publish(0, {&number, 1});
    };
    engine.on_timer = [&](AgentId i, std::uint16_t, std::uint32_t) { engine.send(i, 0, 9, 0, {}); };
  } else {
    engine.on_tick = [&](AgentId i) { engine.send(i, 0, 1, 0, {}); };
    engine.on_message = [&](const Message& m) {
      if (m.to == 0) engine.send(0, m.from, 2, 0, {&number, 1});
    };
  }
  engine.run();
  return draws_of(trace);
}

void check_shared(Setting other, bool same_loss = true) {
  for (const bool rich : {false, true}) {
    Setting base;
    base.rich = other.rich = rich;
    const Compared c = compare(run(base), run(other), same_loss);
    CHECK(c.wrong == 0);
    CHECK(c.ticks > 200);
    CHECK(c.states > 40);
    CHECK(c.latencies > (rich ? 50 : 200));
    CHECK(c.losses > (rich ? 5 : 20));
  }
}

}  // namespace

TEST_CASE("common random numbers: adding an agent changes no draw of the others") {
  check_shared({.agents = 9});
  check_shared({.agents = 50});
}

TEST_CASE("common random numbers: observations change no draw") {
  check_shared({.observe_every = 0.1});
}

TEST_CASE("common random numbers: another loss changes no tick, state or latency") {
  check_shared({.loss = 0.5}, false);
  check_shared({.loss = 0}, false);
}

TEST_CASE("common random numbers: another protocol changes no draw") {
  check_shared({.other_protocol = true});
}

TEST_CASE("common random numbers: another seed changes nearly all draws") {
  const Compared c = compare(run({}), run({.seed = 4}));
  CHECK(c.wrong > (c.ticks + c.states + c.latencies) * 9 / 10);
}
