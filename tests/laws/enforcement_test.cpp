// Under all laws: an agent that is down or busy does nothing, and one that is down receives nothing. Checked from the
// traces of runs with all features.
#include <catch2/catch.hpp>

#include <map>

#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

struct Setting {
  std::string name;
  AvailabilityOptions availability;
  LossOptions loss = BernoulliLoss{0.1};
  ComputeOptions compute = 0.0;
  BandwidthOptions bandwidth = UnlimitedBandwidth{};
  InFlight in_flight = InFlight::kLost;
  Missed missed = Missed::kSkip;
};

std::vector<Setting> settings() {
  const OnOff on_off{.up = Exponential{4}, .down = Uniform{0.5, 3}, .start = Start::kStationary, .hub = true};
  const Crash crash{.up = Exponential{4},
                    .down = Exponential{2},
                    .start = Start::kUp,
                    .state_on_return = StateOnReturn::kReset,
                    .hub = true};
  const GroupFailures group{.groups = {{"a", {0, 1, 2}}, {"b", {5, 7}}},
                            .up = Exponential{3},
                            .down = Exponential{2},
                            .start = Start::kUp};
  const Diurnal diurnal{
      .mean = 0.6, .amplitude = 0.3, .period = 20, .phase = Uniform{0, 1}, .memory = 1, .hub = true};
  const JoinLeave join{.join = Uniform{0, 20}, .leave = PerAgent(Uniform{80, 150}), .hub = true};
  const ComputeOptions compute = Exponential{0.3};
  const BandwidthOptions slow = UpDownBandwidth{.uplink = 2000.0, .downlink = Uniform{500, 2000}};
  const LossOptions bursts =
      AnyLoss{{GilbertElliott{}, PartitionLoss{.agents = {1, 4}, .share = 0, .from = 5, .to = 9.0}}};
  return {
      {.name = "on_off", .availability = on_off},
      {.name = "on_off, computing, slow links",
       .availability = on_off,
       .loss = bursts,
       .compute = compute,
       .bandwidth = slow},
      {.name = "on_off, held, deferred",
       .availability = on_off,
       .loss = bursts,
       .compute = compute,
       .bandwidth = slow,
       .in_flight = InFlight::kHeld,
       .missed = Missed::kDefer},
      {.name = "crash", .availability = crash},
      {.name = "crash, held, computing",
       .availability = crash,
       .compute = compute,
       .bandwidth = slow,
       .in_flight = InFlight::kHeld,
       .missed = Missed::kDefer},
      {.name = "group", .availability = group, .compute = compute},
      {.name = "diurnal", .availability = diurnal, .bandwidth = slow},
      {.name = "join_leave", .availability = join, .in_flight = InFlight::kHeld},
      {.name = "coin", .availability = Coin{.probability = 0.6, .hub = true}, .compute = compute},
      {.name = "all",
       .availability = AllOf{{on_off, crash, group, diurnal, join, Coin{.probability = 0.9, .hub = true}}},
       .compute = compute,
       .missed = Missed::kDefer},
  };
}

}  // namespace

TEST_CASE(
    "enforcement: no agent acts while down or busy, no message reaches one that is down, and every message "
    "is "
    "accounted for") {
  for (const Setting& setting : settings()) {
    INFO(setting.name);
    const Streams streams(91, 0);
    const Topology graph = make_topology(RandomRegular{4}, 20, streams);
    Engine::Options options;
    Poisson clock{2.0};
    clock.missed = setting.missed;
    options.clocks = clock;
    options.time_limit = 120;
    options.payload_width = 1;
    options.network.links.latency = Exponential{0.5};
    options.network.links.loss = setting.loss;
    options.network.links.bandwidth = setting.bandwidth;
    options.network.compute_time = setting.compute;
    options.network.availability = setting.availability;
    options.network.in_flight = setting.in_flight;
    test::TraceLog trace;
    test::ScriptedEngine engine(options, graph, streams, &trace);
    engine.logging = false;
    std::uint64_t wrong = 0, acted = 0;
    const auto acts = [&](AgentId i) {
      ++acted;
      wrong += engine.up(i) && !engine.busy(i) ? 0u : 1u;
    };
    const double number = 1;
    engine.on_tick = [&](AgentId i) {
      acts(i);
      engine.compute(i);
      engine.send(i, graph.neighbours(i)[engine.events() % 4], 1, 0, {&number, 1});
      if (i % 3 == 0) engine.publish(i, {&number, 1});
      engine.after(i, 0.7, 3, 0);
    };
    engine.on_message = [&](const Message& m) {
      acts(m.to);
      if (m.tag == 1) engine.compute(m.to);
      if (m.tag == 1) engine.send(m.to, m.from, 2, 0, {});
    };
    engine.on_timer = [&](AgentId i, std::uint16_t, std::uint32_t) { acts(i); };
    engine.on_up = [&](AgentId i) { wrong += engine.up(i) ? 0u : 1u; };
    engine.on_down = [&](AgentId i) { wrong += engine.up(i) ? 1u : 0u; };
    engine.run();
    CHECK(wrong == 0);
    CHECK(acted > 300);

    // The same from the trace alone, which contains publications too.
    std::vector<bool> down(20);
    std::map<Cause, int> fate;
    std::uint64_t sent = 0, delivered = 0, lost = 0, early = 0;
    Time last = 0;
    for (const auto& [r, detail] : trace.entries) {
      early += r.time < last ? 1u : 0u;
      last = r.time;
      const bool is_down = r.agent < 20 && down[r.agent];
      switch (r.kind) {
        case TraceKind::kUp:
        case TraceKind::kDown:
          CHECK(is_down == (r.kind == TraceKind::kUp));
          down[r.agent] = r.kind == TraceKind::kDown;
          break;
        case TraceKind::kSend:
        case TraceKind::kPublish:
          ++sent;
          ++fate[r.message];
          break;
        case TraceKind::kDeliver:
          ++delivered;
          wrong += is_down || fate[r.message] != 1 ? 1u : 0u;
          ++fate[r.message];
          break;
        case TraceKind::kLose:
          ++lost;
          wrong += fate[r.message] != 1 ? 1u : 0u;
          wrong += detail == "loss" || detail == "partition" || detail == "receiver_down" ||
                           detail == "sender_down"
                       ? 0u
                       : 1u;
          if (detail == "sender_down") wrong += down[r.peer] ? 0u : 1u;
          ++fate[r.message];
          break;
        case TraceKind::kTick:
        case TraceKind::kTimer:
          wrong += is_down ? 1u : 0u;
          break;
        case TraceKind::kStart:
        case TraceKind::kSkip:
        case TraceKind::kRelease:
        case TraceKind::kCompute:
        case TraceKind::kComputed:
        case TraceKind::kReset:
        case TraceKind::kEvent:
        case TraceKind::kView:
        case TraceKind::kHostile:
          break;
      }
    }
    CHECK(wrong == 0);
    CHECK(early == 0);
    std::uint64_t counted = 0;
    for (const std::uint64_t n : engine.traffic().lost) counted += n;
    CHECK(sent == engine.traffic().messages);
    CHECK(delivered == engine.traffic().delivered);
    CHECK(lost == counted);
    CHECK(delivered > 100);
    CHECK(lost > 50);
  }
}
