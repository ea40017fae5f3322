#include "sim/events/event.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace hearsay::sim;

TEST_CASE("event: a key holds rank, source and sequence, up to their maxima") {
  const std::uint64_t key = order_key(Rank::kTimer, 0x0ABC'DEF1, 0x8765'4321);
  CHECK(key == 0x3ABC'DEF1'8765'4321);
  CHECK(rank_of(key) == Rank::kTimer);
  CHECK(source_of(key) == 0x0ABC'DEF1);
  CHECK(sequence_of(key) == 0x8765'4321);
  const std::uint64_t last = order_key(Rank::kObservation, kMaxAgents - 1, 0xFFFF'FFFF);
  CHECK(rank_of(last) == Rank::kObservation);
  CHECK(source_of(last) == kMaxAgents - 1);
  CHECK(sequence_of(last) == 0xFFFF'FFFF);
}

TEST_CASE("event: keys order by rank, then source, then sequence") {
  const Rank ranks[] = {Rank::kDown,  Rank::kUp,   Rank::kMessage,
                        Rank::kTimer, Rank::kTick, Rank::kObservation};
  for (std::size_t r = 0; r + 1 < std::size(ranks); ++r)
    CHECK(order_key(ranks[r], kMaxAgents - 1, 0xFFFF'FFFF) < order_key(ranks[r + 1], 0, 0));
  CHECK(order_key(Rank::kTick, 3, 0xFFFF'FFFF) < order_key(Rank::kTick, 4, 0));
  CHECK(order_key(Rank::kTick, 3, 7) < order_key(Rank::kTick, 3, 8));
}

TEST_CASE("event: events order by time, then by key") {
  const auto event = [](Time time, std::uint64_t key) { return Event(time, key, 0, EventKind::kTick); };
  const double times[] = {0.0,           5e-324, 1e-300, 1.0,
                          1.0 + 2.3e-16, 2.0,    1e300,  std::numeric_limits<double>::infinity()};
  for (std::size_t k = 0; k + 1 < std::size(times); ++k) {
    CHECK(before(event(times[k], ~0ull), event(times[k + 1], 0)));
    CHECK_FALSE(before(event(times[k + 1], 0), event(times[k], ~0ull)));
    CHECK(before(event(times[k], 4), event(times[k], 5)));
    CHECK_FALSE(before(event(times[k], 5), event(times[k], 5)));
  }
}
