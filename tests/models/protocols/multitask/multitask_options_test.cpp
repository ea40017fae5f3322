// What the multi-task protocols refuse, and what they say of the guarantee that they are asked for.
#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/check.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;
using Eigen::VectorXd;

TEST_CASE("multi-task: what does not fit together is refused, with the option that it is about") {
  const auto data = low_rank_tasks(2, 40, models::TaskTarget::kClassification);
  auto clipped = by_turn(1, 1);
  clipped.clip = 0.01;
  const StudyFixture clips(data, logistic(), clipped, 1), plain(data, logistic(), by_turn(1, 1), 1);
  const auto refused = [](const StudyFixture& fixture, const models::AsyncMtl::Params& params,
                          const std::string& option, const char* why) {
    CHECK_THAT(error_at<sim::OptionError>([&] { models::AsyncMtl(params, fixture.study()); }),
               Catch::StartsWith(option + ": ") && Catch::Contains(why));
  };
  models::AsyncMtl::Params params;
  CHECK_NOTHROW(models::AsyncMtl(params, clips.study()));
  // A minimiser is not bounded by clipped steps: n = 1, x = 1, ridge 1/2 moves by 1.35 when y changes sign.
  params.q_update = models::OwnUpdate::kExact;
  refused(clips, params, "q_update", "not the sensitivity of a minimiser");
  params = {};
  params.sensitivity = models::TurnSensitivity::kAccumulated;
  refused(clips, params, "start", "not the sensitivity of a minimiser");
  params.start = models::TaskStart::kZero;
  CHECK_NOTHROW(models::AsyncMtl(params, clips.study()));
  params.sensitivity = models::TurnSensitivity::kReleased;
  refused(clips, params, "sensitivity", "uses fixed constants");
  CHECK_NOTHROW(models::AsyncMtl(params, plain.study()));
  params = {};
  params.alpha_1 = 4;  // L = 1/4 + tau
  refused(plain, params, "alpha_1", "expected a step below 1/L = 3.98");

  models::PrivacyOptions second;
  second.mechanism = models::ExponentialNorm{};
  second.epsilon_2 = 1;
  const StudyFixture one(data, logistic(), second, 1);
  refused(one, {}, "q_noise", "needs privacy.epsilon_1");
  params = {};
  params.q_noise = false;
  CHECK_NOTHROW(models::AsyncMtl(params, one.study()));

  auto empty = data;
  empty.train[1] = {models::Records(0, 4), VectorXd(0)};
  const StudyFixture missing(empty, logistic(), by_turn(1, 1), 1);
  params.start = models::TaskStart::kZero;
  CHECK_THROWS_WITH(models::AsyncMtl(params, missing.study()),
                    Catch::Contains("owner 1: expected at least one training record"));
}

TEST_CASE("multi-task: what epsilon does not cover is said, and nothing where it covers all") {
  const auto data = low_rank_tasks(2, 40, models::TaskTarget::kClassification);
  const StudyFixture plain(data, logistic(), {}, 1), privately(data, logistic(), by_turn(1, 1), 1);
  const auto said = [](const StudyFixture& fixture, const models::MultitaskOptions& options,
                       const char* what) {
    const auto notes = options.notes(fixture.study());
    return std::count_if(notes.begin(), notes.end(),
                         [&](const std::string& n) { return n.find(what) != std::string::npos; }) == 1;
  };
  models::MultitaskOptions options;
  CHECK(options.notes(plain.study()).empty());
  CHECK(said(privately, options, "Lemma 1 holds q_t before the turn fixed"));
  CHECK_FALSE(said(privately, options, "c_3"));
  options.c_3 = options.c_4 = 1;  // of no use to a classifier
  CHECK_FALSE(said(privately, options, "c_3"));
  options.sensitivity = models::TurnSensitivity::kAccumulated;
  CHECK(options.notes(privately.study()).size() == 1);  // that epsilon is of a turn
  options.sensitivity = models::TurnSensitivity::kReleased;
  CHECK(said(privately, options, "constants of the published code"));
  // 12 records: 2/12 is 20 times 1e-2/1.2. With constants above the proof's there is nothing to multiply.
  CHECK(said(privately, options, "up to 20 times as large"));
  options.released_1 = options.released_2 = 1;
  CHECK_FALSE(said(privately, options, "times as large"));
  models::AsyncMtl::Params params;
  const auto read = [&](const StudyFixture& fixture) {
    models::AsyncMtl(params, fixture.study());
    return fixture.study().exact_reads->all();
  };
  CHECK(read(privately).empty());
  params.tolerance = 0.1;  // q_t without noise decides when the releases end
  CHECK(read(plain).empty());
  CHECK(read(privately).size() == 1);
  options = {};
  options.q_noise = false;
  CHECK(said(privately, options, "epsilon_2 holds q_t fixed"));
  options.trusted_server = true;
  CHECK(said(privately, options, "no guarantee over the run"));
  options.alpha_2 = 7.9;  // L = 1/4 of all possible records
  CHECK_FALSE(said(privately, options, "alpha_2"));
  options.alpha_2 = 8;
  CHECK(said(privately, options, "proved below 2/L = 8"));
  CHECK_FALSE(said(plain, options, "alpha_2"));  // those that there are, are shorter
}

TEST_CASE("multi-task: a run that goes on after a task's last turn is warned about, except with block") {
  const auto data = low_rank_tasks(2, 40, models::TaskTarget::kClassification);
  const auto warned = [&](models::ColumnUpdate form, std::uint64_t iterations) {
    const StudyFixture fixture(data, logistic(), {}, iterations);
    models::AsyncMtl::Params params;
    params.turns = 100;
    params.column_update = form;
    const auto notes = params.notes(fixture.study());
    return std::any_of(notes.begin(), notes.end(), [](const std::string& n) {
      return n.find("stop.iterations = 190") != std::string::npos;  // 0.95 * 100 * 2
    });
  };
  CHECK_FALSE(warned(models::ColumnUpdate::kAll, 190));
  CHECK(warned(models::ColumnUpdate::kAll, 191));
  CHECK(warned(models::ColumnUpdate::kArrived, 200));
  CHECK_FALSE(warned(models::ColumnUpdate::kBlock, 200));
}
