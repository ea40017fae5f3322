#include "scenarios/benchmarks/benchmark.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "analysis/tables/summary.hpp"
#include "scenarios/execution/memory.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

double median_of(std::vector<double> numbers) {
  return analysis::quantile(std::move(numbers), 0.5);
}

void add_round(const Timing& timing, std::uint64_t& operations, std::vector<double>& seconds) {
  sim::check(seconds.empty() || operations == timing.operations, "rounds of a benchmark differ");
  operations = timing.operations;
  seconds.push_back(timing.seconds);
}

// Largest resident memory since it was last reset, in bytes.
std::optional<double> resident_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

double BenchmarkRow::nanoseconds() const {
  return median_of(seconds) / static_cast<double>(operations) * 1e9;
}
double BenchmarkRow::yardstick_nanoseconds() const {
  return median_of(yardstick_seconds) / static_cast<double>(yardstick_operations) * 1e9;
}
double BenchmarkRow::spread() const {
  const auto [smallest, largest] = std::minmax_element(seconds.begin(), seconds.end());
  return (*largest - *smallest) / median_of(seconds);
}
double BenchmarkRow::ratio() const {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < seconds.size(); ++r) ratios.push_back(yardstick_seconds[r] / seconds[r]);
  return median_of(ratios) * static_cast<double>(operations) / static_cast<double>(yardstick_operations);
}

std::string with_threads(std::string variant, unsigned threads) {
  return threads > 1 ? fmt::format("{}, -j {}", variant, threads) : variant;
}

void measure_in_turns(BenchmarkRow& row, unsigned rounds, const Measure& yardstick, const Measure& ours) {
  for (unsigned r = 0; r < rounds; ++r) {
    add_round(yardstick(), row.yardstick_operations, row.yardstick_seconds);
    add_round(ours(), row.operations, row.seconds);
  }
}

std::uint64_t peak_of_benchmarks() {
  static std::uint64_t peak = 0;
  return peak = std::max(peak, peak_memory());
}

std::optional<double> memory_growth(const std::function<void()>& f) {
  ::malloc_trim(0);      // pages that were freed before would be used again unseen
  peak_of_benchmarks();  // the peak of the process is forgotten
  std::ofstream reset("/proc/self/clear_refs");
  reset << "5" << std::flush;
  const auto before = static_cast<double>(memory_in_use());
  f();
  const std::optional<double> peak = resident_peak();
  if (!reset || !peak) return std::nullopt;
  return std::max(0.0, *peak - before);
}

void AgentMemory::watch(const std::function<void()>& f) {
  const std::optional<double> growth = memory_growth(f);
  if (growth) most_ = std::max(most_.value_or(0), *growth);
}

std::optional<double> AgentMemory::bytes_per_agent() const {
  if (!most_ || agents_ < kFewest) return std::nullopt;
  return *most_ / static_cast<double>(agents_);
}

std::span<const Benchmark> benchmarks() {
  static const std::vector<Benchmark> kAll{
      {.name = "hold",
       .help = "the hold model: take the earliest of N pending events and put it back later",
       .yardstick = "the same on std::priority_queue",
       .agents = {1000, 10'000, 100'000, 1'000'000, 10'000'000},
       .law = true,
       .bytes_per_agent = 150,
       .run = hold_benchmark},
      {.name = "mm1",
       .help =
           "arrivals and departures of an M/M/1 queue as events, at most two of them pending; draws included",
       .yardstick = "the same on std::priority_queue",
       .agents = {},
       .run = mm1_benchmark},
      {.name = "clocks",
       .help = "N agents that tick on Poisson clocks and do nothing, in the engine's loop",
       .yardstick = "the same ticks on std::priority_queue",
       .agents = {1000, 100'000, 1'000'000, 10'000'000},
       .bytes_per_agent = 150,
       .run = clocks_benchmark},
      {.name = "gossip",
       .help = "N agents on a random regular graph of degree 10, latency U(0, 15 ms): an agent that ticks "
               "averages its vector with the newest of its neighbours and publishes it",
       .yardstick = "the same ticks and deliveries on std::priority_queue, without the vectors",
       .agents = {1000, 10'000, 100'000, 1'000'000},
       .fewest = 12,
       .dimension = true,
       .threads = true,
       .bytes_per_agent = 500,
       .bytes_per_number = 24,
       .run = gossip_benchmark},
      {.name = "central",
       .help = "central_async with N owners, squared loss, Laplace noise, latency U(0, 15 ms)",
       .yardstick = "the hold model with N pending events on std::priority_queue",
       .agents = {3},
       .fewest = 2,
       .dimension = true,
       .run = central_benchmark},
      {.name = "p2p",
       .help = "p2p_coordinate_descent of N agents, logistic loss, Laplace noise, latency U(0, 15 ms)",
       .yardstick = "the hold model with N pending events on std::priority_queue",
       .agents = {100, 100'000, 1'000'000},
       .fewest = 50,
       .dimension = true,
       .threads = true,
       .run = p2p_benchmark},
      {.name = "messages",
       .help = "gossip_learning of N agents, logistic loss, latency U(1, 16 ms): a message a tick, which its "
               "receiver merges and trains from",
       .yardstick = "the hold model with N pending events on std::priority_queue",
       .agents = {100'000},
       .fewest = 50,
       .dimension = true,
       .threads = true,
       .run = messages_benchmark},
      {.name = "mtl",
       .help = "async_mtl with N tasks, logistic loss, with noise (P has full rank), without, and at rank 3",
       .yardstick = "Eigen's eigendecomposition of a symmetric 20 x 20 matrix",
       .agents = {20},
       .fewest = 3,
       .dimension = true,
       .run = mtl_benchmark},
      {.name = "study",
       .help =
           "studies with results on disk, on several threads: many short runs, and one run with large data",
       .yardstick = "the same on one thread",
       .agents = {},
       .threads = true,
       .run = study_benchmark},
  };
  return kAll;
}

}  // namespace hearsay::scenarios
