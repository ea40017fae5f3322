// Tables, figures and comparisons over the axes of a stored study, worked out by hand.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "analysis/metrics/metric.hpp"
#include "analysis/store/store.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

namespace {

constexpr double kDiverged = -1, kMissing = -2;

// Protocol and loss; by repetition objectives, for which the accuracy is 1 - objective / 100, the fraction that is up
// objective / 100 and the time the objective. Medians of fast and slow are 2 [1.5, 2.5], and 3 [2.5, 4] at loss 0,
// 12.1 [11.55, 12.55] at 0.1.
const std::vector<std::pair<std::vector<std::string>, std::vector<double>>> kRuns{
    {{"fast", "0"}, {1, 2, 3}},
    {{"fast", "0.1"}, {1, 2, 3}},
    {{"slow", "0"}, {2, 3, 5}},
    {{"slow", "0.1"}, {11, 12.1, 13}},
    {{"odd_one", "0"}, {9, kDiverged, 9}},
    {{"odd_one", "0.1"}, {21, 22, kMissing}}};

class Stored : public test::Scratch {
 public:
  Stored() {
    analysis::Store store(path() / "s");
    analysis::StudyPlan plan;
    plan.head.axes = {"protocol", "network.loss"};
    plan.head.metrics = {analysis::find_metric("objective")->info(),
                         analysis::find_metric("accuracy")->info(),
                         analysis::find_metric("fraction_up")->info(), analysis::find_metric("time")->info()};
    plan.record_key = "r";
    for (std::size_t p = 0; p < kRuns.size(); ++p)
      plan.points.push_back({fmt::format("key-{}", p), kRuns[p].first, 3, "d"});
    store.begin_study(plan);
    for (std::size_t p = 0; p < kRuns.size(); ++p) {
      store.put_point(p, {.owners = 2, .first_owner = 1}, {});
      for (std::uint32_t r = 0; r < 3; ++r) {
        const double x = kRuns[p].second[r];
        if (x == kMissing) continue;
        analysis::RunResult run{.point = p, .repetition = r};
        if (x == kDiverged) run.status = analysis::Status::kDiverged;
        run.series = {.samples = {{.iteration = 1}}, .values = {x, 1 - x / 100, x / 100, x}};
        store.put_run(run);
      }
    }
    store.close();
  }
};

}  // namespace

TEST_CASE("pivot: a cell is bold where its paired interval to each other column excludes 0") {
  const Stored dir;
  // At loss 0 slow - fast is 1, 1, 2: 4/3 +- t(0.975, 2) 0.57735/sqrt(3) = 4/3 +- 1.434 includes 0. At 0.1 it is 10, 10.1,
  // 10: 10.03 +- 0.143. Of odd_one the two pairs there are both 20.
  const std::string table =
      output_of(dir, "export s --format markdown --rows network.loss --columns protocol");
  CHECK_THAT(table,
             Catch::StartsWith(
                 "| network.loss | fast | slow | odd_one |\n|---|---:|---:|---:|\n"
                 "| 0 | 2 [1.5, 2.5] | 3 [2.5, 4] | 9 [9, 9] |\n"
                 "| 0.1 | **2 [1.5, 2.5]** | 12.1 [11.55, 12.55] | 21.5 [21.25, 21.75] |\n\n"
                 "objective at the end of runs, lower is better: median [quartiles] over 3 repetitions."));
  CHECK_THAT(table, Contains("excludes 0. Columns: protocol.\n"));
  // Nothing is dropped in silence.
  CHECK_THAT(
      table,
      Contains("\nLeft out: 1 run diverged, 1 run missing (0, odd_one: 2 of 3; 0.1, odd_one: 2 of 3).\n"));
  // Higher is better: the same runs are.
  CHECK_THAT(
      output_of(dir, "export s --format markdown --rows network.loss --columns protocol --metric accuracy"),
      Contains("| 0 | 0.98 [") && Contains("| 0.1 | **0.98 [0.975, 0.985]** | 0.879 [") &&
          Contains("higher is better"));
  // Of odd_one at 0.1 the two pairs with slow are 0.1 and 0.099: 0.0995 +- 12.7062 * 0.0005.
  CHECK_THAT(
      output_of(dir,
                "export s --format markdown --rows network.loss --columns protocol --metric fraction_up"),
      Contains(" 0.121 [0.1155, 0.1255] | **0.215 [0.2125, 0.2175]** |") && Contains("higher is better"));
  CHECK_THAT(
      output_of(dir, "export s --format markdown --rows network.loss --columns protocol --metric time"),
      Contains("time (s) at the end of runs: median") && !Contains("**") && !Contains("better") &&
          !Contains("Bold"));
  // The other way round, the best of a row is that of a loss: equal at fast, 3 against 12.1 at slow.
  CHECK_THAT(
      output_of(dir, "export s --format markdown --rows protocol --columns network.loss"),
      Contains("| fast | 2 [1.5, 2.5] | 2 [1.5, 2.5] |") && Contains("| slow | **3 [2.5, 4]** | 12.1 ["));
}

TEST_CASE("pivot: means have half the width of their intervals, formats and files") {
  const Stored dir;
  const std::string columns =
      " --columns protocol --at protocol=fast --at protocol=slow --at network.loss=0.10";
  // 1, 2, 3: 2 +- 4.302653/sqrt(3) = 2.484. 11, 12.1, 13: s = 1.001665, 12.03 +- 2.488.
  const std::string latex = output_of(dir, "export s --format latex --statistic mean" + columns);
  CHECK_THAT(latex, Contains("\n{\\bfseries\\boldmath 2 $\\pm$ 2.484} & 12.03 $\\pm$ 2.488 \\\\\n") &&
                        Contains("95 \\% interval over 3 repetitions") &&
                        Contains("At network.loss = 0.1.") && !Contains("Left out"));
  CHECK(output_of(dir, "export s -o t.csv" + columns).empty());
  CHECK(test::text_of(dir / "t.csv") == "fast,slow\n2,12.1\n");
  CHECK_THAT(output_of(dir, "export s --rows network.loss,protocol"),
             Catch::StartsWith("network.loss,protocol,objective\n0,fast,2\n0.1,fast,2\n0,slow,3\n"));
}

TEST_CASE("compare: --over pairs the values of an axis at equal values of the others") {
  const Stored dir;
  const std::string over = "compare s --over protocol --metric objective --format csv";
  std::istringstream lines(output_of(dir, over));
  std::map<std::string, std::vector<double>> found;  // by axes: pairs, mean, low, high
  std::string line;
  std::getline(lines, line);
  CHECK(line == "protocol,network.loss,metric,pairs,mean_difference,low,high,variance_reduction,reference");
  while (std::getline(lines, line)) {
    const std::size_t metric = line.find(",objective,");
    std::istringstream rest(line.substr(metric + 11));
    for (std::string field; found[line.substr(0, metric)].size() < 4 && std::getline(rest, field, ',');)
      found[line.substr(0, metric)].push_back(std::stod(field));
    CHECK_THAT(line, Contains("\"protocol=fast, network.loss="));
  }
  REQUIRE(found.size() == 4);
  CHECK(found["slow,0"][0] == 3);
  CHECK(found["slow,0"][1] == Approx(4.0 / 3));
  CHECK(found["slow,0"][2] == Approx(4.0 / 3 - 4.302653 * std::sqrt(1.0 / 3) / std::sqrt(3.0)).epsilon(1e-6));
  CHECK(found["slow,0.1"][3] == Approx(10 + 1.0 / 30 + 4.302653 / 30).epsilon(1e-6));
  CHECK(found["odd_one,0.1"] == std::vector<double>{2, 20, 20, 20});
  CHECK_THAT(
      output_of(dir, over + " --baseline slow --at network.loss=0"),
      Contains("\nfast,0,objective,3,-1.3333333333333333,") && !Contains("\nslow") && !Contains(",0.1,"));
  CHECK_THAT(
      output_of(dir, "compare s --over protocol"),
      Catch::StartsWith("differences from protocol=fast at equal values of the other axes, metrics at"));
  // A point without a counterpart is named.
  CHECK_THAT(test::ended_with(dir, over + " --at network.loss=0 --baseline odd_one").out,
             Contains("fast,0,objective,2,"));
}

TEST_CASE("pivot: what cannot be drawn or shown is refused in one line that says how to choose") {
  const Stored dir;
  const auto check = [&](const std::string& words, const std::string& message) {
    const std::string error = refusal(dir, words);
    CHECK_THAT(error, Contains(message));
    CHECK(std::count(error.begin(), error.end(), '\n') == 1);
  };
  check(
      "figures s --x network.loss",
      "hearsay: protocol still varies (fast, slow, odd_one): choose a value with --at 'protocol=fast', or name it in "
      "--facet, --series or --x\n");
  check("figures s --facet protocl",
        "--facet: expected one of protocol, network.loss, found 'protocl'; did you mean");
  check("figures s --facet protocol --series network.loss",
        "--x: no other swept option has more than one value");
  check("figures s --x network.loss --series protocol,network.loss", "--series: expected one swept option");
  check("figures s --width half", "--width: expected one of column, page, found 'half'");
  check("figures s --width page --figure curves", "--figure: 'panels' is drawn alone");
  check("figures s --x network.loss --over time", "--over: only for curves, not for panels");
  for (const char* option : {"--length 3", "--fps 3", "--pixels 300"})
    check(std::string("figures s ") + option, "only with --animation");
  for (const char* option : {"--format png", "--figure curves", "--over time", "--x network.loss",
                             "--show mean", "--scale linear", "--width page", "--no-title"})
    check(std::string("figures s --animation ") + option, "only without --animation");
  check("figures s --animation --metric objective --metric objective",
        "--metric: an animation shows one metric");
  check("export s --point 1", "--point: only with --format graphml");
  check("export s --rows protocol --point 0", "--point: only with --format graphml");
  check("export s --format latex", "--rows: name the swept options");
  check("export s --format markdown --rows network.los", "did you mean 'network.loss'?");
  check("export s --rows network.loss", "protocol still varies (fast, slow, odd_one): choose");
  check("export s --rows protocol --columns network.loss --metric objectiv", "did you mean 'objective'?");
  check("export s --format graphml --rows protocol", "--rows: not with --format graphml");
  check("export s --rows protocol --at network.loss=7", "--at: no point of the study has these values");
  check("compare s --over protocl", "--over: expected one of protocol, network.loss");
  check("compare s --over protocol --baseline fst",
        "--baseline: expected one of fast, slow, odd_one, found 'fst'; did");
  check("compare s --over protocol --at protocol=fast", "--over: protocol has one value, fast");
  check("compare s --at protocol=fast", "--at: needs --over NAME");
  check("compare s s --over protocol", "--over: compares points of one study");
  check("compare s --over protocol --reference 0", "--reference: --over compares with --baseline");
  check("compare s s --reference 0", "--reference: two studies are compared point by point");
}
