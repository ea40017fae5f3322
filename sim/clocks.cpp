#include "sim/clocks.hpp"

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

Clocks::Clocks(const ClockOptions& options, AgentId agents, const Streams& streams) : key_(streams.key(Purpose::kClock)) {
  const Distribution& rate = std::get<Poisson>(options).rate;
  rate_ = rate.mean();
  if (rate.constant()) return;
  rates_.resize(agents);
  for (AgentId i = 0; i < agents; ++i) {
    Stream s = streams(Purpose::kPerAgent, i, 0, kRateOption);
    rates_[i] = rate.sample(s);
  }
}

Time Clocks::gap(AgentId i, std::uint32_t n) const {
  Stream s(key_, i, 0, n);
  return exponential(s, 1 / rate(i));
}

}  // namespace hearsay::sim
