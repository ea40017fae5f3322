// Residuals of clocks, losses and latencies whose expectation is 0.
#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/script.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::ScriptedEngine;

namespace {

constexpr AgentId kAgents = 12;
constexpr double kLoss = 0.2;

Engine::Options lossy_churn(Missed missed = Missed::kSkip) {
  Engine::Options options;
  options.clocks = Poisson{.rate = Uniform{0.5, 2}, .missed = missed};
  options.network.links = {.latency = Exponential{0.7}, .loss = BernoulliLoss{kLoss}};
  options.network.availability = OnOff{.up = Exponential{6}, .down = Uniform{0.5, 3}};
  options.network.compute_time = 0.1;
  options.time_limit = 20;
  options.payload_width = 1;
  return options;
}

const Topology kGraph = make_topology(RandomRegular{4}, kAgents, Streams(1, 0));

enum class Stop { kTime, kTicks, kMessages };

struct Residuals {
  double ticks, losses, latency;
};

// Sends on every tick, and while agents compute.
Residuals residuals(const Engine::Options& options, std::uint32_t repetition, Stop stop,
                    test::TraceLog* trace = nullptr, Time* end = nullptr) {
  ScriptedEngine engine(options, kGraph, Streams(3, repetition), trace);
  engine.logging = false;
  int ticks = 0, messages = 0;
  engine.on_tick = [&](AgentId i) {
    const double number = engine.now();
    if (i % 3 == 0) engine.compute(i);
    engine.send(i, kGraph.neighbours(i)[engine.events() % 4], 1, 0, {&number, 1});
    if (i % 2 == 0) engine.publish(i, {&number, 1});
    engine.done = engine.done || (stop == Stop::kTicks && ++ticks == 60);
  };
  engine.on_message = [&](const Message&) {
    engine.done = engine.done || (stop == Stop::kMessages && ++messages == 30);
  };
  engine.run();
  if (end != nullptr) *end = engine.now();
  return {engine.tick_residual(), engine.loss_residual(), engine.latency_residual()};
}

}  // namespace

TEST_CASE(
    "residuals: ticks less rate times time, and losses less probability times messages sent, by the trace") {
  for (const Stop stop : {Stop::kTime, Stop::kTicks, Stop::kMessages}) {
    for (const Missed missed : {Missed::kSkip, Missed::kDefer}) {
      const Engine::Options options = lossy_churn(missed);
      test::TraceLog trace;
      Time end = 0;
      const Residuals found = residuals(options, 5, stop, &trace, &end);
      const Clocks clocks(options.clocks, kAgents, Streams(3, 5));
      double expected = 0;  // points of the processes until the end, drawn one by one
      for (AgentId i = 0; i < kAgents; ++i) {
        expected -= clocks.rate(i) * end;
        std::uint32_t n = 0;
        for (Time at = clocks.tick(i, 0, 0); at <= end; at = clocks.tick(i, ++n, at)) ++expected;
      }
      CHECK(found.ticks == Approx(expected).margin(1e-9));
      double sent = 0, lost = 0;
      for (const auto& [r, detail] : trace.entries) {
        sent += r.kind == TraceKind::kSend || r.kind == TraceKind::kPublish ? 1 : 0;
        sent -= r.kind == TraceKind::kLose && detail == "sender_down" ? 1 : 0;
        lost += r.kind == TraceKind::kLose && detail == "loss" ? 1 : 0;
      }
      CHECK(lost > 0);
      CHECK(found.losses == Approx(lost - kLoss * sent).margin(1e-9));
    }
  }
}

TEST_CASE("residuals: latencies less their means are those of the messages that arrive") {
  Engine::Options options;
  options.network.links.latency = Exponential{0.7};
  options.time_limit = 1000;
  options.payload_width = 1;
  ScriptedEngine engine(options, kGraph, Streams(4, 0));
  double expected = 0;
  int sent = 0, arrived = 0;
  engine.on_tick = [&](AgentId i) {
    const double number = 1;
    if (engine.now() > 20) return;
    ++sent;
    engine.send(i, kGraph.neighbours(i)[engine.events() % 4], 1, 0, {&number, 1});
  };
  engine.on_message = [&](const Message& message) {
    ++arrived;
    expected += engine.now() - message.sent - 0.7;
  };
  engine.run();
  CHECK(arrived == sent);
  CHECK(sent > 100);
  CHECK(std::abs(engine.latency_residual() - expected) < 1e-9);
  engine.draw_from(Streams(5, 0));  // what those that are past were drawn from is forgotten
  CHECK(std::isnan(engine.latency_residual()));
}

TEST_CASE("residuals: of links and agents with one latency, one deviation for each link") {
  for (const Drawn drawn : {Drawn::kPerLink, Drawn::kPerAgent}) {
    Engine::Options options = lossy_churn();
    options.network.links.latency = LatencyOptions(Uniform{0, 2}, drawn);
    const Latency law(options.network.links.latency, kGraph, kNoAgent, Streams(3, 2), nullptr);
    double expected = 0;
    for (AgentId i = 0; i < kAgents; ++i)
      for (std::uint32_t k = 0; k < 4; ++k)
        expected += law.of(i, kGraph.neighbours(i)[k], kGraph.first_edge(i) + k, 7) - 1;
    CHECK(residuals(options, 2, Stop::kTicks).latency == Approx(expected).margin(1e-12));
  }
}

TEST_CASE("residuals: their means are 0 whatever stopping time ends a run") {
  // Each of nine means fails with probability 7e-6 at 4.5 standard errors.
  for (const Stop stop : {Stop::kTime, Stop::kTicks, Stop::kMessages}) {
    const Engine::Options options = lossy_churn(stop == Stop::kTicks ? Missed::kDefer : Missed::kSkip);
    test::Mean ticks, losses, latency;
    for (std::uint32_t r = 0; r < 600; ++r) {
      const Residuals found = residuals(options, r, stop);
      ticks.add(found.ticks);
      losses.add(found.losses);
      latency.add(found.latency);
    }
    CHECK(std::abs(ticks.mean()) < 4.5 * ticks.standard_error());
    CHECK(std::abs(losses.mean()) < 4.5 * losses.standard_error());
    CHECK(std::abs(latency.mean()) < 4.5 * latency.standard_error());
    CHECK(ticks.standard_error() > 0);
    CHECK(losses.standard_error() > 0);
    CHECK(latency.standard_error() > 0);
  }
}

TEST_CASE("residuals: there are none of other clocks, of other losses and of latencies without a mean") {
  Engine::Options options = lossy_churn();
  options.clocks = Periodic{};
  options.network.links = {.latency = Pareto{.min = 0.1, .alpha = 1}, .loss = GilbertElliott{}};
  const Residuals none = residuals(options, 0, Stop::kTime);
  CHECK(std::isnan(none.ticks));
  CHECK(std::isnan(none.losses));
  CHECK(std::isnan(none.latency));
  options = lossy_churn();
  LawChanges changes;
  changes.loss = LossOptions(BernoulliLoss{0.5});
  changes.latency = LatencyOptions(Exponential{1.0});
  options.timeline.entries.push_back({.at = 3, .text = "more loss", .changes = changes});
  const Residuals changed = residuals(options, 0, Stop::kTime);
  CHECK(std::isfinite(changed.ticks));
  CHECK(std::isnan(changed.losses));
  CHECK(std::isnan(changed.latency));
}
