// An M/M/1 queue: the least that an event can cost, because at most two are pending.
#include <cstdint>

#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/benchmarks/plain_queue.hpp"
#include "sim/check.hpp"
#include "sim/events/event_queue.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

constexpr double kMeanGap = 1.25, kMeanService = 1;  // a load of 0.8

struct Served {
  std::uint64_t events = 0;
  double seconds = 0, end = 0;  // end: simulated
};

// Serves so many customers; each arrives and departs once.
template <class Queue>
Served serve(std::uint64_t customers) {
  enum : sim::AgentId { kArrival, kDeparture };
  const sim::Streams streams(1, 0);
  sim::Stream gaps = streams(sim::Purpose::kClock, kArrival);
  sim::Stream services = streams(sim::Purpose::kClock, kDeparture);
  auto queue = queue_for<Queue>(4);
  Served served;
  std::uint32_t arrived = 0, departed = 0;
  const auto arrive = [&](double now) {
    queue.push(sim::Event::tick(now + sim::exponential(gaps, kMeanGap), kArrival, arrived));
  };
  const auto serve_next = [&](double now) {
    queue.push(sim::Event::tick(now + sim::exponential(services, kMeanService), kDeparture, departed));
  };
  served.seconds = seconds_of([&] {
    arrive(0);
    while (!queue.empty()) {
      const sim::Event event = queue.pop();
      ++served.events;
      served.end = event.time;
      if (event.target == kArrival) {
        if (++arrived - departed == 1) serve_next(event.time);
        if (arrived < customers) arrive(event.time);
      } else if (++departed < arrived) {
        serve_next(event.time);
      }
    }
  });
  return served;
}

}  // namespace

std::vector<BenchmarkRow> mm1_benchmark(const BenchmarkSettings& settings, std::uint64_t) {
  const std::uint64_t customers = settings.operations.value_or(8'000'000) / 2;
  BenchmarkRow row{.unit = "events", .variant = "load 0.8"};
  double end = 0;
  const auto timing = [&](const Served& served) {
    sim::check(end == 0 || end == served.end, "two queues order the same events differently");
    end = served.end;
    return Timing{served.events, served.seconds};
  };
  measure_in_turns(
      row, settings.rounds, [&] { return timing(serve<PlainQueue>(customers)); },
      [&] { return timing(serve<sim::EventQueue>(customers)); });
  row.counts["customers"] = customers;
  return {row};
}

}  // namespace hearsay::scenarios
