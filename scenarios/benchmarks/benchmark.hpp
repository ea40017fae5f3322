#pragma once
// What a benchmark of this machine is: it measures an operation of hearsay alternately with a yardstick, so that a
// change of the processor's clock or another program's load affects both.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// Law of the increments of the hold model.
enum class IncrementLaw { kExponential, kUniform, kConstant, kBimodal, kPareto, kBursts };
constexpr auto choices_of(IncrementLaw) {
  return std::to_array<sim::Choice>({{"exponential", "mean 1"},
                                     {"uniform", "on [0, 2]"},
                                     {"constant", "1: all events are at the same times"},
                                     {"bimodal", "on [0, 0.002] or on [1.999, 2.001], equally likely"},
                                     {"pareto", "shape 1.1: rare events are far away"},
                                     {"bursts", "on [0, 1e-6], one in a hundred exponential with mean 100"}});
}

/// Numbers in a vector of gossip and p2p, by default.
inline constexpr std::uint64_t kVectorLength = 20;

/// "latency": U(0, 15 ms), of a scenario's network.
inline constexpr const char* kShortLatency =
    R"("latency": {"type": "uniform", "min": "0 ms", "max": "15 ms"})";

struct BenchmarkSettings {
  std::vector<std::uint64_t> agents{};       ///< empty: those of the benchmark
  std::optional<std::uint64_t> dimension{};  ///< p
  IncrementLaw law = IncrementLaw::kExponential;
  std::optional<std::uint64_t> operations{};  ///< of one round
  unsigned rounds = 5, threads = 1;
};

/// One part of a round.
struct Timing {
  std::uint64_t operations = 0;
  double seconds = 0;
};

/// The rounds of one size.
struct BenchmarkRow {
  std::string_view unit;  ///< what is counted, in the plural
  std::string variant;
  std::optional<std::uint64_t> agents{}, dimension{};
  std::uint64_t operations = 0, yardstick_operations = 0;  ///< of each round
  std::vector<double> seconds{}, yardstick_seconds{};      ///< by round
  std::optional<double> bytes_per_agent{};
  std::map<std::string, std::uint64_t> counts{};  ///< what else happened in a round

  /// Median over the rounds, ns per operation.
  double nanoseconds() const;
  double yardstick_nanoseconds() const;
  /// Difference between slowest and fastest round, relative to the median.
  double spread() const;
  /// Median over the rounds of the yardstick's time for one operation, divided by ours.
  double ratio() const;
};

/// A variant, on so many threads.
std::string with_threads(std::string variant, unsigned threads);
/// Takes one part of a round.
using Measure = std::function<Timing()>;

/// Fills in the rounds of a row: yardstick, ours, yardstick, ours, ... All rounds must count the same operations.
void measure_in_turns(BenchmarkRow& row, unsigned rounds, const Measure& yardstick, const Measure& ours);

/// Seconds that f takes.
template <class F>
double seconds_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Bytes by which the memory of this process grows at most while f runs, as the kernel counts pages; nothing where it
/// does not say so.
std::optional<double> memory_growth(const std::function<void()>& f);
/// The largest memory of this process so far, in bytes, whenever memory_growth() was called.
std::uint64_t peak_of_benchmarks();
/// The largest growth of several rounds, per agent. Pages are too coarse for few agents: nothing then.
class AgentMemory {
 public:
  explicit AgentMemory(std::uint64_t agents) : agents_(agents) {}
  void watch(const std::function<void()>& f);
  std::optional<double> bytes_per_agent() const;

 private:
  static constexpr std::uint64_t kFewest = 50'000;
  std::uint64_t agents_;
  std::optional<double> most_{};
};

struct Benchmark {
  std::string_view name, help, yardstick;
  std::vector<std::uint64_t> agents;                     ///< sizes by default; empty: it has no such option
  std::uint64_t fewest = 1;                              ///< agents
  bool dimension = false, law = false, threads = false;  ///< which other options it has
  /// Estimated need of memory, by agent and by number of its vector; 0: it runs scenarios, which estimate their own.
  double bytes_per_agent = 0, bytes_per_number = 0;
  std::vector<BenchmarkRow> (*run)(const BenchmarkSettings& settings, std::uint64_t agents);
};

/// All benchmarks, in the order of what they measure: from the queue to a study.
std::span<const Benchmark> benchmarks();

std::vector<BenchmarkRow> hold_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);
std::vector<BenchmarkRow> mm1_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);
std::vector<BenchmarkRow> clocks_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);
std::vector<BenchmarkRow> gossip_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);
std::vector<BenchmarkRow> central_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);
std::vector<BenchmarkRow> p2p_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);
std::vector<BenchmarkRow> messages_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);
std::vector<BenchmarkRow> mtl_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);
std::vector<BenchmarkRow> study_benchmark(const BenchmarkSettings& settings, std::uint64_t agents);

/// Rows as an aligned table.
std::string benchmark_table(std::span<const BenchmarkRow> rows, std::size_t width);
/// Machine, program and all rounds, as one JSON document. `rows`: by benchmark.
std::string benchmark_json(std::span<const Benchmark* const> benchmarks,
                           std::span<const std::vector<BenchmarkRow>> rows);

}  // namespace hearsay::scenarios
