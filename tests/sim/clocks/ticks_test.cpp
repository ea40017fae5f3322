#include "sim/clocks/ticks.hpp"

#include <catch2/catch.hpp>

#include <queue>
#include <vector>

#include "sim/check.hpp"
#include "tests/support/busy_run.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kStreams;

namespace {

// The first `count` ticks, by a priority queue of the next one of each agent.
std::vector<Tick> sorted_ticks(const Clocks& clocks, AgentId first, AgentId agents, std::size_t count) {
  const auto later = [](const Tick& a, const Tick& b) { return before(b, a); };
  std::priority_queue<Tick, std::vector<Tick>, decltype(later)> next(later);
  const auto draw = [&](AgentId i, std::uint32_t n, Time previous) {
    const Time time = clocks.tick(i, n, previous);
    if (time != kNever) next.push({time, i, n});
  };
  for (AgentId i = first; i < agents; ++i) draw(i, 0, 0);
  std::vector<Tick> all;
  while (all.size() < count && !next.empty()) {
    const Tick tick = next.top();
    next.pop();
    all.push_back(tick);
    draw(tick.agent, tick.n + 1, tick.time);
  }
  return all;
}

void check_ticks(const ClockOptions& options, AgentId agents, std::size_t count, AgentId first = 0) {
  const Clocks clocks(options, agents, kStreams, first);
  Ticks ticks(clocks, first, agents, kNever);
  std::size_t differences = 0;
  const std::vector<Tick> expected = sorted_ticks(clocks, first, agents, count);
  for (const Tick& tick : expected) {
    const Tick found = ticks.top();
    differences += found.time != tick.time || found.agent != tick.agent || found.n != tick.n ? 1u : 0u;
    ticks.pop();
  }
  CHECK(differences == 0);
  if (expected.size() < count) CHECK(ticks.top().time == kNever);
}

}  // namespace

TEST_CASE("ticks: those of all clocks in order of time and agent, as if sorted") {
  for (const AgentId agents : {1u, 2u, 100u, 3000u}) {
    INFO(agents << " agents");
    check_ticks(Poisson{}, agents, 2000);
    check_ticks(Poisson{.rate = Uniform{0.1, 3}}, agents, 2000);
    check_ticks(Poisson{.rate = Lognormal{1e-3, 5}}, agents, 2000);  // rates of 1e-12 to 1e5
    check_ticks(Periodic{}, agents, 2000);                           // all at one time
    check_ticks(Periodic{.phase = Uniform{0, 1}, .jitter = Uniform{0, 0.5}}, agents, 2000);
    check_ticks(Periodic{.period = Uniform{0.01, 100}, .phase = Uniform{0, 1000}}, agents, 2000);
    check_ticks(Periodic{.phase = 1e12}, agents, 2000);
  }
  check_ticks(Poisson{}, 50, 5000, 1);
}

TEST_CASE("ticks: a trace's end, and then none come") {
  check_ticks(ClockTrace{{0, 0, 0.5, 0.5, 1e6, 1e6}, {2, 0, 1, 1, 0, 2}}, 4, 100);
  check_ticks(ClockTrace{{0, 0}, {1, 0}}, 2, 100);  // no time passes
  check_ticks(ClockTrace{{}, {}}, 3, 100);
  check_ticks(Poisson{}, 1, 100, 1);  // a hub alone has no clock
}

TEST_CASE("ticks: none is drawn after the last time, and one later than it is known") {
  // The first bin has room for 256 ticks: those at 0, 1, ..., 10, and one later one of each agent, are drawn.
  const Clocks clocks(Periodic{}, 3, kStreams);
  Ticks ticks(clocks, 0, 3, 10);
  ticks.top();
  CHECK(ticks.ahead(3 * 12 - 1) != nullptr);
  CHECK(ticks.ahead(3 * 12) == nullptr);
  std::size_t until = 0;
  for (; ticks.top().time <= 10; ++until) ticks.pop();
  CHECK(until == 3 * 11);
  CHECK(ticks.top().time == 11);
}

TEST_CASE("ticks: those ahead are the ones that come") {
  const Clocks clocks(Poisson{}, 500, kStreams);
  Ticks ticks(clocks, 0, 500, kNever);
  std::size_t known = 0, differences = 0;
  std::vector<Tick> seen;
  std::vector<std::pair<std::size_t, Tick>> promised;
  for (std::size_t k = 0; k < 5000; ++k) {
    seen.push_back(ticks.top());
    if (const Tick* later = ticks.ahead(7)) promised.push_back({k + 7, *later}), ++known;
    ticks.pop();
  }
  for (const auto& [k, tick] : promised)
    if (k < seen.size()) differences += seen[k].time != tick.time || seen[k].agent != tick.agent ? 1u : 0u;
  CHECK(differences == 0);
  CHECK(known > 4000);
}

TEST_CASE("ticks: an agent that has used up its numbers ends the run") {
  const Clocks clocks(Poisson{}, 1, kStreams);
  std::vector<Tick> last{{1, 0, 0xFFFF'FFFE}};
  CHECK_THROWS_AS(clocks.advance(last), LimitError);
}
