#include "sim/events/event_queue.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "sim/random/random.hpp"
#include "tests/support/plain_queue.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

// Applies each operation to both queues and compares the results.
class Twins {
 public:
  void push(Time time, std::uint64_t key) {
    const Event event(time, key, next_++, EventKind::kTick);
    queue_.push(event);
    plain_.push(event);
  }
  /// With a unique key, in no order.
  void push(Time time) { push(time, next_ * 0x9E37'79B9'7F4A'7C15ull); }
  void top() { compare(queue_.top(), plain_.top()); }
  Event pop() {
    if (queue_.size() != plain_.size() || queue_.empty()) ++differences_;
    const Event expected = plain_.pop();
    compare(queue_.pop(), expected);
    return expected;
  }
  void drain() {
    while (!plain_.empty()) pop();
    if (!queue_.empty()) ++differences_;
  }
  std::size_t size() const { return plain_.size(); }
  std::size_t differences() const { return differences_; }

 private:
  void compare(const Event& a, const Event& b) {
    if (a.time != b.time || a.key != b.key || a.target != b.target) ++differences_;
  }

  EventQueue queue_;
  test::PlainQueue plain_;
  AgentId next_ = 0;
  std::size_t differences_ = 0;
};

using Gap = std::function<double(Stream&)>;
struct NamedGap {
  const char* name;
  Gap draw;
};
const NamedGap kGaps[] = {
    {"exponential", [](Stream& s) { return exponential(s); }},
    {"equal", [](Stream&) { return 1.0; }},
    {"few values", [](Stream& s) { return static_cast<double>(uniform_index(s, 4)); }},
    {"near or far", [](Stream& s) { return bernoulli(s, 0.9) ? 1e-3 * uniform(s) : 1e3 * uniform(s); }},
    {"over 300 powers of ten", [](Stream& s) { return std::pow(10, uniform(s, -150, 150)); }},
};

}  // namespace

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

TEST_CASE("event queue: the order of a plain heap with a steady number pending") {
  for (const auto& gap : kGaps) {
    for (const std::uint32_t pending : {1u, 10u, 5000u, 50'000u}) {
      INFO(gap.name << ", " << pending << " pending");
      Stream s({1, 2}, pending, 0, 0);
      Twins twins;
      for (std::uint32_t i = 0; i < pending; ++i) twins.push(gap.draw(s));
      for (std::uint32_t k = 0; k < 4 * pending + 1000; ++k) {
        const Event least = twins.pop();
        if (k % 7 == 0 && twins.size() > 0) twins.top();
        twins.push(least.time + gap.draw(s));
      }
      twins.drain();
      CHECK(twins.differences() == 0);
    }
  }
}

TEST_CASE("event queue: the order of a plain heap through bursts that cross every threshold") {
  for (const auto& gap : kGaps) {
    INFO(gap.name);
    Stream s({3, 4}, 0, 0, 0);
    Twins twins;
    Time now = 0;
    for (const std::size_t peak :
         {40u, 48u, 49u, 50u, 200u, 4095u, 4097u, 9000u, 100u, 30'000u, 1025u, 20'000u}) {
      while (twins.size() < peak) {
        twins.push(now + gap.draw(s));
        if (bernoulli(s, 0.2)) now = twins.pop().time;
        if (twins.size() > 0 && bernoulli(s, 0.1)) twins.top();
      }
      const std::size_t rest = peak / 50;
      while (twins.size() > rest) {
        now = twins.pop().time;
        if (bernoulli(s, 0.2)) twins.push(now + gap.draw(s));
      }
    }
    twins.drain();
    twins.push(now);  // an emptied queue goes on
    twins.push(now);
    twins.drain();
    CHECK(twins.differences() == 0);
  }
}

TEST_CASE("event queue: events pushed for the time that is being handled come next") {
  Twins twins;
  Stream s({5, 6}, 0, 0, 0);
  for (std::uint32_t i = 0; i < 20'000; ++i) twins.push(uniform(s, 0, 100));
  for (int k = 0; k < 100'000; ++k) {
    const Event least = twins.pop();
    twins.push(bernoulli(s, 0.5) ? least.time : least.time + uniform(s, 0, 100));
  }
  twins.drain();
  CHECK(twins.differences() == 0);
}

TEST_CASE("event queue: the ends of the range of times") {
  Twins twins;
  Stream s({7, 8}, 0, 0, 0);
  for (int i = 0; i < 5000; ++i) twins.push(0);
  for (int i = 0; i < 5000; ++i) twins.push(std::ldexp(uniform(s), -1060));  // not normalised
  for (int i = 0; i < 5000; ++i) twins.push(1e9 + std::ldexp(static_cast<double>(i % 3), -23));
  for (int i = 0; i < 5000; ++i) twins.push(std::numeric_limits<double>::max() * uniform(s, 0.5, 1));
  twins.drain();
  CHECK(twins.differences() == 0);
}

TEST_CASE("event queue: two far clusters and one farther event") {
  Twins twins;
  Stream s({9, 10}, 0, 0, 0);
  twins.push(1e200);
  for (int i = 0; i < 30'000; ++i) twins.push((i % 2 == 0 ? 0 : 1e6) + uniform(s));
  twins.drain();
  CHECK(twins.differences() == 0);
}

TEST_CASE(
    "event queue: a million events at one time leave in order of their keys, in less than quadratic time") {
  // Quadratic time would take hours, beyond the timeout of ctest.
  constexpr std::uint32_t kCount = 1'000'000, kFactor = 786'433;  // coprime: every key once
  EventQueue queue;
  for (std::uint64_t i = 0; i < kCount; ++i) queue.push({3, i * kFactor % kCount, 0, EventKind::kTick});
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) wrong += queue.pop().key != i ? 1u : 0u;
  CHECK(wrong == 0);
  CHECK(queue.empty());
}

TEST_CASE("event queue: a growing number of events at one time is handled in less than quadratic time") {
  EventQueue queue;
  Stream s({11, 12}, 0, 0, 0);
  for (std::uint64_t i = 0; i < 100'000; ++i) queue.push({uniform(s), i, 0, EventKind::kTick});
  Time last = 0;
  std::size_t wrong = 0;
  for (std::uint64_t i = 0; i < 500'000; ++i) {
    const Event least = queue.pop();
    wrong += least.time < last ? 1u : 0u;
    last = least.time;
    queue.push({std::max(1.0, last), 200'000 + i, 0, EventKind::kTick});
  }
  CHECK(wrong == 0);
  CHECK(queue.size() == 100'000);
}

TEST_CASE("event queue: capacity is a high-water mark and rises with the number pending") {
  EventQueue queue;
  const auto fill = [&queue](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) queue.push({static_cast<double>(i), i, 0, EventKind::kTick});
    const std::size_t capacity = queue.capacity();
    while (!queue.empty()) queue.pop();
    CHECK(queue.capacity() >= capacity);
    return capacity;
  };
  const std::size_t small = fill(10'000);
  CHECK(small >= 10'000);
  CHECK(fill(100'000) >= 100'000);
  CHECK(fill(10) >= 100'000);
}

TEST_CASE("event queue: an event is stored about once, however many are pending") {
  // 31 of the 32 places of a chunk are events, and 4096 lists end in chunks that are half empty: two thirds of an event
  // for each of 100,000. The places of a bin are sorted from one array to another.
  constexpr std::uint64_t kPending = 100'000;
  EventQueue queue;
  Stream s({13, 14}, 0, 0, 0);
  for (std::uint64_t i = 0; i < kPending; ++i) queue.push({exponential(s), i, 0, EventKind::kTick});
  for (std::uint64_t k = 0; k < 10 * kPending; ++k) {
    Event least = queue.pop();
    least.time += exponential(s);
    queue.push(least);
  }
  CHECK(queue.capacity() < 3 * kPending);
}

TEST_CASE("event queue: near events among far ones") {
  // A session ends hours later, a message arrives within milliseconds: in bins for the former all messages crowd.
  Twins twins;
  Stream s({15, 16}, 0, 0, 0);
  for (int i = 0; i < 20'000; ++i) twins.push(uniform(s, 0, 1e5));
  for (int i = 0; i < 3000; ++i) twins.push(uniform(s, 0, 1e-3));
  for (int k = 0; k < 100'000; ++k) {
    const Event least = twins.pop();
    twins.push(least.time + (k % 100 == 0 ? uniform(s, 0, 1e5) : uniform(s, 0, 1e-3)));
  }
  twins.drain();
  CHECK(twins.differences() == 0);
}

TEST_CASE("event queue: scales within scales, deeper than there are rungs") {
  // Of each group of events, half are a thousandth as far apart.
  Twins twins;
  Stream s({17, 18}, 0, 0, 0);
  for (double width = 1e30; width > 1e-12; width /= 1e3)
    for (int i = 0; i < 2000; ++i) twins.push(uniform(s, 0, width));
  while (twins.size() > 0) {
    const Event least = twins.pop();
    for (int i = 0; i < 3 && twins.size() < 30'000 && bernoulli(s, 0.2); ++i)
      twins.push(least.time * (1 + uniform(s)) + std::ldexp(uniform(s), -40));
  }
  CHECK(twins.differences() == 0);
}

TEST_CASE("event queue: a crowded bin is divided where its events differ, and sorted where they do not") {
  for (const double step : {0.0, 1e-9}) {
    Twins twins;
    twins.push(1e3);
    for (int i = 0; i < 30'000; ++i) twins.push(1 + step * (i % 7));
    for (int i = 0; i < 300; ++i) twins.push(static_cast<double>(i));
    twins.drain();
    CHECK(twins.differences() == 0);
  }
}

TEST_CASE("event queue: what is looked at ahead is to come, and is shown once") {
  EventQueue queue;
  Stream s({19, 20}, 0, 0, 0);
  for (std::uint64_t i = 0; i < 1000; ++i) queue.push({uniform(s), i, 0, EventKind::kTick});
  std::set<std::uint64_t> soon;
  std::size_t shown = 0, found = 0;
  while (!queue.empty()) {
    found += soon.count(queue.pop().key);
    queue.look_ahead([&](const Event& e) {
      ++shown;
      soon.insert(e.key);
    });
  }
  CHECK(shown == soon.size());
  CHECK(found == shown);
  CHECK(shown > 500);  // all but those of bins that were opened while the queue was filled
}

TEST_CASE("event queue: the nearest events, until f has seen enough") {
  EventQueue queue;
  for (std::uint32_t n = 0; n < 10'000; ++n)
    queue.push(Event::timer(1 + n / 1000.0, order_key(Rank::kTimer, 1, n), 0, 0, n));
  queue.pop();
  std::vector<double> seen;
  queue.for_nearest([&](const Event& event) {
    seen.push_back(event.time);
    return seen.size() < 100;
  });
  REQUIRE(seen.size() == 100);
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
  CHECK(seen.front() == 1.001);
  CHECK(seen.back() < 1.2);  // of 10 s
}
