// "select": the best value of an axis, selected in one study and reported from another.
#include "scenarios/study/sweep/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/figures/page.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/metrics/metric.hpp"
#include "analysis/store/store.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/budget/release_schedule.hpp"
#include "scenarios/language/json/merge.hpp"
#include "scenarios/study/sweep/sweep.hpp"
#include "tests/support/figure_study.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using test::Scratch;
using Labels = std::vector<std::vector<std::string>>;

namespace {

scenarios::Selection selection_of(const std::string& text) {
  const test::Scratch dir;
  auto document = scenarios::load(dir.write("x.json", R"({"sweep": )" + text + "}"), {});
  return *scenarios::Sweep(document, {}).selection();
}

std::string selection_refusal(const std::string& select) {
  return test::message_of([&] { selection_of(R"({"privacy.epsilon": [1, 2], "select": )" + select + "}"); });
}

// A study of axes "a" and "b" in which run r of point (a, b) ended at value(a, b, r).
template <class F>
std::vector<scenarios::Choice> chosen(const scenarios::Selection& selection, F value,
                                      const std::vector<const char*>& labels_of_b = {"x", "y", "z"}) {
  const test::Scratch dir;
  analysis::Store store(dir.path());
  analysis::StudyPlan plan;
  plan.head.axes = {"a", "b"};
  plan.head.metrics = {analysis::find_metric("consensus_distance")->info(),
                       analysis::find_metric("objective")->info()};
  plan.record_key = "r";
  for (const char* a : {"1", "2"})
    for (const char* b : labels_of_b) plan.points.push_back({fmt::format("{}{}", a, b), {a, b}, 2, "d"});
  store.begin_study(plan);
  for (std::size_t p = 0; p < 6; ++p) {
    store.put_point(p, {.owners = 1});
    for (std::uint32_t r = 0; r < 2; ++r) {
      analysis::RunResult run{.point = p, .repetition = r};
      const double end = value(p / 3 + 1, p % 3, r);
      if (std::isnan(end)) run.status = analysis::Status::kDiverged;
      run.series.samples = {{0, 0, 0, 0}, {1, 1, 1, 1}};
      run.series.values = {0, -100.0 * static_cast<double>(p), 0, end};  // the start is not what counts
      store.put_run(run);
    }
  }
  store.close();
  analysis::StoredStudy study(dir.path());
  scenarios::Selection planned = selection;
  planned.most = 2;
  return scenarios::decide(planned, study).choices;
}

Labels labels(const std::vector<scenarios::Choice>& choices) {
  Labels all;
  for (const auto& c : choices) all.push_back(c.labels);
  return all;
}

const std::string kAxes = R"("a": [1, 2], "b": ["x", "y", "z"])";

}  // namespace

TEST_CASE("select: of each combination of the other axes, the value with the best mean at the end") {
  const auto least = selection_of("{" + kAxes + R"(, "select": {"over": "b", "minimise": "objective"}})");
  // Means over the two runs: a = 1: 5, 4, 6; a = 2: 1, 2, 3. A single run of (1, z) is the least of all.
  const double table[2][3][2] = {{{5, 5}, {4, 4}, {0, 12}}, {{2, 0}, {2, 2}, {3, 3}}};
  const auto value = [&](std::size_t a, std::size_t b, std::uint32_t r) { return table[a - 1][b][r]; };
  const auto best = chosen(least, value);
  CHECK(labels(best) == Labels{{"1", "y"}, {"2", "x"}});
  CHECK(best.at(0).value == 4);
  CHECK(best.at(1).value == 1);
  CHECK(best.at(0).candidates == 3);
  const auto most = selection_of("{" + kAxes + R"(, "select": {"over": "b", "maximise": "objective"}})");
  CHECK(labels(chosen(most, value)) == Labels{{"1", "z"}, {"2", "z"}});
  const auto over_a = selection_of("{" + kAxes + R"(, "select": {"over": "a", "minimise": "objective"}})");
  CHECK(labels(chosen(over_a, value)) == Labels{{"2", "x"}, {"2", "y"}, {"2", "z"}});
}

TEST_CASE(
    "select: a point with a diverged run is selected only if there is no other, the first among equals") {
  const auto least = selection_of("{" + kAxes + R"(, "select": {"over": "b", "minimise": "objective"}})");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto best = chosen(least, [&](std::size_t a, std::size_t b, std::uint32_t r) {
    if (a == 1) return b == 0 && r == 1 ? nan : 7.0;
    return nan;
  });
  CHECK(labels(best) == Labels{{"1", "y"}, {"2", "x"}});
  CHECK(std::isnan(best.at(1).value));
}

TEST_CASE("select: a choice at the edge of its values is warned of") {
  const auto selection = selection_of("{" + kAxes + R"(, "select": {"over": "b", "minimise": "objective"}})");
  const auto warned = [&](const std::vector<const char*>& values, std::size_t best_of_1,
                          std::size_t best_of_2) {
    return scenarios::warnings_of(selection, chosen(
                                                 selection,
                                                 [&](std::size_t a, std::size_t b, std::uint32_t) {
                                                   return b == (a == 1 ? best_of_1 : best_of_2) ? 1.0 : 2.0;
                                                 },
                                                 values));
  };
  CHECK(warned({"x", "y", "z"}, 0, 2).empty());
  CHECK(warned({"1", "10", "100"}, 1, 1).empty());
  CHECK(warned({"0", "10", "100"}, 0, 1).empty());  // nothing lies below 0
  CHECK(
      warned({"100 ms", "1 s", "10 ms"}, 0, 2) ==
      std::vector<std::string>{
          "warning: sweep.select: the chosen value is the smallest or largest that was tried (b 10 ms) at 1 of 2 "
          "points: the best may lie beyond it; try more values"});
}

TEST_CASE("select: the runs that are reported are named, and warned of where the choice biases them") {
  auto selection = selection_of("{" + kAxes + R"(, "select": {"over": "b", "minimise": "objective"}})");
  const std::string biased = "the runs that are reported (optimistically biased)";
  CHECK(selection.instances() == biased);
  CHECK_THAT(selection.note(false),
             Contains("warning: sweep.select: b is chosen on the runs that are reported, by objective"));
  selection.metric = "test_error_by_owner.mean";
  CHECK(selection.instances() == "validation records");
  CHECK(selection.note(true).empty());
  selection.place = "tune";
  CHECK(selection.note(false).empty());
  CHECK_THAT(selection.note(true),
             Contains("candidates have the random numbers of the runs that are reported"));
  selection.metric = "objective";
  CHECK(selection.note(true).empty());
  selection.on_test = true;
  CHECK_THAT(selection.note(false),
             Contains("warning: tune: b is chosen on the test data") && Contains("optimistically biased"));

  // What is chosen is the minimum of the numbers that are reported without a choice.
  const test::StudyFolder dir(R"("sweep": {"protocol.rho": [0.001, 0.1, 0.5],
    "select": {"over": "protocol.rho", "minimise": "relative_fitness"}}, "repeat": 2)");
  CHECK_THAT(test::ended_with(dir, "validate s.json").err, Contains("optimistically biased"));
  const auto outcome = test::ended_with(dir, "run s.json --no-progress -o out");
  CHECK_THAT(outcome.err,
             Contains("warning: sweep.select: protocol.rho is chosen on the runs that are reported"));
  CHECK_THAT(outcome.out, Contains("selected by minimum relative_fitness on " + biased));
  std::map<std::string, std::set<std::uint64_t>> tried;
  analysis::StoredStudy(dir / "out/selection")
      .each_run([](const auto&) {},
                [&](const auto& point, const auto& run) { tried[point.labels[0]].insert(run.fingerprint); });
  analysis::StoredStudy(dir / "out")
      .each_run([](const auto&) {},
                [&](const auto& point, const auto& run) {
                  CHECK(tried.at(point.tuned.at(0)).contains(run.fingerprint));
                });
}

TEST_CASE("select: axes of a zip are selected together") {
  const auto both = selection_of(
      R"({"zip": [{"a": [1, 2], "c": [3, 4]}], "b": ["x"], "select": {"over": "c", "minimise": "objective"}})");
  CHECK(both.axes == std::vector<std::size_t>{0, 1});
  CHECK_FALSE(both.on_test);
}

TEST_CASE("select: errors name their position") {
  CHECK_THAT(selection_refusal("3"), Contains("/sweep/select: expected an object"));
  CHECK_THAT(selection_refusal(R"({"minimise": "objective"})"),
             Contains("/sweep/select/over: required key is missing"));
  CHECK_THAT(selection_refusal(R"({"over": "privacy.epsilo", "minimise": "objective"})"),
             Contains("/sweep/select/over: expected an axis of this sweep (privacy.epsilon)") &&
                 Contains("did you mean 'privacy.epsilon'"));
  CHECK_THAT(selection_refusal(R"({"over": "privacy.epsilon"})"),
             Contains("give exactly one of minimise and maximise"));
  CHECK_THAT(
      selection_refusal(R"({"over": "privacy.epsilon", "minimise": "objective", "maximise": "objective"})"),
      Contains("give exactly one of minimise and maximise"));
  CHECK_THAT(selection_refusal(R"({"over": "privacy.epsilon", "minimise": "objectiv"})"),
             Contains("/sweep/select/minimise: expected one of ") && Contains("did you mean 'objective'"));
  CHECK_THAT(selection_refusal(R"({"over": "privacy.epsilon", "minimise": "objective", "on": "train"})"),
             Contains("/sweep/select/on: expected one of validation, test"));
  CHECK_THAT(selection_refusal(R"({"over": "privacy.epsilon", "minimize": "objective"})"),
             Contains("/sweep/select/minimize: unknown key") && Contains("did you mean 'minimise'"));
  CHECK_THAT(selection_refusal(R"({"over": 3, "minimise": "objective"})"),
             Contains("/sweep/select/over: expected text"));
}

TEST_CASE("select: a run reports only the selected points and the data of the selection, and resumes") {
  const test::Scratch dir;
  const std::string sweep = R"("sweep": {"privacy.epsilon": [0.1, 10], "protocol.rho": [0.001, 0.1, 0.5])";
  dir.write("all.json", test::small_scenario(sweep + R"(}, "repeat": 3)"));
  dir.write("one.json", test::small_scenario(
                            sweep + R"(, "select": {"over": "protocol.rho", "minimise": "relative_fitness",
                                 "on": "test"}}, "repeat": 3)"));
  const std::string run = "hearsay run ";
  REQUIRE(shell(dir, run + "all.json --no-progress").code == 0);
  const auto outcome = shell(dir, run + "one.json --no-progress");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(
      outcome.out,
      Contains("protocol.rho selected by minimum relative_fitness on the test data (optimistically biased)"));
  CHECK_THAT(outcome.out, Contains("2 points, 6 runs"));

  // By hand from the study of all points.
  analysis::StoredStudy all(dir / "out/all"), one(dir / "out/one");
  REQUIRE(one.points() == 2);
  std::map<std::vector<std::string>, double> sums;
  all.each_run([](const auto&) {},
               [&](const analysis::PointResult& point, const analysis::RunResult& r) {
                 const std::size_t width = r.series.values.size() / r.series.samples.size();
                 sums[point.labels] += r.series.values[r.series.values.size() - width];
               });
  REQUIRE(sums.size() == 6);
  for (std::size_t p = 0; p < 2; ++p) {
    const analysis::PointResult point = one.point(p);
    const std::vector<std::string> labels{point.labels.at(0), point.tuned.at(0)};
    for (const auto& [other, sum] : sums) {
      if (other[0] == labels[0]) CHECK(sums.at(labels) <= sum);
    }
  }
  const auto manifest = nlohmann::json::parse(test::text_of(dir / "out/one/manifest.json"));
  CHECK(manifest.at("selection").at("chosen").size() == 2);
  CHECK(manifest.at("selection").at("on") == "the test data (optimistically biased)");
  CHECK(manifest.at("fitted_on_private_data_without_accounting") ==
        nlohmann::json::array(
            {"sweep.select: protocol.rho is chosen by relative_fitness without noise, on the test data"}));
  CHECK_THAT(outcome.err, Contains("warning: sweep.select: protocol.rho is chosen by relative_fitness") &&
                              Contains("warning: sweep.select: protocol.rho is chosen on the test data"));

  // The tuned option is no axis: each point states its value.
  CHECK(one.head().axes == std::vector<std::string>{"privacy.epsilon"});
  CHECK(one.head().tuned == std::vector<std::string>{"protocol.rho"});
  const std::string runs = test::text_of(dir / "out/one/runs.csv");
  CHECK(runs.starts_with("privacy.epsilon,repetition,protocol.rho,status,"));
  CHECK_THAT(outcome.out, Contains("privacy.epsilon  protocol.rho (selected)  runs"));
  for (const auto& chosen : manifest.at("selection").at("chosen")) {
    const auto text = [&](const char* name) { return chosen.at(name).get<std::string>(); };
    for (int r = 0; r < 3; ++r)
      CHECK_THAT(runs,
                 Contains(fmt::format("\n{},{},{},done,", text("privacy.epsilon"), r, text("protocol.rho"))));
  }
  // What was selected on is a study of all points.
  for (const char* file : {"manifest.json", "runs.csv", "scalars.csv", "series.csv", "owners.csv"})
    CHECK(std::filesystem::exists(std::filesystem::path(dir / "out/one/selection") / file));
  CHECK(analysis::StoredStudy(dir / "out/one/selection").head().axes.size() == 2);

  // No run is repeated, and the stored studies can be planned again.
  const auto again = shell(dir, run + "one.json --no-progress");
  CHECK_THAT(again.err, Contains("18 runs: 18 cached, 0 to run") && Contains("6 runs: 6 cached, 0 to run"));
  CHECK(shell(dir, run + "one.json --dry-run").out.find("selection: 18 runs: 18 cached") == 0);
  test::ended_with(dir, "verify out/one");
  test::ended_with(dir, "verify out/one/selection");
}

TEST_CASE("select: figures show every selected point, and nothing against the tuned option") {
  const test::Scratch dir;
  analysis::Store store(dir.path());
  analysis::StudyPlan plan;
  plan.head = {.axes = {"network.latency"}, .tuned = {"privacy.steps"}, .shown = {{}, {{"50", "many"}}}};
  plan.head.metrics = {analysis::find_metric("objective")->info()};
  plan.record_key = "r";
  const std::pair<const char*, const char*> points[] = {{"1", "50"}, {"2", "10"}, {"5", "2"}};
  for (const auto& [latency, steps] : points)
    plan.points.push_back({fmt::format("k{}", latency), {latency}, 1, "d", {steps}});
  store.begin_study(plan);
  for (std::size_t p = 0; p < 3; ++p) {
    store.put_point(p, {.owners = 1});
    analysis::RunResult run{.point = p};
    run.series.samples = {{0, 0, 0, 0}, {1, 1, 1, 1}};
    run.series.values = {9, static_cast<double>(p)};
    store.put_run(run);
  }
  store.close();
  analysis::StoredStudy study(dir.path());
  const auto data = analysis::gather(study, test::plain_number);
  const auto curves = test::draw(data, "curves", 0);
  REQUIRE(curves.size() == 1);
  std::set<std::string> coloured;
  for (const auto& row : test::rows_of(curves[0])) coloured.insert(row.at("a0").get<std::string>());
  CHECK(coloured == std::set<std::string>{"1", "2", "5"});
  CHECK(test::spec_of(curves[0]).at("params").size() == 1);  // against what
  const auto finals = test::draw(data, "finals", 0);
  REQUIRE(finals.size() == 1);
  CHECK(test::rows_of(finals[0]).at(0).at("t0") == "many");
  CHECK(test::rows_of(finals[0]).at(2).at("t0") == "2");
  CHECK(test::spec_of(finals[0]).at("params").empty());
  CHECK(test::draw(data, "heat_map", 0).empty());
  if (analysis::page_files().at(analysis::kVega[0]).empty())
    return;  // built without the scripts that draw figures
  CHECK_THAT(analysis::page(data, {}, {}),
             Contains("<th>network.latency</th><th>privacy.steps (selected)</th>") &&
                 Contains("<td>1</td><td>many</td>"));
}

TEST_CASE("select: requires a recorded metric, and validation records to select on") {
  const test::Scratch dir;
  const auto refusal_of = [&](const std::string& select) {
    const auto file = dir.write(
        "s.json", test::small_scenario(R"("sweep": {"protocol.rho": [1, 2], "select": )" + select + "}"));
    return test::refusal(
        dir, "validate " + file + R"( --set data.test_records=10 --set 'record.metrics=["test_error"]')");
  };
  CHECK_THAT(refusal_of(R"({"over": "protocol.rho", "minimise": "messages", "on": "test"})"),
             Contains("expected one of record.metrics (test_error)"));
  CHECK_THAT(refusal_of(R"({"over": "protocol.rho", "minimise": "test_error"})"),
             Contains("/sweep/select/on: lending_like data have no validation records; set "
                      "data.validation_fraction, or on to \"test\"") &&
                 !Contains("/data/instances"));
}

TEST_CASE("tune: of the values of `per`, the best mean over repetitions and the other axes") {
  // By axis a the means of x, y, z are 5, 4, 6 and 1, 8, 3; over both values of a 3, 6, 4.5.
  const double table[2][3] = {{5, 4, 6}, {1, 8, 3}};
  const auto value = [&](std::size_t a, std::size_t b, std::uint32_t) { return table[a - 1][b]; };
  scenarios::Selection tune{.place = "tune", .over = "b", .axes = {1}, .per = {0}, .metric = "objective"};
  CHECK(labels(chosen(tune, value)) == Labels{{"1", "y"}, {"2", "x"}});
  tune.per = {};
  const auto best = chosen(tune, value);
  CHECK(labels(best) == Labels{{"1", "x"}, {"2", "x"}});
  CHECK(best.at(0).value == 3);
  CHECK(best.at(1).candidates == 3);
}

TEST_CASE("tune: each protocol has its own values, chosen on records that nothing else uses") {
  const Scratch dir;
  dir.write(
      "s.json",
      R"({"data": {"type": "lending_like", "owners": 3, "records": 40, "features": 2, "test_records": 20,
      "validation_fraction": 0.25},
    "privacy": {"mechanism": "none"}, "protocol": {"type": "fedavg"}, "stop": {"time": "20 s"}, "record": {"metrics": ["test_error"]}, "repeat": 2,
    "sweep": {"protocol": ["fedavg", "local_only"], "network.latency": ["0.1 s", "2 s"]},
    "tune": {"paths": {"protocol.step": [0.001, 0.1]}, "minimise": "test_error", "per": ["protocol"], "repetitions": 3}})");
  const auto outcome = test::ended_with(dir, "run s.json --no-progress");
  // fedavg: 2 latencies, 2 steps, 3 repetitions; local_only has no step.
  CHECK_THAT(outcome.err, Contains("selection: 18 runs: 0 cached, 18 to run"));
  CHECK_THAT(outcome.out,
             Contains("4 points, 8 runs") &&
                 Contains("protocol.step selected by minimum test_error on validation records, in 18 "
                          "runs of out/s/selection/: see tuning.csv"));
  const std::string tuning = test::text_of(dir / "out/s/tuning.csv");
  CHECK(tuning.starts_with(
      "protocol,network.latency,network.latency.text,protocol.step,metric,mean,candidates,repetitions,runs\n"
      "fedavg,0.1,0.1 s,0.1,test_error,"));
  CHECK_THAT(tuning,
             Contains("\nfedavg,2,2 s,0.1,test_error,") && Contains("\nlocal_only,2,2 s,,test_error,"));
  analysis::StoredStudy tuned(dir / "out/s/selection"), study(dir / "out/s");
  CHECK(study.head().axes == std::vector<std::string>{"protocol", "network.latency"});
  // Other random numbers: no run of the one is a run of the other.
  std::set<std::uint64_t> seen;
  tuned.each_run([](const auto&) {}, [&](const auto&, const auto& run) { seen.insert(run.fingerprint); });
  study.each_run([](const auto&) {},
                 [&](const auto& point, const auto& run) {
                   if (point.labels.at(0) == "fedavg") CHECK_FALSE(seen.contains(run.fingerprint));
                 });
  // As many records for training in both: 30 of 40, and 10 for validation.
  CHECK(study.owners(0).at(0).records == 30);
  CHECK(study.owners(0).at(0).test_records == 20);
  CHECK(tuned.owners(0).at(0).records == 30);
  CHECK(tuned.owners(0).at(0).test_records == 10);
  test::ended_with(dir, "verify out/s");
  test::ended_with(dir, "verify out/s/selection");
  CHECK_THAT(test::ended_with(dir, "run s.json --no-progress").err,
             Contains("selection: 18 runs: 18 cached, 0 to run"));
  // One value of it is no longer tuned among others.
  CHECK_THAT(test::ended_with(dir, "run s.json --dry-run --set tune.paths='{\"protocol.step\": [0.1]}'").out,
             Contains("selection: 12 runs"));
  // While another process has the folder nothing in it changes, of the selection neither.
  const std::string selected = test::text_of(dir / "out/s/selection/runs.csv");
  {
    const analysis::FolderLock other(dir / "out/s");
    const std::string words = " --no-progress --set tune.paths='{\"protocol.step\": [0.01, 0.1]}'";
    CHECK_THAT(test::ended_with(dir, "run s.json" + words, 4).err,
               Contains("out/s: another hearsay process is writing to this folder"));
  }
  CHECK(test::text_of(dir / "out/s/tuning.csv") == tuning);
  CHECK(test::text_of(dir / "out/s/selection/runs.csv") == selected);
  // A study that no longer tunes counts no candidates.
  CHECK_THAT(test::output_of(dir, "status out/s"), Contains("total: 26 runs: 26 done"));
  test::ended_with(dir, "run s.json --no-progress --set tune=null");
  CHECK(test::output_of(dir, "status out/s") == "out/s: 8 runs: 8 done, 0 diverged, 0 failed; 0 left\n");
}

TEST_CASE("select and tune: choices are for each branch, over its continuations") {
  using Axes = std::vector<std::size_t>;
  const auto per = [](const std::string& text) {
    const Scratch dir;
    auto document =
        scenarios::load(dir.write("x.json", "{" + text + R"(, "branches": {"at": 1, "noise": "fresh",
      "continuations": 3, "set": [{}, {"network.loss": 0.1}]}})"),
                        {});
    return scenarios::Sweep(document, {}).selection()->per;
  };
  // The axes are a, b, branch, continuation with select, and a, branch, continuation, b with tune.
  const std::string select = R"(, "minimise": "objective"}})", tune = R"("tune": {"paths": {"b": [1, 2]}, )";
  CHECK(per(R"("sweep": {"a": [1, 2], "b": [1, 2], "select": {"over": "b")" + select) == Axes{0, 2});
  CHECK(per(tune + R"("minimise": "objective"}, "sweep": {"a": [1, 2]})") == Axes{0, 1});
  CHECK(per(tune + R"("minimise": "objective", "per": ["continuation"]}, "sweep": {"a": [1, 2]})") ==
        Axes{2});
}

TEST_CASE("tune: points with other candidates share no choice") {
  const Scratch dir;
  // local_only has no step.
  dir.write(
      "protocols.json",
      R"({"data": {"type": "lending_like", "owners": 3, "records": 40, "features": 2, "test_records": 20,
      "validation_fraction": 0.25},
    "privacy": {"mechanism": "none"}, "protocol": {"type": "fedavg"}, "stop": {"time": "20 s"}, "record": {"metrics": ["test_error"]},
    "sweep": {"protocol.type": ["fedavg", "local_only"], "network.latency": ["0.1 s", "2 s"]},
    "tune": {"paths": {"protocol.step": [0.001, 0.1]}, "minimise": "test_error", "per": ["network.latency"], "budget": 1}})");
  CHECK_THAT(
      test::refusal(dir, "validate protocols.json"),
      Contains(
          "/tune/per: protocol.step has other values to choose from at protocol.type=local_only, "
          "network.latency=0.1 s than at other points of the choice: add the axes by which these differ\n"));
  CHECK_THAT(test::refusal(dir, "run protocols.json --set tune.per='[]'"),
             Contains("/tune/per: ") && Contains("at protocol.type=local_only, network.latency=0.1 s than"));
  test::ended_with(dir, R"(validate protocols.json --set tune.per='["protocol.type"]')");
  // rho 0.02 is left out at epsilon 100 alone.
  dir.write("where.json", test::small_scenario(R"("sweep": {"privacy.epsilon": [1, 10, 100],
      "where": "privacy.epsilon * protocol.rho <= 1.5"},
    "tune": {"paths": {"protocol.rho": [0.01, 0.011, 0.02]}, "minimise": "relative_fitness", "per": []})"));
  CHECK_THAT(test::refusal(dir, "validate where.json"),
             Contains("/tune/per: protocol.rho has other values to choose from at privacy.epsilon=100 than"));
  test::ended_with(dir, "validate where.json --points 'privacy.epsilon <= 10'");
  test::ended_with(dir, R"(validate where.json --set tune.per='["privacy.epsilon"]')");
}

TEST_CASE("tune: without repetitions candidates are other runs than those that are reported, too") {
  const Scratch dir;
  const std::string draw = GENERATE("study", "repetition");
  dir.write("s.json",
            test::small_scenario(
                R"("tune": {"paths": {"protocol.rho": [0.001, 0.1]}, "minimise": "relative_fitness"},
      "repeat": 3)"));
  const auto outcome = test::ended_with(dir, "run s.json --no-progress --set data.draw=" + draw);
  CHECK_THAT(outcome.err, Contains("selection: 6 runs: 0 cached") && Contains("3 runs: 0 cached, 3 to run"));
  CHECK_THAT(outcome.out,
             Contains("on the training records, with other random numbers, in 6 runs of out/s/selection/"));
  std::set<std::uint64_t> tried;
  analysis::StoredStudy selection(dir / "out/s/selection"), study(dir / "out/s");
  selection.each_run([](const auto&) {},
                     [&](const auto&, const auto& run) { tried.insert(run.fingerprint); });
  CHECK(tried.size() >= 3);
  study.each_run([](const auto&) {},
                 [&](const auto&, const auto& run) { CHECK_FALSE(tried.contains(run.fingerprint)); });
  test::ended_with(dir, "verify out/s/selection");
}

TEST_CASE("tune.budget: looks, and the runs that they take") {
  scenarios::Selection tune{.axes = {0}, .most = 8, .halving = true};
  using Looks = std::vector<std::uint32_t>;
  CHECK(tune.looks(1) == Looks{8});
  CHECK(tune.looks(2) == Looks{8});
  CHECK(tune.looks(3) == Looks{4, 8});
  CHECK(tune.looks(8) == Looks{2, 4, 8});
  CHECK(tune.looks(9) == Looks{1, 2, 4, 8});
  CHECK(tune.looks(33) == Looks{1, 1, 1, 2, 4, 8});
  tune.most = 5;
  CHECK(tune.looks(8) == Looks{1, 2, 5});
  std::vector<scenarios::PointLabels> points;
  for (int k = 0; k < 6; ++k) points.push_back({std::to_string(k)});
  // Looks at 1, 2, 5 of 6, 3 and 2 candidates.
  CHECK(tune.runs(points) == 6 * 1 + 3 * 1 + 2 * 3);
  tune.halving = false;
  CHECK(tune.runs(points) == 6 * 5);
}

TEST_CASE("tune.budget: successive halving by hand") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // By candidate and repetition. Looks at 1, 2 and 4 repetitions.
  const double table[5][4] = {
      {3, 0, 0, 0},    // fourth of the first look, though the best of four repetitions
      {2, 2, 2, 2},    // means 2, 2, 2
      {nan, 0, 0, 0},  // no number: last
      {1, 9, 0, 0},    // means 1, 5: third of the second look
      {2, 2, 1, 1},    // means 2, 2, 1.5: chosen
  };
  const test::Scratch dir;
  std::vector<std::uint32_t> repetitions(5, 1);
  const scenarios::Selection tune{
      .place = "tune", .over = "b", .axes = {0}, .most = 4, .halving = true, .metric = "objective"};
  const auto decided = [&] {
    analysis::Store store(dir.path());
    analysis::StudyPlan plan;
    plan.head.axes = {"b"};
    plan.head.metrics = {analysis::find_metric("objective")->info()};
    plan.record_key = "r";
    for (std::size_t p = 0; p < 5; ++p)
      plan.points.push_back({fmt::format("k{}", p), {fmt::format("v{}", p)}, repetitions[p], "d"});
    store.begin_study(plan);
    for (std::size_t p = 0; p < 5; ++p) {
      store.put_point(p, {.owners = 1});
      for (std::uint32_t r = 0; r < repetitions[p]; ++r) {
        analysis::RunResult run{.point = p, .repetition = r};
        if (std::isnan(table[p][r])) run.status = analysis::Status::kDiverged;
        run.series.samples = {{0, 0, 0, 0}};
        run.series.values = {table[p][r]};
        store.put_run(run);
      }
    }
    store.close();
    analysis::StoredStudy study(dir.path());
    return scenarios::decide(tune, study);
  };
  using Counts = std::vector<std::uint32_t>;
  scenarios::Decided one = decided();
  CHECK(one.choices.empty());
  CHECK(one.repetitions == Counts{1, 2, 1, 2, 2});
  repetitions = one.repetitions;
  one = decided();
  CHECK(one.choices.empty());
  CHECK(one.repetitions == Counts{1, 4, 1, 2, 4});
  repetitions = one.repetitions;
  one = decided();
  CHECK(one.repetitions == repetitions);
  REQUIRE(one.choices.size() == 1);
  CHECK(one.choices[0].labels == std::vector<std::string>{"v4"});
  CHECK(one.choices[0].value == 1.5);
  CHECK(one.choices[0].repetitions == 4);
  CHECK(one.choices[0].runs == 12);
  CHECK(one.choices[0].candidates == 5);
}

namespace {

std::string tuned_study(const std::string& budget) {
  return R"({"data": {"type": "lending_like", "owners": 3, "records": 40, "features": 2, "test_records": 20,
      "validation_fraction": 0.25},
    "privacy": {"mechanism": "none"}, "protocol": {"type": "fedavg"}, "stop": {"time": "20 s"}, "record": {"metrics": ["test_error"]},
    "sweep": {"network.latency": ["0.1 s", "2 s"]},
    "tune": {"paths": {"protocol.step": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3]}, "minimise": "test_error",
             "repetitions": 8, "budget": )" +
         budget + "}}";
}

}  // namespace

TEST_CASE(
    "tune.budget: halving chooses what all repetitions choose, by half the runs, with the same bytes for any -j, "
    "whatever is stored, and after an interruption") {
  const Scratch dir;
  dir.write("all.json", tuned_study(R"("all")"));
  dir.write("s.json", tuned_study(R"("successive_halving")"));
  const auto dry = test::ended_with(dir, "run s.json --dry-run");
  CHECK_THAT(dry.out,
             Contains("selection: 32 runs: 0 cached") &&
                 Contains("tune.budget: these are the runs until the first look, of at most 64") &&
                 Contains("then 2 points with the values that are chosen, 1 run each; results: out/s/"));
  CHECK_THAT(test::ended_with(dir, "run s.json --max-runs 63", 3).err,
             Contains("up to 64 runs, more than 63"));
  // A part is made, then the process is killed; or other candidates are made first.
  CHECK(shell(dir, "timeout -s KILL 0.2 $program run s.json --no-progress -j 1 -o cut").code != 127);
  test::ended_with(dir, "run s.json --points 'protocol.step >= 0.1' --no-progress -o part");
  test::ended_with(dir, "run s.json --no-progress -o part");
  const auto one = test::ended_with(dir, "run s.json --no-progress -j 1 -o one");
  CHECK_THAT(one.err, Contains("selection: 8 points to repeat more often: ") &&
                          Contains("selection: 4 points to repeat more often: "));
  CHECK_THAT(one.out, Contains("in 64 runs of one/selection/"));
  test::ended_with(dir, "run s.json --no-progress -j 2 -o two");
  test::ended_with(dir, "run s.json --no-progress -j 2 -o cut");
  test::ended_with(dir, "run all.json --no-progress -o more");
  test::ended_with(dir, "run s.json --no-progress -o more");
  for (const char* file :
       {"/tuning.csv", "/series.csv", "/runs.csv", "/selection/series.csv", "/selection/runs.csv"}) {
    const std::string text = test::text_of(dir / "one" + file);
    CHECK(text.size() > 100);
    for (const char* other : {"two", "cut", "part", "more"}) CHECK(text == test::text_of(dir / other + file));
  }
  test::ended_with(dir, "verify one/selection");
  CHECK_THAT(test::ended_with(dir, "status one").out,
             Contains("64 runs: 58 done, 6 diverged, 0 failed; 0 left\n"));
  // The same values as with all repetitions, of which these are half: 2 latencies, 8 steps, 8 repetitions.
  const auto all = test::ended_with(dir, "run all.json --no-progress");
  CHECK_THAT(all.out, Contains("in 128 runs of out/all/selection/"));
  const auto chosen = [&](const std::string& folder) {
    return nlohmann::json::parse(test::text_of(dir / folder + "/manifest.json")).at("selection").at("chosen");
  };
  const auto by_halving = chosen("one"), by_all = chosen("out/all");
  REQUIRE(by_halving.size() == 2);
  for (std::size_t p = 0; p < 2; ++p) {
    for (const char* same : {"network.latency", "protocol.step", "mean", "candidates", "repetitions"})
      CHECK(by_halving[p].at(same) == by_all[p].at(same));
    CHECK(by_halving[p].at("protocol.step") == "0.3");
    CHECK(by_halving[p].at("runs") == 32);
    CHECK(by_all[p].at("runs") == 64);
  }
}

TEST_CASE("tune.budget: a number of candidates is drawn from the seed, without replacement") {
  const Scratch dir;
  dir.write("s.json", tuned_study("3"));
  const auto drawn = [&](const std::string& more) {
    test::ended_with(dir,
                     "run s.json --no-progress --set tune.repetitions=1 --set stop.time=3 -o out " + more);
    analysis::StoredStudy study(dir / "out/selection");
    std::map<std::string, std::set<std::string>> all;
    for (std::size_t p = 0; p < study.points(); ++p)
      all[study.point(p).labels[0]].insert(study.point(p).labels[1]);
    REQUIRE(all.size() == 2);
    CHECK(all.at("0.1 s") == all.at("2 s"));
    CHECK(all.at("2 s").size() == 3);
    return all.at("2 s");
  };
  const auto first = drawn("");
  CHECK(drawn("-j 2") == first);
  std::set<std::set<std::string>> seen;
  for (int seed = 1; seed <= 5; ++seed) seen.insert(drawn(fmt::format("--seed {}", seed)));
  CHECK(seen.size() > 1);
  // One value more replaces at most one of those drawn.
  const auto with_more =
      drawn("--set tune.paths='{\"protocol.step\": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]}'");
  std::size_t kept = 0;
  for (const std::string& value : with_more) kept += first.count(value);
  CHECK(kept >= 2);
  const auto numbers = [](const std::set<std::string>& labels) {
    std::set<double> all;
    for (const std::string& label : labels) all.insert(std::stod(label));
    return all;
  };
  CHECK(numbers(drawn(
            "--set tune.paths='{\"protocol.step\": [1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3e0]}'")) ==
        numbers(first));
  CHECK_THAT(test::ended_with(dir, "run s.json --dry-run --set tune.budget=99 -o none").out,
             Contains("selection: 128 runs"));
}

namespace {

std::string trial_study(const std::string& trials, const std::string& more = "") {
  return R"({"data": {"type": "lending_like", "owners": 3, "records": 40, "features": 2, "test_records": 20,
      "validation_fraction": 0.25},
    "privacy": {"mechanism": "gaussian", "epsilon": 4, "delta": 1e-5, "accountant": "rdp", "steps": 5, "clip": 1},
    "protocol": {"type": "fedavg", "step": 0.1}, "stop": {"time": "20 s"}, "record": {"metrics": ["test_error", "objective"]},
    "sweep": {"network.latency": ["0.1 s", "0.2 s"]}, "tune": {"paths": {"protocol.step": [0.01, 0.1, 1]}, "minimise": "test_error",
             "trials": )" +
         trials + "}" + more + "}";
}

}  // namespace

TEST_CASE("tune.trials: the best of a random number of runs, and its guarantee") {
  const Scratch dir;
  dir.write("s.json", trial_study(R"({"type": "negative_binomial", "eta": 0, "mean": 12})"));
  // The seed is one with several trials.
  const auto one = test::ended_with(dir, "run s.json --no-progress -j 1 -o one --seed 7");
  CHECK_THAT(one.err,
             Contains("epsilon_of_best in tuning.csv covers the choice if validation records are public"));
  test::ended_with(dir, "run s.json --no-progress -j 2 -o two --seed 7");
  for (const char* file : {"/tuning.csv", "/runs.csv", "/selection/runs.csv", "/selection/scalars.csv"}) {
    const std::string text = test::text_of(dir / "one" + file);
    CHECK(text.size() > 100);
    CHECK(text == test::text_of(dir / "two" + file));
  }
  test::ended_with(dir, "verify one/selection");
  CHECK_THAT(test::ended_with(dir, "status one").out, Contains("; 0 left"));

  // The best run of each point by hand; every run has random numbers of its own.
  analysis::StoredStudy study(dir / "one/selection");
  std::map<std::string, std::pair<double, std::string>> best;
  std::map<std::string, std::uint64_t> runs;
  std::set<std::pair<std::string, std::uint64_t>> fingerprints;
  study.each_run([](const auto&) {},
                 [&](const auto& point, const auto& run) {
                   const double value = analysis::final_values(study.head(), point, run)[0];
                   auto& mine = best.try_emplace(point.labels[0], 1e9, "").first->second;
                   if (value < mine.first) mine = {value, point.labels[1]};
                   ++runs[point.labels[0]];
                   fingerprints.emplace(point.labels[0], run.fingerprint);
                 });
  const auto chosen =
      nlohmann::json::parse(test::text_of(dir / "one/manifest.json")).at("selection").at("chosen");
  REQUIRE(chosen.size() == 2);
  REQUIRE(runs.size() == 2);
  CHECK(runs.begin()->second > 3);
  CHECK(fingerprints.size() == 2 * runs.begin()->second);

  models::AccountantOptions rdp{models::Accountant::kRdp, 1e-5, models::Adjacency::kReplaceOne};
  const auto curve = models::plan_releases(models::Gaussian{}, 2, rdp, 4, {.releases = 5})->renyi();
  const auto of_best = models::best_of_trials(curve, models::TrialCount::of_mean(0, 12));
  auto both = of_best;
  for (std::size_t k = 0; k < both.size(); ++k) both[k] += curve[k];
  for (const auto& c : chosen) {
    const std::string point = c.at("network.latency");
    CHECK(c.at("protocol.step") == best.at(point).second);
    CHECK(c.at("mean") == best.at(point).first);
    CHECK(c.at("runs") == runs.at(point));
    CHECK(c.at("epsilon_of_run").get<double>() == Approx(4).epsilon(1e-9));
    CHECK(c.at("epsilon_of_best").get<double>() ==
          Approx(models::renyi_epsilon(of_best, 1e-5)).epsilon(1e-9));
    CHECK(c.at("epsilon_of_both").get<double>() == Approx(models::renyi_epsilon(both, 1e-5)).epsilon(1e-9));
    CHECK(c.at("epsilon_of_best") > c.at("epsilon_of_run"));
    CHECK(c.at("epsilon_of_both") > c.at("epsilon_of_best"));
  }
  CHECK_THAT(test::text_of(dir / "one/tuning.csv"),
             Contains("candidates,repetitions,runs,epsilon_of_run,epsilon_of_best,epsilon_of_both,delta\n"));
  // The number of trials is drawn from the seed, with the stated mean.
  std::vector<std::size_t> counts;
  for (int seed = 1; seed <= 4; ++seed) {
    const std::string plan =
        test::ended_with(dir, fmt::format("run s.json --dry-run -o none --seed {}", seed)).out;
    counts.push_back(std::stoul(plan.substr(std::string("selection: ").size())));
  }
  CHECK(std::set(counts.begin(), counts.end()).size() > 1);
}

TEST_CASE("tune.trials: candidates that spend a budget differently count by the largest divergences") {
  const Scratch dir;
  dir.write("s.json", trial_study(R"({"type": "negative_binomial", "eta": 1, "mean": 2})"));
  const auto epsilon = [&](const std::string& paths, const char* which) {
    test::ended_with(dir, "run s.json --no-progress -o out --set tune.paths='" + paths + "'");
    const auto manifest = nlohmann::json::parse(test::text_of(dir / "out/manifest.json"));
    return manifest.at("selection").at("chosen").at(0).at(which).get<double>();
  };
  for (const char* which : {"epsilon_of_run", "epsilon_of_best", "epsilon_of_both"}) {
    const double low = epsilon(R"({"privacy.epsilon": [1]})", which),
                 high = epsilon(R"({"privacy.epsilon": [3]})", which);
    CHECK(epsilon(R"({"privacy.epsilon": [1, 3, 2]})", which) == high);
    CHECK(low < high);
  }
}

TEST_CASE("tune.trials: refusals") {
  const Scratch dir;
  const std::string law = R"({"type": "negative_binomial", "eta": 1, "mean": 3})";
  const auto refusal = [&](const std::string& trials, const std::string& set) {
    return test::refusal(dir, "validate " + dir.write("s.json", trial_study(trials)) + " " + set);
  };
  CHECK_THAT(refusal(R"({"type": "poisson"})", ""), Contains("/tune/trials"));
  CHECK_THAT(refusal(R"({"type": "negative_binomial", "eta": -1})", ""), Contains("/tune/trials/eta"));
  CHECK_THAT(refusal(R"({"type": "negative_binomial", "mean": 1})", ""), Contains("/tune/trials/mean"));
  for (const char* other : {"tune.repetitions=3", "tune.budget=3", "tune.per=[]"})
    CHECK_THAT(refusal(law, std::string("--set ") + other), Contains("/tune/trials: replaces "));
  CHECK_THAT(refusal(law, "--set privacy=null --set privacy.mechanism=none"),
             Contains("/tune/trials: requires a private mechanism at every point"));
  CHECK_THAT(refusal(law, "--set data.draw=repetition"),
             Contains("s.json:6:24: /tune/trials: trials are of the same data"));
  CHECK_THAT(refusal(law, "--set tune.minimise=objective"),
             Contains("/tune/trials: choose by a metric of test records"));
  CHECK_THAT(
      refusal(
          law,
          R"(--set protocol='{"type": "p2p_coordinate_descent", "after_budget": "local"}' )"
          R"(--set tune.paths='{"privacy.epsilon": [1, 2]}' --set model.l2=0.1 --set network.topology=ring)"),
      Contains("/tune/trials: protocol.after_budget local"));
  dir.write("s.json", trial_study(law));
  // What only the assembled point shows.
  CHECK_THAT(
      test::ended_with(
          dir, R"(run s.json --no-progress --set stop.target='{"metric": "objective", "below": 0.01}')", 2)
          .err,
      Contains("/tune/trials: no guarantee covers all that a trial reads"));
}

TEST_CASE("tune: candidates run on other random graphs than those that are reported") {
  const Scratch dir;
  // Nothing else is drawn: rounds without noise, losses and latency.
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 8, "records": 20, "features": 2},
    "network": {"topology": {"type": "erdos_renyi", "probability": 0.5, "connected": "connect", "draw": "repetition"},
                "latency": 0}, "protocol": {"type": "dpsgd_gossip"}, "privacy": {"mechanism": "none"},
    "stop": {"iterations": 40}, "record": {"metrics": ["train_loss"]}, "repeat": 3,
    "tune": {"paths": {"protocol.step": [0.01, 0.02]}, "minimise": "train_loss"}})");
  test::ended_with(dir, "run s.json --no-progress -o out");
  std::set<std::uint64_t> tried;
  analysis::StoredStudy(dir / "out/selection")
      .each_run([](const auto&) {}, [&](const auto&, const auto& run) { tried.insert(run.fingerprint); });
  CHECK(tried.size() >= 3);
  analysis::StoredStudy(dir / "out")
      .each_run([](const auto&) {},
                [&](const auto&, const auto& run) { CHECK_FALSE(tried.contains(run.fingerprint)); });
}

TEST_CASE("tune: conclusions and the trace are of the study, not of its candidates") {
  const Scratch dir;
  dir.write("s.json", test::small_scenario(R"("sweep": {"privacy.epsilon": [1, 3, 10]}, "repeat": 3,
    "tune": {"paths": {"protocol.rho": [0.1]}, "minimise": "relative_fitness", "repetitions": 1},
    "baselines": ["isolated"], "analysis": {"gains": ["relative_fitness"], "slopes": [{"over": "privacy.epsilon"}]})"));
  const auto trace = [&](const std::string& words, int repetition) {
    const std::string set = fmt::format(" --set 'record.trace={{\"repetition\": {}}}'", repetition);
    test::ended_with(dir, "run s.json --no-progress -o out " + words + set);
    return test::text_of(dir / "out/trace.csv");
  };
  const std::string tuned = trace("", 2);
  // A gain of each of three owners at each of three budgets.
  CHECK(test::occurrences(test::text_of(dir / "out/fits.csv"), ",isolated minus mean\n") == 9);
  for (const char* file : {"fits.csv", "trace.csv"})
    CHECK_FALSE(std::filesystem::exists(std::filesystem::path(dir / "out/selection") / file));
  const std::string untuned = "--set tune=null --set protocol.rho=0.1";
  CHECK(tuned.size() > 1000);
  CHECK(tuned == trace(untuned, 2));
  CHECK(tuned != trace(untuned, 0));
}

TEST_CASE("tune: refusals") {
  const Scratch dir;
  const auto refusal = [&](const std::string& tune, const std::string& more = "") {
    return test::refusal(
        dir,
        "validate " + dir.write("s.json", test::small_scenario(R"("sweep": {"privacy.epsilon": [1, 10])" +
                                                               more + R"(}, "tune": )" + tune)));
  };
  const std::string best = R"("minimise": "relative_fitness", "on": "test"})";
  CHECK_THAT(refusal("3"), Contains("/tune: expected an object"));
  CHECK_THAT(
      refusal(R"({"paths": {"protocol.rho": [1, 2]}, )" + best, R"(, "random_numbers": "independent")"),
      Contains("/sweep/random_numbers: expected common"));
  CHECK_THAT(refusal("{" + best), Contains("/tune/paths: expected an object with the options to tune"));
  CHECK_THAT(refusal(R"({"paths": {"protocol.rh": [1, 2]}, )" + best),
             Contains("/tune/paths/protocol.rh: no point of the study has this option"));
  CHECK_THAT(refusal(R"({"paths": {"protocol.rho": [1, 2]}, "per": ["privacy.epsilo"], )" + best),
             Contains("/tune/per/0: expected an axis of the sweep (privacy.epsilon)") &&
                 Contains("did you mean 'privacy.epsilon'"));
  CHECK_THAT(refusal(R"({"paths": {"protocol.rho": [1, 2]}})"),
             Contains("/tune: give exactly one of minimise and"));
  // Only a metric of test records needs validation records.
  dir.write("s.json",
            test::small_scenario(R"("tune": {"paths": {"protocol.rho": [1, 2]}, "minimise": "test_error"})"));
  CHECK_THAT(test::refusal(
                 dir, R"(validate s.json --set data.test_records=10 --set 'record.metrics=["test_error"]')"),
             Contains("/tune/on: lending_like data have no validation records"));
  dir.write("s.json", test::small_scenario(
                          R"("tune": {"paths": {"protocol.rho": [1, 2]}, "minimise": "relative_fitness"})"));
  test::ended_with(dir, "validate s.json");
  dir.write("s.json",
            test::small_scenario(R"("tune": {"paths": {"protocol.rho": {"from": 1, "to": 1e300, "step": 1}},
    "minimise": "relative_fitness"})"));
  CHECK_THAT(test::ended_with(dir, "validate s.json", 3).err,
             Contains("the sweep has more than 100000 combinations of values"));
  for (const char* budget : {"\"halving\"", "0", "1.5", "[]"})
    CHECK_THAT(
        refusal(fmt::format(R"({{"paths": {{"protocol.rho": [1, 2]}}, "budget": {}, {})", budget, best)),
        Contains("/tune/budget"));
  CHECK_THAT(refusal(R"({"paths": {"privacy.epsilon": [1, 2]}, )" + best),
             Contains("privacy.epsilon is swept twice"));
  CHECK_THAT(refusal(R"({"paths": {"protocol.rho": [1, 2]}, )" + best,
                     R"(, "select": {"over": "privacy.epsilon", "minimise": "relative_fitness"})"),
             Contains("/tune: sweep.select tunes one axis: give only one of the two"));
}
