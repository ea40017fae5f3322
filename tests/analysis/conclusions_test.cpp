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
  // Both constants free: c1 sqrt(2) + 2 c2 = 1 and c1 + c2 = 3 with c2 = 0; either equation alone determines neither.
  input.options.bounds[0].c1 = input.options.bounds[0].c2 = std::nullopt;
  CHECK(analysis::conclude(study, input).bounds.at(0).constants.at(0).estimate.value ==
        Approx((std::sqrt(2) + 1. / 3) / (2 + 1. / 9)));
  input.points[1].bound_where = {false};
  const analysis::Conclusions undetermined = analysis::conclude(study, input);
  for (const auto& constant : undetermined.bounds.at(0).constants) CHECK(std::isnan(constant.estimate.value));
  CHECK(undetermined.bounds[0].points == 0);
  CHECK_THAT(undetermined.text(), Catch::Contains("c1 and c2 are not determined: give one of them"));
}

TEST_CASE("conclusions: closed forms are of one algorithm, and of runs that reach T") {
  const test::Scratch dir;
  analysis::StoredStudy study = three_points(dir.path());  // whose runs have no iterations
  analysis::ConclusionInput input;
  analysis::BoundOptions bound;
  const auto all = analysis::bounds();
  while (all[bound.type.index].name != "value_of_collaboration_9") ++bound.type.index;
  input.options.bounds = {bound};
  input.groups = {0};
  // 8 Xi^2 rho/(L n^2) s = 8 of a run that ends at T = 0, by strongly_convex; then by another rule, and before T = 1.
  using enum analysis::CentralRule;
  for (const auto& [rule, horizon] :
       {std::pair{kStronglyConvex, 0.0}, {kAsynchronous, 0.0}, {kStronglyConvex, 1.0}}) {
    input.points.push_back({.setting = {.epsilon = {1},
                                        .records = 1,
                                        .horizon = horizon,
                                        .rho = 1,
                                        .bound = 1,
                                        .hessian_min = 1,
                                        .rule = rule},
                            .bound_where = {true}});
  }
  const analysis::Conclusions found = analysis::conclude(study, input);
  CHECK(found.bounds.at(0).values.at(0) == Approx(8));
  CHECK(std::isnan(found.bounds[0].values.at(1)));
  CHECK(std::isnan(found.bounds[0].values.at(2)));
  CHECK(found.bounds[0].left_out == 2);
}
