#include "sim/clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/random.hpp"

namespace hearsay::sim {

namespace {
constexpr std::uint32_t kRateOption = 0;  // index of (kPerAgent, agent)
}

void Poisson::describe(Visitor& v) {
  v(rate, {.name = "rate",
           .help = "Mean number of ticks per second of an agent; a law is drawn once per agent.",
           .unit = "1/s",
           .min = 0,
           .open_min = true});
}

void ClockTrace::describe(Visitor& v) {
  v(times,
    {.name = "times", .help = "Times of the ticks, never falling.", .unit = "s", .min = 0, .required = true});
  v(agents, {.name = "agents", .help = "Who ticks at each of them.", .required = true});
  v.check(times.size() == agents.size(), "agents",
          fmt::format("must name one agent for each of the {} times, got {}", times.size(), agents.size()));
  v.check(std::is_sorted(times.begin(), times.end()), "times", "must never fall");
}

Clocks::Clocks(const ClockOptions& options, AgentId agents, const Streams& streams)
    : key_(streams.key(Purpose::kClock)) {
  if (const auto* trace = std::get_if<ClockTrace>(&options)) {
    trace_ = true;
    rate_ = 0;
    ticks_.resize(agents);
    for (std::size_t k = 0; k < trace->times.size(); ++k) {
      if (trace->agents[k] >= agents) {
        throw std::invalid_argument(fmt::format("the clock trace names agent {}, there are agents 0 to {}",
                                                trace->agents[k], agents - 1));
      }
      ticks_[trace->agents[k]].push_back(trace->times[k] + 0.0);  // events order by bits, where -0 comes last
    }
    return;
  }
  const Distribution& rate = std::get<Poisson>(options).rate;
  rate_ = rate.mean();
  if (rate.constant()) return;
  rates_.resize(agents);
  for (AgentId i = 0; i < agents; ++i) {
    Stream s = streams(Purpose::kPerAgent, i, 0, kRateOption);
    rates_[i] = rate.sample(s);
  }
}

Time Clocks::tick(AgentId i, std::uint32_t n, Time previous) const {
  if (trace_) return n < ticks_[i].size() ? ticks_[i][n] : kNever;
  Stream s(key_, i, 0, n);
  return previous + exponential(s, 1 / rate(i));
}

}  // namespace hearsay::sim
