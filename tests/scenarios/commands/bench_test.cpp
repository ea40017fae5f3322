// Benchmarks: what they count follows from their definitions, whatever the machine. Nothing here depends on time.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/benchmarks/hold.hpp"
#include "sim/check.hpp"
#include "sim/events/event_queue.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using scenarios::BenchmarkRow;
using scenarios::Hold;
using scenarios::IncrementLaw;
using scenarios::Timing;
using test::shell;

namespace {

// The rows of one benchmark in two rounds, whose numbers are checked to be positive and finite.
nlohmann::json benchmark_rows(const std::string& arguments) {
  const auto outcome = shell("hearsay bench " + arguments + " --rounds 2 --json");
  INFO(arguments << ": " << outcome.err);
  REQUIRE(outcome.code == 0);
  const nlohmann::json document = nlohmann::json::parse(outcome.out);
  CHECK(document["machine"]["processor"].get<std::string>() != "");
  CHECK(document["machine"]["cores"].get<int>() > 0);
  CHECK(document["machine"]["memory_bytes"].get<double>() > 0);
  CHECK_THAT(document["hearsay"]["flags"].get<std::string>(), Contains("-O"));
  CHECK(document["peak_memory_bytes"].get<double>() > 0);
  REQUIRE(document["benchmarks"].size() == 1);
  nlohmann::json rows = document["benchmarks"][0]["rows"];
  REQUIRE_FALSE(rows.empty());
  for (const nlohmann::json& row : rows) {
    std::vector<nlohmann::json> numbers{row["per_second"], row["nanoseconds"], row["ratio"],
                                        row["yardstick"]["nanoseconds"], row["yardstick"]["operations"]};
    for (const nlohmann::json& seconds : {row["seconds"], row["yardstick"]["seconds"]}) {
      CHECK(seconds.size() == 2);
      numbers.insert(numbers.end(), seconds.begin(), seconds.end());
    }
    for (const nlohmann::json& number : numbers) {
      REQUIRE(number.is_number());
      CHECK(number.get<double>() > 0);
      CHECK(std::isfinite(number.get<double>()));
    }
    const double one = row["seconds"][0], two = row["seconds"][1];  // their median is the mean
    CHECK(row["spread"].get<double>() == Approx(2 * std::abs(one - two) / (one + two)));
  }
  return rows;
}

std::vector<std::uint64_t> operations_of(const nlohmann::json& rows) {
  std::vector<std::uint64_t> all;
  for (const nlohmann::json& row : rows) all.push_back(row["operations"].get<std::uint64_t>());
  return all;
}

using Operations = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("bench: statistics of rounds worked by hand") {
  BenchmarkRow row{
      .operations = 2, .yardstick_operations = 4, .seconds = {1, 4, 2}, .yardstick_seconds = {4, 4, 6}};
  CHECK(row.nanoseconds() == 1e9);            // 2 s for 2 operations
  CHECK(row.yardstick_nanoseconds() == 1e9);  // 4 s for 4
  CHECK(row.spread() == 1.5);                 // (4 - 1)/2
  CHECK(row.ratio() == 1.5);  // per operation: (4/4)/(1/2) = 2, (4/4)/(4/2) = 0.5, (6/4)/(2/2) = 1.5
}

TEST_CASE("bench: yardstick and hearsay take turns, and count the same in all rounds") {
  std::string turns;
  BenchmarkRow row;
  measure_in_turns(
      row, 3,
      [&] {
        return turns += 'y', Timing{5, 1};
      },
      [&] {
        return turns += 'o', Timing{7, 2};
      });
  CHECK(turns == "yoyoyo");
  CHECK(row.operations == 7);
  CHECK(row.yardstick_operations == 5);
  CHECK(row.seconds == std::vector<double>{2, 2, 2});
  std::uint64_t count = 0;
  BenchmarkRow changing;
  CHECK_THROWS_AS(measure_in_turns(
                      changing, 2,
                      [] {
                        return Timing{1, 1};
                      },
                      [&] {
                        return Timing{++count, 1};
                      }),
                  sim::InvariantError);
}

TEST_CASE("bench: three holds of two events one second apart, by hand") {
  // Both are due at 1 s. Agent 0 is put back at 2 s, agent 1 at 2 s, agent 0 at 3 s: agent 1 is next.
  const auto check = [](auto hold) {
    CHECK(hold.run(3).operations == 3);
    const sim::Event next = hold.top();
    CHECK(next.time == 2);
    CHECK(next.target == 1);
    CHECK(sim::sequence_of(next.key) == 1);
  };
  check(Hold<scenarios::PlainQueue>(2, IncrementLaw::kConstant));
  check(Hold<sim::EventQueue>(2, IncrementLaw::kConstant));
}

TEST_CASE("bench: increments have the means of their laws") {
  constexpr std::size_t kCount = 200'000;
  const auto mean = [](IncrementLaw law) {
    const std::vector<double> all = scenarios::increments(law, kCount, 0);
    return std::accumulate(all.begin(), all.end(), 0.0) / kCount;
  };
  // Standard deviations of the means, from the variances of the laws; 6 of them.
  CHECK(mean(IncrementLaw::kExponential) == Approx(1).margin(6 / std::sqrt(kCount)));
  CHECK(mean(IncrementLaw::kUniform) == Approx(1).margin(6 * std::sqrt(1 / 3.0 / kCount)));
  CHECK(mean(IncrementLaw::kConstant) == 1);
  CHECK(mean(IncrementLaw::kBimodal) == Approx(1.0005).margin(6 * 2 / 2 / std::sqrt(kCount)));
  // 0.01 exponentials of mean 100 and second moment 2e4, and 0.99 that count for nothing.
  CHECK(mean(IncrementLaw::kBursts) == Approx(1).margin(6 * std::sqrt(199.0 / kCount)));
  const std::vector<double> pareto = scenarios::increments(IncrementLaw::kPareto, kCount, 0);
  CHECK(*std::min_element(pareto.begin(), pareto.end()) >= 0.1);
  // P(X > 1) = 0.1^1.1.
  const double share = std::pow(0.1, 1.1);
  CHECK(static_cast<double>(std::ranges::count_if(pareto, [](double x) { return x > 1; })) / kCount ==
        Approx(share).margin(6 * std::sqrt(share / kCount)));
}

TEST_CASE("bench: growth of memory is that of what is touched") {
  constexpr std::size_t kBytes = 64 << 20;
  std::vector<char> kept;
  const auto growth = scenarios::memory_growth([&] { kept.assign(kBytes, 1); });
  REQUIRE(growth);
  CHECK(*growth > 0.95 * kBytes);
#ifndef HEARSAY_SANITIZED  // which keeps several bytes for each
  CHECK(*growth < 1.5 * kBytes);
#endif
  const auto none = scenarios::memory_growth([] {});
  REQUIRE(none);
  CHECK(*none < 0.1 * kBytes);
}

TEST_CASE("bench: every law of the hold model makes the operations that are asked for") {
  for (const auto& law : sim::kChoices<IncrementLaw>) {
    const nlohmann::json rows =
        benchmark_rows("hold --agents 60 --operations 1000 --law " + std::string(law.name));
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["agents"] == 60);
    CHECK(rows[0]["variant"] == law.name);
    CHECK(operations_of(rows) == Operations{1000});
    CHECK(rows[0]["yardstick"]["operations"] == 1000);
  }
}

TEST_CASE("bench: customers of an M/M/1 queue arrive and depart") {
  const nlohmann::json rows = benchmark_rows("mm1 --operations 1000");
  CHECK(operations_of(rows) == Operations{1000});
  CHECK(rows[0]["counts"]["customers"] == 500);
}

TEST_CASE("bench: clocks tick as often as is asked for") {
  const nlohmann::json rows = benchmark_rows("clocks --agents 20 --operations 1000");
  CHECK(operations_of(rows) == Operations{1000});
  CHECK(rows[0]["bytes_per_agent"].is_null());  // pages are too coarse
}

TEST_CASE("bench: gossip delivers ten messages a tick except those in flight, lazily and by events") {
  const nlohmann::json rows = benchmark_rows("gossip --agents 12 --dim 3 --operations 100 -j 2");
  REQUIRE(rows.size() == 3);
  for (const nlohmann::json& row : rows) {
    const auto& counts = row["counts"];
    CHECK(counts["ticks"] == 100);
    CHECK(counts["messages"] == 1000);
    // Those of the last tick are on their way.
    CHECK(counts["in_flight"].get<int>() >= 10);
    CHECK(row["operations"].get<int>() == 1000 - counts["in_flight"].get<int>());
    CHECK(row["yardstick"]["operations"] == row["operations"]);
    CHECK(row["dimension"] == 3);
  }
  CHECK(rows[0]["operations"] == rows[1]["operations"]);
  CHECK(rows[0]["operations"] == rows[2]["operations"]);
}

TEST_CASE("bench: protocols make the iterations that are asked for") {
  CHECK(operations_of(benchmark_rows("central --dim 2 --operations 300")) == Operations{300, 300});
  CHECK(operations_of(benchmark_rows("p2p --agents 60 --dim 2 --operations 300")) == Operations{300});
  CHECK(operations_of(benchmark_rows("messages --agents 60 --dim 2 --operations 300 -j 2")) ==
        Operations{300, 300});
  CHECK(operations_of(benchmark_rows("mtl --agents 4 --dim 5 --operations 300")) ==
        Operations{300, 300, 300});
}

TEST_CASE("bench: a crowd's memory is measured") {
  const nlohmann::json rows = benchmark_rows("p2p --agents 50000 --dim 2 --operations 1000 -j 2");
  CHECK(operations_of(rows) == Operations{1000, 1000});
  CHECK(rows[0]["bytes_per_agent"].get<double>() > 2 * sizeof(double));  // at least its model
}

TEST_CASE("bench: a study's runs on one thread and on two") {
  const nlohmann::json rows = benchmark_rows("study --operations 2 -j 2");
  CHECK(operations_of(rows) == Operations{2, 2, 2});
  for (const nlohmann::json& row : rows) CHECK(row["counts"]["threads"] == 2);
}

TEST_CASE("bench: the table names the benchmark, its yardstick and the machine") {
  const auto outcome = shell("hearsay bench hold --agents 10 --operations 100 --rounds 1");
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out,
             Contains("hold: ") && Contains("yardstick: ") && Contains("holds/s") && Contains("-O"));
}

TEST_CASE("bench: options that do not fit are refused in one line") {
  const test::Scratch dir;
  const std::string scenario = dir.write("s.json", test::small_scenario());
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {"hold --dim 3", "--dim: the benchmark hold has no such option"},
           {"clocks --law uniform", "--law: the benchmark clocks has no such option"},
           {"mm1 --agents 5", "--agents: the benchmark mm1 has no such option"},
           {"clocks -j 2", "--jobs: the benchmark clocks has no such option"},
           {"all --agents 100", "--agents: the benchmark mm1 has no such option"},
           {"gossip --agents 11", "--agents: expected a whole number from 12 to 100000000, found '11'"},
           {"hold --agents 0", "--agents: expected a whole number from 1 to 100000000, found '0'"},
           {"hold --agents many", "found 'many'"},
           {"hold --operations 0", "--operations: "},
           {"hold --rounds 0", "--rounds: expected a whole number from 1 to 1000, found '0'"},
           {"central --dim 1", "--dim: expected a whole number from 2 to 100000, found '1'"},
           {"hold --law square", "--law: "},
           {"hold --seconds 2", "--seconds: only bench [SCENARIO] has this option"},
           {"hold --allow-code .", "--allow-code: only bench [SCENARIO] has this option"},
           {"hold --set seed=2", "--set: only bench [SCENARIO] has this option"},
           {"hold clocks", "unexpected argument 'clocks'"},
           {"--json --agents 3", "--agents: the benchmark mm1 has no such option"},  // --json alone: of all
           {scenario + " --agents 3", "--agents: only the benchmarks hold, mm1, ... have this option"},
           {"holt", "holt"}}) {
    const auto outcome = test::ended_with(dir, "bench " + arguments, 2);
    CHECK_THAT(outcome.err, Contains(message));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.out.empty());
  }
}

#ifndef HEARSAY_SANITIZED  // a sanitizer maps more
TEST_CASE("bench: a size that does not fit into memory is refused before it is made") {
  for (const char* name : {"hold", "clocks", "gossip"}) {
    const auto outcome =
        shell("ulimit -v 2000000; hearsay bench " + std::string(name) + " --agents 100000000 --json");
    INFO(outcome.err);
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, Contains("expected a size that needs at most 2") && Contains("found 100000000"));
  }
}
#endif
