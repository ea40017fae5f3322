#include "models/protocols/peer_to_peer/tick_forecast.hpp"

#include <functional>
#include <queue>

namespace hearsay::models {

namespace {

struct NextTick {
  sim::Time time;
  sim::AgentId agent;
  std::uint32_t number;

  // The engine's order: ticks at the same time run in the order of their agents.
  bool operator>(const NextTick& other) const {
    return time != other.time ? time > other.time : agent > other.agent;
  }
};

// Calls tick(agent) for every tick of the network in order, until it answers false.
template <class F>
void for_ticks(const sim::Clocks& clocks, sim::AgentId agents, F&& tick) {
  std::priority_queue<NextTick, std::vector<NextTick>, std::greater<>> pending;
  for (sim::AgentId i = 0; i < agents; ++i) pending.push({clocks.tick(i, 0, 0), i, 0});
  while (!pending.empty()) {
    const NextTick next = pending.top();
    pending.pop();
    if (!(next.time < sim::kNever)) return;
    pending.push({clocks.tick(next.agent, next.number + 1, next.time), next.agent, next.number + 1});
    if (!tick(next.agent)) return;
  }
}

}  // namespace

std::vector<std::vector<double>> forecast_ticks(const sim::Clocks& clocks,
                                                std::span<const std::uint64_t> wanted) {
  std::vector<std::vector<double>> ticks(wanted.size());
  std::size_t open = 0;
  for (const std::uint64_t w : wanted) open += w > 0 ? 1 : 0;
  double count = 0;
  for_ticks(clocks, static_cast<sim::AgentId>(wanted.size()), [&](sim::AgentId i) {
    if (ticks[i].size() < wanted[i]) {
      ticks[i].push_back(count);
      if (ticks[i].size() == wanted[i]) --open;
    }
    ++count;
    return open > 0;
  });
  return ticks;
}

std::vector<std::vector<double>> forecast_ticks(const sim::Clocks& clocks, sim::AgentId agents,
                                                std::uint64_t total) {
  std::vector<std::vector<double>> ticks(agents);
  std::uint64_t count = 0;
  for_ticks(clocks, agents, [&](sim::AgentId i) {
    ticks[i].push_back(static_cast<double>(count));
    return ++count < total;
  });
  return ticks;
}

}  // namespace hearsay::models
