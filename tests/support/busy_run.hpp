#pragma once
// A run for tests of the engine as a whole.
#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/script.hpp"

namespace hearsay::test {

/// A run with requests, replies (some discarded), publications, timers, churn and loss.
struct Busy {
  sim::Engine::Options options;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  sim::Time time = 100;
  std::vector<std::string> log;
  sim::Traffic traffic;
  std::uint64_t events = 0;

  Busy() {
    options.network.links = {.latency = sim::Exponential{0.7}, .loss = sim::BernoulliLoss{0.15}};
    options.network.availability =
        sim::OnOff{.up = sim::Exponential{6}, .down = sim::Uniform{0.5, 3}, .start = sim::Start::kStationary};
  }

  std::uint64_t run(sim::TraceSink* trace = nullptr) {
    const sim::Streams streams(seed, repetition);
    const sim::Topology graph = make_topology(sim::RandomRegular{4}, 20, sim::Streams(1, 0));
    options.time_limit = time;
    ScriptedEngine engine(options, graph, streams, trace);
    engine.on_tick = [&](sim::AgentId i) {
      const double number = engine.now();
      engine.send(i, graph.neighbours(i)[engine.events() % 4], 1, 0, {&number, 1});
      engine.latest(i, 2);
      if (i % 3 == 0) engine.publish(i, {&number, 1});
      if (i % 5 == 0) engine.after(i, 1, 3, 0);
    };
    engine.on_message = [&](const sim::Message& m) {
      if (m.tag == 1) engine.send(m.to, m.from, 2, 0, {});
      if (m.tag == 2 && m.to % 4 == 0) engine.discard(m);
    };
    engine.on_down = [&](sim::AgentId i) { engine.send(i, graph.neighbours(i)[0], 2, 0, {}); };
    const sim::End end = engine.run();
    CHECK(end == sim::End::kTime);
    log = engine.log;
    traffic = engine.traffic();
    events = engine.events();
    return engine.fingerprint().value();
  }
};

}  // namespace hearsay::test
