// Which points conclusions are about, worked out by hand.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>

#include "analysis/conclusions/conclusions.hpp"
#include "analysis/store/store.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;

namespace {

// At 0, 0.1 and 0.3 the relative fitness ends at 5, 1 and 3.
analysis::StoredStudy three_points(const std::filesystem::path& folder) {
  analysis::Store store(folder);
  analysis::StudyPlan plan;
  plan.head.axes = {"x"};
  plan.head.metrics = {{"relative_fitness", "", ""}};
  plan.record_key = "r";
  const std::vector<std::pair<const char*, double>> points{{"0", 5}, {"0.1", 1}, {"0.3", 3}};
  for (std::size_t p = 0; p < points.size(); ++p)
    plan.points.push_back({fmt::format("key-{}", p), {points[p].first}, 1, "d"});
  store.begin_study(plan);
  for (std::size_t p = 0; p < points.size(); ++p) {
    store.put_point(p, {.owners = 1}, {});
    analysis::RunResult run{.point = p};
    run.series = {.samples = {{.iteration = 1}}, .values = {points[p].second}};
    store.put_run(run);
  }
  store.close();
  return analysis::StoredStudy(folder);
}

}  // namespace

TEST_CASE("conclusions: points without a logarithm are not among those of a slope") {
  const test::Scratch dir;
  analysis::StoredStudy study = three_points(dir.path());
  analysis::ConclusionInput input;
  input.options.slopes.resize(1);
  input.options.slopes[0].over = "x";
  input.groups = {0};
  for (const double x : {0.0, 0.1, 0.3}) input.points.push_back({.axes = {x}, .slope_where = {true}});
  const analysis::Conclusions found = analysis::conclude(study, input);
  REQUIRE(found.slopes.size() == 1);
  CHECK(found.slopes[0].points == 2);
  CHECK(found.slopes[0].left_out == 1);
  CHECK(found.slopes[0].slope.value == Approx(1));  // log 3/log 3
  CHECK_THAT(found.text(), Catch::Contains("2 of 3") &&
                               Catch::Contains("\n1 of 3 points left out: value or mean not above 0\n"));
  analysis::write_conclusions(found, dir.path());
  CHECK(test::rows_of(dir / "fits.csv").at(1).back() == "2 of 3 points");
}

TEST_CASE("conclusions: points without a finite ratio are not among those of a bound") {
  const test::Scratch dir;
  analysis::StoredStudy study = three_points(dir.path());
  analysis::ConclusionInput input;
  analysis::BoundOptions bound;
  const auto all = analysis::bounds();
  while (all[bound.type.index].name != "cost_of_privacy_11") ++bound.type.index;
  bound.c1 = 0;
  bound.c2 = 1;
  input.options.bounds = {bound};
  input.groups = {0};
  // s/n^2 = 2 and 1 where there is noise, none at the first point.
  for (const double epsilon : {0.0, 0.5, 1.0}) {
    input.points.push_back({.axes = {epsilon}, .bound_where = {true}});
    if (epsilon > 0) input.points.back().setting.epsilon = {std::sqrt(epsilon)};
    input.points.back().setting.records = 1;
  }
  const analysis::Conclusions found = analysis::conclude(study, input);
  CHECK(found.bounds.at(0).points == 2);
  CHECK(found.bounds[0].left_out == 1);
  CHECK(found.bounds[0].min == Approx(0.5));
  CHECK(found.bounds[0].max == Approx(3));
  CHECK_THAT(found.text(), Catch::Contains("1 of 3 points left out: no finite mean/bound"));
}
