// What owners gain from collaborating, worked out by hand.
#include <catch2/catch.hpp>

#include <cmath>

#include "analysis/conclusions/conclusions.hpp"
#include "analysis/figures/owner_values.hpp"
#include "analysis/store/store.hpp"
#include "tests/support/figure_study.hpp"

using namespace hearsay;
using analysis::Store;

namespace {

// Repetition r has isolated error r + 1 of the first owner and 1 of the second; with collaboration r + 0.5 and 1 + r, to which
// `more` is added of the first owner in the last repetition.
void write_study(const std::filesystem::path& folder, std::uint32_t repetitions,
                 const std::string& scenario = "", analysis::Better better = analysis::Better::kLower,
                 double more = 0) {
  Store store(folder);
  analysis::StudyPlan plan;
  plan.head.metrics = {{"test_error_by_owner", "", "", true, better}};
  plan.record_key = "r";
  plan.info["scenario"] = scenario;
  plan.points = {{"key", {}, repetitions, "d"}};
  store.begin_study(plan);
  store.put_point(0, {.owners = 2, .first_owner = 1});
  for (std::uint32_t r = 0; r < repetitions; ++r) {
    analysis::RunResult run;
    run.repetition = r;
    run.series.samples = {{7, 1, 0, 0, 0}};
    run.series.values = {r + 0.5 + (r + 1 == repetitions ? more : 0), 1.0 + r};
    run.scalars = {{"isolated.test_error_by_owner", 1, 1.0 + r}, {"isolated.test_error_by_owner", 2, 1}};
    store.put_run(run);
  }
  store.close();
}

}  // namespace

TEST_CASE("gains: the difference is taken within each repetition, in tables and in the report alike") {
  const test::Scratch dir;
  write_study(dir.path(), 3);
  analysis::StoredStudy study(dir.path());
  analysis::ConclusionInput input;
  input.options.gains = {analysis::ComparedMetric::kTestErrorByOwner};
  input.points.resize(1);
  const analysis::Conclusions found = analysis::conclude(study, input);
  REQUIRE(found.gains.size() == 2);
  // Always 0.5, though the errors themselves spread from 0.5 to 2.5.
  CHECK(found.gains[0].gain.value == Approx(0.5));
  CHECK(found.gains[0].gain.low == Approx(0.5));
  // 0, -1, -2: mean -1, s = 1, t(0.975, 2) = 4.302653.
  CHECK(found.gains[1].gain.value == Approx(-1));
  CHECK(found.gains[1].gain.high == Approx(-1 + 4.302653 / std::sqrt(3.0)).epsilon(1e-6));
  CHECK_THAT(found.text(), Catch::Contains("2     1                   1                   0"));
  const analysis::GainCounts counts =
      analysis::gather(study, test::plain_number).points.at(0).by_owner.at(0).counts;
  CHECK(counts.gain == 1);
  CHECK(counts.significant == 1);
  CHECK(counts.lose == 0);
}

TEST_CASE("gains: an infinite one makes the mean infinite, in tables and in the report alike") {
  const test::Scratch dir;
  write_study(dir.path(), 2, "", analysis::Better::kLower, HUGE_VAL);
  analysis::StoredStudy study(dir.path());
  analysis::ConclusionInput input;
  input.options.gains = {analysis::ComparedMetric::kTestErrorByOwner};
  input.points.resize(1);
  const analysis::Conclusions found = analysis::conclude(study, input);
  REQUIRE(found.gains.size() == 2);
  // 0.5 and -inf, where 0.5 alone would be a gain; 0 and -1, with an interval around -0.5 of 12.7 * 0.5 on each side.
  CHECK(found.gains[0].gain.value == -HUGE_VAL);
  CHECK(std::isnan(found.gains[0].gain.high));
  CHECK_THAT(found.text(), Catch::Contains("2     0                   0                   0"));
  analysis::write_conclusions(found, dir.path());
  CHECK_THAT(test::text_of(dir / "fits.csv"),
             Catch::Contains("gain,,test_error_by_owner,1,-inf,nan,nan,isolated minus mean"));
  const analysis::GainCounts counts =
      analysis::gather(study, test::plain_number).points.at(0).by_owner.at(0).counts;
  CHECK(counts.owners == 2);
  CHECK(counts.gain == 0);
  CHECK(counts.lose == 0);
  CHECK(counts.mean == -HUGE_VAL);
}

TEST_CASE("gains: one repetition has no interval, so nothing is significant") {
  const test::Scratch dir;
  write_study(dir.path(), 1);
  analysis::StoredStudy study(dir.path());
  const auto counts = analysis::gather(study, test::plain_number).points.at(0).by_owner.at(0).counts;
  CHECK(counts.gain == 1);
  CHECK(counts.significant == 0);
}

TEST_CASE("gains: owners without one, as they have no test records, are not counted") {
  analysis::StudyHead head;
  head.metrics = {{"test_error_by_owner", "", "", true}};
  const analysis::PointResult point{.owners = 3, .first_owner = 1};
  analysis::ReducedRun run;
  run.scalars = {{"isolated.test_error_by_owner", 1, 1}, {"isolated.test_error_by_owner", 3, 1}};
  run.last = {{0.5, NAN, 3}};
  const auto counts = analysis::owner_values(head, 0, point, {run, run}).counts;
  CHECK(counts.owners == 2);
  CHECK(counts.gain == 1);
  CHECK(counts.significant == 1);
  CHECK(counts.lose == 1);
  CHECK(counts.mean == Approx(-0.75));  // of 0.5 and -2
  run.last = {{NAN, NAN, NAN}};
  CHECK(analysis::owner_values(head, 0, point, {run}).counts.owners == 0);
}

TEST_CASE("gains: figures show those in the metrics that the scenario asks for") {
  for (const auto& [metric, owners] :
       {std::pair("relative_fitness", 0u), std::pair("test_error_by_owner", 2u)}) {
    const test::Scratch dir;
    write_study(dir.path(), 2, std::string(R"({"analysis": {"gains": [")") + metric + "\"]}}");
    analysis::StoredStudy study(dir.path());
    CHECK(analysis::gather(study, test::plain_number).points.at(0).by_owner.at(0).counts.owners == owners);
  }
}

TEST_CASE("gains: where more is better, an owner gains what it has beyond its isolated model") {
  const test::Scratch dir;
  write_study(dir.path(), 3, "", analysis::Better::kHigher);
  analysis::StoredStudy study(dir.path());
  // 0.5 less in each repetition; 0, 1, 2 more: mean 1, and t(0.975, 2)/sqrt(3) = 2.48 on each side.
  const analysis::StudyData data = analysis::gather(study, test::plain_number);
  CHECK_THAT(
      test::draw(data, "gains", 0).at(0).caption,
      Catch::StartsWith("Gain: value of the owner with collaboration, minus that of its isolated model"));
  const auto counts = data.points.at(0).by_owner.at(0).counts;
  CHECK(counts.mean == Approx(0.25));
  CHECK(counts.gain == 1);
  CHECK(counts.significant == 0);
  CHECK(counts.lose == 1);
  // Stores of hearsay 0.2 do not say of which metrics.
  const auto described = [](const char* name) {
    return analysis::Json{{"name", name}, {"help", ""}, {"unit", ""}, {"per_agent", true}}
        .get<analysis::MetricInfo>();
  };
  CHECK(described("accuracy_by_owner").better == analysis::Better::kHigher);
  CHECK(described("test_error_by_owner").better == analysis::Better::kLower);
}

TEST_CASE("gains: where less is better, the caption says so") {
  const test::Scratch dir;
  write_study(dir.path(), 3);
  analysis::StoredStudy study(dir.path());
  const auto gains = test::draw(analysis::gather(study, test::plain_number), "gains", 0);
  CHECK_THAT(gains.at(0).caption,
             Catch::StartsWith("Gain: value of the owner's isolated model without privacy, "
                               "minus its value with collaboration; above 0 the owner gains"));
}

TEST_CASE("metrics: their descriptions are stored with what is better") {
  using analysis::Better;
  for (const auto& [name, better] :
       {std::pair("messages", Better::kLower), std::pair("epsilon_spent", Better::kLower),
        std::pair("accuracy", Better::kHigher), std::pair("fraction_up", Better::kHigher),
        std::pair("time", Better::kNone), std::pair("releases_by_owner.max", Better::kNone)}) {
    INFO(name);
    const analysis::MetricInfo info = analysis::find_metric(name)->info();
    CHECK(info.better == better);
    CHECK(analysis::Json(info).get<analysis::MetricInfo>() == info);
  }
}
