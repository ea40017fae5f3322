// Splitting of runs: agents that are down at once against the exact Markov chain.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "tests/support/process.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

constexpr int kAgents = 10, kDown = 5;
constexpr double kUpMean = 20, kDownMean = 1, kStep = 0.1, kEnd = 20;

std::string scenario(const std::string& splitting, int repeat) {
  return fmt::format(R"({{
  "data": {{"type": "lending_like", "owners": {}, "records": 5}},
  "network": {{"topology": "ring", "availability": {{"type": "on_off", "start": "up",
    "up": {{"type": "exponential", "mean": {}}}, "down": {{"type": "exponential", "mean": {}}}}}}},
  "clocks": {{"type": "poisson", "rate": 0.01}}, "protocol": {{"type": "gossip_learning", "step": 0.05}},
  "privacy": {{"mechanism": "none"}}, "stop": {{"time": {}}},
  "record": {{"every": {{"time": {}}}, "metrics": ["fraction_up"]}}, "repeat": {} {} }})",
                     kAgents, kUpMean, kDownMean, kEnd, kStep, repeat, splitting);
}

// P(at least kDown agents are down at one of the times kStep, 2 kStep, ..., kEnd): the number of agents that are down is a
// birth and death chain.
double exact() {
  using Matrix = Eigen::Matrix<double, kAgents + 1, kAgents + 1>;
  Matrix rates = Matrix::Zero();
  for (int k = 0; k <= kAgents; ++k) {
    if (k < kAgents) rates(k, k + 1) = (kAgents - k) / kUpMean;
    if (k > 0) rates(k, k - 1) = k / kDownMean;
    rates(k, k) = -rates.row(k).sum();
  }
  Matrix power = Matrix::Identity(), step = power;
  for (int n = 1; n < 40; ++n) step += power = power * rates * kStep / n;
  Eigen::RowVector<double, kAgents + 1> law = Eigen::RowVector<double, kAgents + 1>::Unit(0);
  double reached = 0;
  for (int n = 0; n < std::lround(kEnd / kStep); ++n) {
    law = law * step;
    reached += law.tail(kAgents + 1 - kDown).sum();
    law.tail(kAgents + 1 - kDown).setZero();
  }
  return reached;
}

constexpr const char* kLevels =
    R"(, "splitting": {"level": "fraction_up", "towards": "below", "levels": [0.8, 0.7, 0.6, 0.5], "effort": 400})";

struct Rare {
  double probability, low, high;
};
Rare rare_of(const std::string& folder) {
  const auto row = test::rows_of(folder + "/rare_events.csv").at(1);  // after the header
  return {std::stod(row.at(0)), std::stod(row.at(1)), std::stod(row.at(2))};
}

}  // namespace

// The interval is Student's of 30 repetitions at 0.999: half as wide again is 5 standard errors and more, failure
// probability below 1e-4.
TEST_CASE("splitting: k of n agents down at once, as of the exact chain") {
  const test::Scratch dir;
  dir.write("s.json", scenario(kLevels + std::string(R"(, "analysis": {"confidence": 0.999})"), 30));
  REQUIRE(shell(dir, "$program run s.json -o out -j 2 --no-progress").code == 0);
  const Rare rare = rare_of(dir / "out");
  const double p = exact();
  CHECK((p > 1e-4 && p < 1e-2));
  CHECK(std::abs(rare.probability - p) < 1.5 * (rare.high - rare.probability));
  CHECK(rare.high - rare.probability < p);
}

TEST_CASE("splitting: the same on any number of threads, and runs are what they are without it") {
  const test::Scratch dir;
  dir.write("s.json", scenario(kLevels, 2));
  dir.write("plain.json", scenario("", 2));
  for (const std::string threads : {"1", "2"})
    REQUIRE(shell(dir, "$program run s.json -o out" + threads + " --no-progress -j " + threads).code == 0);
  REQUIRE(shell(dir, "$program run plain.json -o plain --no-progress").code == 0);
  CHECK(text_of(dir / "out1/scalars.csv").find("splitting.share.4") != std::string::npos);
  CHECK(text_of(dir / "out1/scalars.csv") == text_of(dir / "out2/scalars.csv"));
  check_same_files(dir / "out1", dir / "plain", {"series.csv", "runs.csv"});
  // Other scalars: the runs are made again, and have the same fingerprints.
  const auto again = shell(dir, "$program run s.json -o plain --no-progress");
  CHECK(again.code == 0);
  CHECK(text_of(dir / "plain/scalars.csv") == text_of(dir / "out1/scalars.csv"));
}

TEST_CASE("splitting: levels that are chosen, and the interval of one repetition") {
  const test::Scratch dir;
  dir.write("s.json", scenario(R"(, "splitting": {"level": "fraction_up", "towards": "below", "effort": 500,
    "levels": {"type": "auto", "last": 0.5}})",
                               1));
  const auto outcome = shell(dir, "$program run s.json -o out --no-progress");
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.find("rare event: probability ") != std::string::npos);
  const Rare rare = rare_of(dir / "out");
  CHECK((0 < rare.low && rare.low < rare.probability && rare.probability < rare.high));
  // Three times the interval, on the logarithmic scale, is 5.9 deviations of independent stages.
  CHECK(std::abs(std::log(rare.probability / exact())) < 3 * std::log(rare.high / rare.probability));
}

// Where no run reaches the last level, each is 0 and the bound is that of 1 - 0.025^(1/2) for an effort of 2.
TEST_CASE(
    "splitting: the interval over repetitions is a bound where nothing is reached, and of probabilities") {
  const test::Scratch dir;
  const std::string levels = R"(, "splitting": {"level": "fraction_up", "towards": "below", "levels": [LEVEL],
    "effort": 2})";
  const auto rare = [&](const std::string& level) {
    dir.write("s.json", scenario(std::string(levels).replace(levels.find("LEVEL"), 5, level), 3));
    REQUIRE(shell(dir, "$program run s.json --no-progress -o out" + level).code == 0);
    return rare_of(dir / "out" + level);
  };
  const Rare none = rare("-1");
  CHECK(none.probability == 0);
  CHECK(none.low == 0);
  CHECK(none.high == Approx(1 - std::sqrt(0.025)).epsilon(1e-9));
  const Rare most = rare("0.85");
  CHECK(most.probability < 1);
  CHECK(most.high == 1);
}

TEST_CASE("splitting: another confidence has another interval in a folder with results") {
  const test::Scratch dir;
  dir.write("s.json", scenario(kLevels, 1));
  for (const std::string confidence : {"0.95", "0.5"})
    REQUIRE(
        shell(dir, "$program run s.json -o out --no-progress --set analysis.confidence=" + confidence).code ==
        0);
  const Rare narrow = rare_of(dir / "out");
  REQUIRE(shell(dir, "$program run s.json -o other --no-progress --set analysis.confidence=0.5").code == 0);
  CHECK(text_of(dir / "out/rare_events.csv") == text_of(dir / "other/rare_events.csv"));
  CHECK(narrow.high < 1);
}

TEST_CASE("splitting: sweeps of its options and metrics of undisturbed runs are refused") {
  const test::Scratch dir;
  dir.write("s.json", scenario(kLevels, 1));
  const auto refusal = [&dir](const std::string& arguments) {
    const std::string message = test::refusal(dir, "validate s.json " + arguments);
    return message.substr(message.find(": /") + 2);
  };
  CHECK(refusal("--set 'sweep={\"splitting.effort\": [100, 200]}'") ==
        "/sweep/splitting.effort: cannot be swept: splitting is the same for all points\n");
  CHECK(
      refusal(
          "--set splitting.level=first_seen --set splitting.towards=above --set 'splitting.levels=[1]' --set "
          "'privacy={\"mechanism\": \"laplace\", \"epsilon\": 1, \"clip\": 1, \"adversaries\": "
          "[{\"agents\": [0]}]}'") ==
      "/splitting/level: first_seen is worked out for undisturbed runs: choose another metric\n");
}

// It would take days.
TEST_CASE("splitting: it is not repeated for the trace of a run") {
  const test::Scratch dir;
  dir.write("s.json", scenario(kLevels, 1));
  CHECK(
      shell(dir, "$program trace s.json --set splitting.effort=1000000 --set record.every.time=0.001").code ==
      0);
}

TEST_CASE("splitting: events of a past are counted once") {
  const test::Scratch dir;
  const auto events = [&](const std::string& levels) {
    dir.write("s.json",
              scenario(R"(, "splitting": {"level": "time", "effort": 100, "levels": )" + levels + "}", 1));
    REQUIRE(shell(dir, "$program run s.json -o out --no-progress").code == 0);
    const auto rows = test::rows_of(dir / "out/rare_events.csv");
    const auto column = std::ranges::find(rows.at(0), "events") - rows.at(0).begin();
    return std::stod(rows.at(1).at(static_cast<std::size_t>(column)));
  };
  // All reach all levels: the same time is simulated, but for what comes between a level and its next observation.
  const double once = events("[19]"), parts = events("[5, 10, 15, 19]");
  CHECK(parts < 1.2 * once);
  CHECK(parts > 0.8 * once);
}
