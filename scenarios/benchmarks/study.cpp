// Studies as `hearsay run -j N` makes them, with their results in a temporary folder: how the rate grows with threads.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "analysis/store/store.hpp"
#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/execution/execute.hpp"
#include "scenarios/study/plan.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hearsay-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The results of a study made with so many threads.
struct Made {
  std::uint64_t runs = 0, iterations = 0, fingerprint = 0;
  double seconds = 0, wall = 0;  // of the study without its data; of its runs together
};

Made make_study(const Plan& plan, unsigned threads) {
  const TemporaryFolder folder;
  Made made;
  Execution execution(plan, {.threads = threads, .finished = [&](const analysis::RunResult& run) {
                               sim::check(run.status == analysis::Status::kDone,
                                          "a run of a benchmark was not completed");
                               ++made.runs;
                               made.iterations += run.iterations;
                               made.fingerprint += run.fingerprint;
                               made.wall += run.wall;
                             }});
  execution.assemble();
  analysis::Store store(folder.path());
  made.seconds = seconds_of([&] {
    execution.run(store);
    store.close();
  });
  return made;
}

// Adds the rows of a study for 2, 4, ... threads. `timing` says what counts of it.
template <class F>
void add_rows(std::vector<BenchmarkRow>& rows, const BenchmarkSettings& settings, const BenchmarkRow& known,
              const std::string& scenario, F&& timing) {
  const Plan plan = make_plan_of_text(scenario, "benchmark");
  std::optional<std::uint64_t> fingerprint;
  const auto measure = [&](unsigned threads) {
    const Made made = make_study(plan, threads);
    sim::check(fingerprint.value_or(made.fingerprint) == made.fingerprint, "threads change the results");
    fingerprint = made.fingerprint;
    return timing(made);
  };
  for (unsigned threads = std::min(2u, settings.threads);;
       threads = std::min(2 * threads, settings.threads)) {
    BenchmarkRow row = known;
    row.variant = with_threads(row.variant, threads);
    row.counts["threads"] = threads;
    measure_in_turns(
        row, settings.rounds, [&] { return measure(1); }, [&] { return measure(threads); });
    rows.push_back(row);
    if (threads == settings.threads) return;
  }
}

}  // namespace

std::vector<BenchmarkRow> study_benchmark(const BenchmarkSettings& settings, std::uint64_t) {
  std::vector<BenchmarkRow> rows;
  const auto study = [&](const Made& made) { return Timing{made.runs, made.seconds}; };
  const auto run = [&](const Made& made) { return Timing{made.iterations, made.wall}; };
  add_rows(rows, settings, {.unit = "runs", .variant = "runs of 1900 iterations"},
           fmt::format(
               R"({{"data": {{"type": "lending_like", "owners": 3, "records": 1000, "features": 10}},
"model": {{"loss": "squared", "l2": 1e-5, "theta_max": 10}},
"network": {{"topology": "star", {}}},
"protocol": {{"type": "central_async", "rho": 1}},
"privacy": {{"mechanism": "laplace", "epsilon": 1, "gradient_bound": 50}},
"record": {{"every": {{"iterations": 200}}, "metrics": ["relative_fitness", "objective", "messages"]}},
"stop": {{"iterations": 1900}}, "repeat": {}}})",
               kShortLatency, settings.operations.value_or(1000)),
           study);
  // A repetition of scenarios/quickstart.json, with more records.
  add_rows(rows, settings,
           {.unit = "iterations", .variant = "one run, squared loss, 250000 records each", .dimension = 10},
           fmt::format(
               R"({{"data": {{"type": "lending_like", "owners": 3, "records": 250000, "features": 10}},
"model": {{"loss": "squared", "l2": 1e-5, "theta_max": 10}},
"network": {{"topology": "star", {}}},
"protocol": {{"type": "central_async", "rho": 0.1, "budget_for": "expected_share"}},
"privacy": {{"mechanism": "laplace", "epsilon": 1, "accountant": "basic", "clip": 20}},
"record": {{"every": {{"iterations": 10}}, "metrics": ["relative_fitness", "epsilon_spent", "messages"]}},
"stop": {{"iterations": {}}}}})",
               kShortLatency, settings.operations.value_or(300)),
           run);
  add_rows(rows, settings,
           {.unit = "iterations", .variant = "one run, logistic loss, 30000 records each", .dimension = 31},
           fmt::format(
               R"({{"data": {{"type": "fraud_like", "owners": 3, "records": 30000, "features": 30}},
"model": {{"loss": "logistic", "l2": 1e-5, "theta_max": 10}},
"network": {{"topology": "star", {}}},
"protocol": {{"type": "central_async", "rho": 0.1}},
"privacy": {{"mechanism": "laplace", "epsilon": 1, "clip": 1}},
"record": {{"every": {{"iterations": 100}}, "metrics": ["messages"]}},
"stop": {{"iterations": {}}}}})",
               kShortLatency, settings.operations.value_or(500)),
           run);
  return rows;
}

}  // namespace hearsay::scenarios
