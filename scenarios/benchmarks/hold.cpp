#include "scenarios/benchmarks/hold.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "sim/check.hpp"
#include "sim/events/event_queue.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

double increment(IncrementLaw law, sim::Stream& s) {
  switch (law) {
    case IncrementLaw::kExponential:
      return sim::exponential(s);
    case IncrementLaw::kUniform:
      return sim::uniform(s, 0, 2);
    case IncrementLaw::kConstant:
      return 1;
    case IncrementLaw::kBimodal:
      return sim::bernoulli(s, 0.5) ? sim::uniform(s, 0, 0.002) : sim::uniform(s, 1.999, 2.001);
    case IncrementLaw::kPareto:
      return 0.1 * std::pow(1 - sim::uniform(s), -1 / 1.1);
    case IncrementLaw::kBursts:
      return sim::bernoulli(s, 0.01) ? sim::exponential(s, 100) : sim::uniform(s, 0, 1e-6);
  }
  return 0;
}

}  // namespace

std::vector<double> increments(IncrementLaw law, std::size_t count, std::uint32_t stream) {
  sim::Stream s = sim::Streams(1, 0)(sim::Purpose::kClock, stream);
  std::vector<double> all(count);
  for (double& one : all) one = increment(law, s);
  return all;
}

Measure plain_hold(std::uint64_t pending) {
  const auto hold = std::make_shared<Hold<PlainQueue>>(pending, IncrementLaw::kExponential);
  hold->run(pending);
  return [hold] { return hold->run(1'000'000); };
}

std::vector<BenchmarkRow> hold_benchmark(const BenchmarkSettings& settings, std::uint64_t agents) {
  // As many operations as events, so that every event is taken once in a round on average.
  const std::uint64_t operations = settings.operations.value_or(std::max<std::uint64_t>(3'000'000, agents));
  Hold<PlainQueue> yardstick(agents, settings.law);
  Hold<sim::EventQueue> ours(agents, settings.law);
  // Until the times have the distribution that they keep.
  yardstick.run(agents);
  ours.run(agents);
  BenchmarkRow row{.unit = "holds", .variant = std::string(sim::name_of(settings.law)), .agents = agents};
  measure_in_turns(
      row, settings.rounds, [&] { return yardstick.run(operations); }, [&] { return ours.run(operations); });
  const sim::Event a = yardstick.top(), b = ours.top();
  sim::check(a.time == b.time && a.key == b.key, "two queues order the same events differently");
  return {row};
}

}  // namespace hearsay::scenarios
