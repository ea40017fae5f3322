// Divergence by the models of a run, worked by hand: y = 1 and 3 with x = 1, f(theta) = (theta - 2)^2 + 1.
#include "analysis/metrics/model_check.hpp"

#include <catch2/catch.hpp>

#include "analysis/metrics/recorder.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;

TEST_CASE("divergence: by the learner's model, whatever is recorded") {
  // f(0) = 5: the limit 5e6 lies between f(2 + 2236) = 4999697 and f(2 + 2237) = 5004170.
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 1);
  for (const char* metric : {"messages", "time"}) {
    const auto world = fixture.world(fixture.engine());
    analysis::Recorder recorder({analysis::find_metric(metric)}, 2);
    recorder.observe(*world);
    world->models(0, 0) = 2 + 2236;
    recorder.observe(*world);
    CHECK_FALSE(recorder.divergence(*world));
    // Not observed: the models at the end count.
    world->models(0, 0) = 2 + 2237;
    world->iterations = 7;
    CHECK(recorder.divergence(*world) ==
          "the objective of the model was 5 at the start and 5.004e+06 at 0 s (iteration 7)");
    world->tally.noise = 1;  // 1e6 (5 + 1)
    CHECK_FALSE(recorder.divergence(*world));
  }
}

TEST_CASE("divergence: a recorded moment counts, also where the models come back") {
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 1);
  const auto world = fixture.world(fixture.engine());
  analysis::Recorder recorder({}, 2);
  for (const double theta : {0.0, 1.0, 1e4, 2.0}) {
    world->models(0, 0) = theta;
    world->iterations += 10;
    recorder.observe(*world);
  }
  CHECK(recorder.divergence(*world) ==
        "the objective of the model was 5 at the start and 9.996e+07 at 0 s (iteration 30)");
  world->models(0, 0) = std::numeric_limits<double>::quiet_NaN();
  analysis::Recorder another({}, 2);
  another.observe(*world);
  CHECK(another.divergence(*world) == "a model is not finite at 0 s (iteration 40)");
}

TEST_CASE("divergence: without a learner by every owner's own model and records") {
  // Mean of (theta_1 - 1)^2 and (theta_2 - 3)^2, at the start (1, 3) 0, of models that are 0 5: limit 5e6.
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 1, sim::Ring{}, false);
  const auto world = fixture.world(fixture.engine());
  world->models << 1, 3;
  analysis::Recorder recorder({}, 2);
  recorder.observe(*world);
  world->models << 1, 3 + 3162;  // 3162^2/2 = 4999122
  CHECK_FALSE(recorder.divergence(*world));
  world->models << 1, 3 + 3163;  // 5002285 (rounded up)
  CHECK(recorder.divergence(*world) ==
        "the objective of the models was 0 at the start and 5.002e+06 at 0 s (iteration 0)");
}
