// The hold model: with n events pending, take the least and put it back later by an exponential time.
#include <benchmark/benchmark.h>

#include <vector>

#include "sim/events/event_queue.hpp"
#include "sim/random/random.hpp"
#include "tests/support/plain_queue.hpp"

namespace {

using namespace hearsay::sim;

std::vector<double> gaps() {
  std::vector<double> all(1 << 16);
  Stream s({1, 2}, 0, 0, 0);
  for (auto& gap : all) gap = exponential(s);
  return all;
}

template <class Queue>
void hold(benchmark::State& state) {
  const auto pending = static_cast<std::uint32_t>(state.range(0));
  const auto gap = gaps();
  Queue queue(pending + 1);
  for (std::uint32_t i = 0; i < pending; ++i) {
    queue.push(Event::tick(gap[i % gap.size()], i, 0));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    Event e = queue.pop();
    e.time += gap[next++ & (gap.size() - 1)];
    ++e.key;
    queue.push(e);
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(hold<EventQueue>)->Arg(100)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(hold<hearsay::test::PlainQueue>)->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace

BENCHMARK_MAIN();
