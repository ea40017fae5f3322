// Limits of a run: counters never wrap, and times stay finer than the clocks.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/engine/transport.hpp"
#include "sim/network/network.hpp"
#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using Catch::Matchers::Contains;
using namespace hearsay::test;

TEST_CASE("limits: the number after the largest is refused, not 0") {
  constexpr std::uint32_t kLast = 0xFFFF'FFFE;  // 0xFFFFFFFF stands for "none"
  CHECK(next_number(0, "ticks") == 1);
  CHECK(next_number(kLast - 1, "ticks") == kLast);
  CHECK(next_number(kLast, "ticks", 0) == kLast);
  CHECK(next_number(kLast - 4, "ticks", 4) == kLast);
  CHECK_THROWS_AS(next_number(kLast, "ticks"), LimitError);
  CHECK_THROWS_AS(next_number(kLast - 4, "ticks", 5), LimitError);
  CHECK_THROWS_AS(next_number(std::uint64_t{kLast} + 1, "ticks", 0), LimitError);
  CHECK_THROWS_WITH(next_number(kLast, "ticks"), Contains("at most 4294967294 ticks"));
}

TEST_CASE("limits: an agent's messages are counted up to the largest number, and none is counted beyond") {
  const Topology topology = make_topology(Ring{}, 2, kStreams);
  Transport transport({}, 3, topology, kStreams, kNoAgent, {});
  constexpr std::uint32_t kHalf = 1u << 31;
  CHECK(transport.count(1, 3, kHalf) == order_key(Rank::kMessage, 1, 0));
  CHECK_THROWS_AS(transport.count(1, 3, kHalf), LimitError);
  CHECK(transport.traffic().messages == kHalf);
  CHECK(transport.count(1, 3, kHalf - 2) == order_key(Rank::kMessage, 1, kHalf));
  CHECK_THROWS_AS(transport.count(1, 3), LimitError);
  CHECK(transport.count(0, 3) == order_key(Rank::kMessage, 0, 0));  // each agent has its own counter
}

TEST_CASE("limits: a network of more agents than an event's key can name is refused") {
  CHECK_THROWS_WITH(Topology::from_edges(1u << 28, {}),
                    Contains("at most 268435455 agents, found 268435456"));
}

TEST_CASE("limits: a run fails at times that do not resolve the gaps of its clocks") {
  // A period of 1 ns: times are exact to a thousandth of it while t 2^-52 is below 1e-12 s, up to 4503.6 s.
  const double last = 1e-12 / std::ldexp(1, -52);
  CHECK(last == Approx(4503.6).epsilon(1e-5));
  for (const bool beyond : {false, true}) {
    CAPTURE(beyond);
    Engine::Options options;
    options.clocks = Periodic{.period = 1e-9, .phase = beyond ? last * 1.001 : last * 0.999};
    options.event_limit = 10;
    test::ScriptedEngine engine(options, kPair, kStreams);
    if (beyond) {
      CHECK_THROWS_AS(engine.run(), LimitError);
      CHECK(engine.log.empty());
    } else {
      CHECK(engine.run() == End::kEvents);
      CHECK(engine.log.size() == 10);
    }
    // With a time limit before that, the run ends there.
    options.time_limit = 4000;
    test::ScriptedEngine limited(options, kPair, kStreams);
    CHECK(limited.run() == End::kTime);
    CHECK(limited.now() == 4000);
  }
}
