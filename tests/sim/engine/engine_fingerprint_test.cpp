#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "sim/hash.hpp"
#include "tests/support/busy_run.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

TEST_CASE("fingerprint: equal runs have equal fingerprints, another seed, repetition or law has another") {
  const std::uint64_t first = Busy().run();
  CHECK(Busy().run() == first);
  Busy seed, repetition, longer, loss;
  seed.seed = 2;
  CHECK(seed.run() != first);
  repetition.repetition = 1;
  CHECK(repetition.run() != first);
  longer.time = 101;
  CHECK(longer.run() != first);
  loss.options.network.links.loss = BernoulliLoss{0.16};
  CHECK(loss.run() != first);
}

TEST_CASE("fingerprint: observations and a trace change neither the fingerprint nor the run") {
  Busy plain, observed, traced;
  const std::uint64_t first = plain.run();
  observed.options.observe_every = 0.37;
  CHECK(observed.run() == first);
  std::erase_if(observed.log, [](const std::string& line) { return line.ends_with(" observation"); });
  CHECK(observed.log == plain.log);
  CHECK(observed.events == plain.events);
  test::TraceLog trace;
  CHECK(traced.run(&trace) == first);
  CHECK(traced.log == plain.log);
  CHECK(trace.entries.size() > plain.log.size());
}

TEST_CASE("fingerprint: numbers count bit by bit, in order") {
  const double one = 1, two = 2, zero = 0, minus_zero = -0.0;
  std::set<std::uint64_t> all;
  for (const Time time : {0.0, 1.0}) {
    for (const double* number : {&one, &two, &zero, &minus_zero}) {
      Fingerprint digest;
      digest.add(time, 0, 0, 0);
      all.insert(digest.value());
      digest.add({number, 1});
      all.insert(digest.value());
    }
  }
  CHECK(all.size() == 2 * (1 + 4));
}

TEST_CASE("fingerprint: each event counts, and so does their order, however many there are") {
  // Event `twice` happens also in place of the one before it.
  const auto value_of = [](std::uint32_t events, std::uint32_t twice = 0) {
    Fingerprint digest;
    for (std::uint32_t k = 1; k <= events; ++k) digest.add(k + 1 == twice ? twice : k, 0, 0, 0);
    return digest.value();
  };
  std::set<std::uint64_t> all;
  const std::uint32_t most = 200;  // more than are hashed together
  for (std::uint32_t events = 0; events <= most; ++events) all.insert(value_of(events));
  CHECK(all.size() == most + 1);
  for (std::uint32_t twice = 2; twice <= most; ++twice) all.insert(value_of(most, twice));
  CHECK(all.size() == most + 1 + most - 1);
  Fingerprint forwards, backwards;
  for (std::uint32_t k = 0; k < most; ++k) {
    forwards.add(k, 0, 0, 0);
    backwards.add(most - 1 - k, 0, 0, 0);
  }
  CHECK(forwards.value() != backwards.value());
}

TEST_CASE("hash: known answer") {
  // Of no bytes with seed 0; from the tests of xxHash.
  CHECK(hash_of(nullptr, 0) == 0x2D06800538D394C2);
}

TEST_CASE("fingerprint: every kind of event and reading counts") {
  const auto run = [&](auto&& act, ClockTrace ticks = {{1}, {0}}, AvailabilityOptions availability = {}) {
    Engine::Options options;
    options.clocks = std::move(ticks);
    options.network.availability = std::move(availability);
    options.network.links.latency = 1.0;
    options.time_limit = 10;
    test::ScriptedEngine engine(options, test::kPair, kStreams);
    engine.on_tick = [&](AgentId) { act(engine); };
    engine.run();
    return engine.fingerprint().value();
  };
  std::vector<std::uint64_t> all{
      run([](Engine&) {}),
      run([](Engine&) {}, {{2}, {0}}),
      run([](Engine&) {}, {{1}, {1}}),
      run([](Engine&) {}, {{}, {}}),
      run([](Engine&) {}, {{1}, {0}}, OnOff{.up = 2.0, .down = 100.0}),
      run([](Engine&) {}, {{1}, {0}}, OnOff{.up = 2.0, .down = 3.0}),
      run([](Engine&) {}, {{1}, {0}}, OnOff{.up = 0.5, .down = 100.0}),
      run([](Engine& e) { e.send(0, 1, 0, 0, {}); }),
      run([](Engine& e) { e.after(0, 1, 0, 0); }),
      run([](Engine& e) { e.after(1, 1, 0, 0); }),
      run([](Engine& e) { e.latest(0, 0); }),
      run([](Engine& e) { e.latest(1, 0); }),
  };
  const std::size_t count = all.size();
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  CHECK(all.size() == count);
}

TEST_CASE("fingerprint: only the number of the publication that is read counts, not its arrival") {
  const auto run = [&](int publications, bool read) {
    Engine::Options options;
    options.clocks = ClockTrace{{1, 3}, {0, 1}};
    options.network.links.latency = 1.0;
    test::ScriptedEngine engine(options, test::kPair, kStreams);
    const double number = 1;
    engine.on_tick = [&](AgentId i) {
      for (int k = 0; i == 0 && k < publications; ++k) engine.publish(0, {&number, 1});
      if (i == 1 && read) CHECK(engine.latest(1, 0).version == static_cast<std::uint32_t>(publications));
    };
    engine.run();
    return engine.fingerprint().value();
  };
  CHECK(run(1, true) != run(2, true));
  CHECK(run(0, true) != run(1, true));
  CHECK(run(1, false) == run(2, false));
}
