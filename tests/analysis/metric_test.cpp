#include "analysis/metrics/metric.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "analysis/metrics/baselines.hpp"
#include "analysis/metrics/recorder.hpp"
#include "models/core/registry.hpp"
#include "tests/support/study_fixture.hpp"

using namespace hearsay;

namespace {

// Two owners of one record each, x = 1: f(theta) = ((theta - 1)^2 + (theta - 3)^2)/2 = (theta - 2)^2 + 1, so
// theta* = 2, f* = 1. Test records: owner 1 has y = 0, owner 2 has y = 4 twice.
models::DataSet data() {
  models::DataSet set;
  set.feature_names = {"x"};
  for (const double y : {1.0, 3.0}) {
    set.train.push_back({models::Records::Ones(1, 1), Eigen::VectorXd::Constant(1, y)});
    set.owner_names.push_back("owner");
  }
  set.test.push_back({models::Records::Ones(1, 1), Eigen::VectorXd::Constant(1, 0.0)});
  set.test.push_back({models::Records::Ones(2, 1), Eigen::VectorXd::Constant(2, 4.0)});
  return set;
}

models::ModelOptions unregularised() {
  models::ModelOptions model;
  model.l2 = 0;
  return model;
}

std::vector<double> measure(std::string_view name, const models::World& world) {
  const analysis::Metric* metric = analysis::find_metric(name);
  REQUIRE(metric != nullptr);
  std::vector<double> out(metric->size(world.problem().owners()));
  metric->measure(world, out);
  return out;
}

}  // namespace

TEST_CASE("metrics: fitness, distance and errors of a learner's model by hand") {
  const test::StudyFixture fixture(data(), unregularised(), {}, 1);
  const auto world = fixture.world(fixture.engine());
  world->models(0, 0) = 5;
  // f(5) = 9 + 1; psi = 10/1 - 1; (5 - 2)^2; test errors 25, and 1 twice.
  CHECK(measure("objective", *world)[0] == Approx(10));
  CHECK(measure("relative_fitness", *world)[0] == Approx(9));
  CHECK(measure("cost_of_privacy", *world)[0] == Approx(9));
  CHECK(measure("distance", *world)[0] == Approx(9));
  CHECK(measure("test_error", *world)[0] == Approx(27.0 / 3));
  CHECK(measure("test_error_by_owner", *world) == std::vector<double>{25, 1});
  CHECK(measure("own_test_error", *world)[0] == Approx(13));
}

TEST_CASE("metrics: own test errors by the number of training records, and their roots") {
  // Six owners with 3, 1, 2, 9, 1, 4 training records and the test error y^2 of the model 0: by number of
  // records owners 1 and 4, 2 and 0, 5 and 3, in quarters of 1, 2, 1 and 2.
  models::DataSet set;
  set.feature_names = {"x"};
  const Eigen::Index records[] = {3, 1, 2, 9, 1, 4};
  for (int i = 0; i < 6; ++i) {
    set.train.push_back({models::Records::Ones(records[i], 1), Eigen::VectorXd::Ones(records[i])});
    set.test.push_back({models::Records::Ones(1, 1), Eigen::VectorXd::Constant(1, i + 1.0)});
    set.owner_names.push_back("owner");
  }
  const test::StudyFixture fixture(std::move(set), unregularised(), {}, 0);
  const auto world = fixture.world(fixture.engine());
  world->models.setZero();
  CHECK(measure("own_test_error_q1", *world)[0] == Approx(4));                // owner 1
  CHECK(measure("own_test_error_q2", *world)[0] == Approx((25 + 9) / 2.0));   // owners 4 and 2
  CHECK(measure("own_test_error_q3", *world)[0] == Approx(1));                // owner 0
  CHECK(measure("own_test_error_q4", *world)[0] == Approx((36 + 16) / 2.0));  // owners 5 and 3
  CHECK(measure("own_test_rmse", *world)[0] == Approx(3.5));
  CHECK(measure("own_test_error", *world)[0] == Approx(91 / 6.0));
}

TEST_CASE("metrics: without a learner, means over the agents' own models") {
  const test::StudyFixture fixture(data(), unregularised(), {}, 1, sim::Ring{}, false);
  const auto world = fixture.world(fixture.engine());
  world->models(0, 0) = 2;
  world->models(0, 1) = 4;
  // f(2) = 1, f(4) = 5; distances 0 and 4; mean model 3, each 1 away.
  CHECK(measure("objective", *world)[0] == Approx(3));
  CHECK(measure("relative_fitness", *world)[0] == Approx(2));
  CHECK(measure("distance", *world)[0] == Approx(2));
  CHECK(measure("consensus_distance", *world)[0] == Approx(1));
  CHECK(measure("test_error_by_owner", *world) == std::vector<double>{4, 0});
}

TEST_CASE("metrics: fractions, staleness and spent budgets are computed from counters") {
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Laplace{};
  privacy.gradient_bound = 1;
  const test::StudyFixture fixture(data(), unregularised(), privacy, 1);
  const auto world = fixture.world(fixture.engine());
  CHECK(measure("clipped_share", *world)[0] == 0);
  CHECK(measure("staleness", *world)[0] == 0);
  world->tally = {.projections = 8,
                  .clipped = 2,
                  .gradients = 4,
                  .clipped_records = 1,
                  .updates = 5,
                  .staleness_steps = 10,
                  .staleness_time = 2.5};
  // Gaussian releases of (1/4, 2^-20) and (1/8, 2^-20) each, added up.
  const auto open = [&](sim::AgentId agent, double epsilon) {
    models::Releases steps(models::calibrated_gaussian_step(30, epsilon, 0x1p-20), 10);
    const models::AccountantOptions basic{.delta = 10 * 0x1p-20};
    world->ledger.open(agent, std::make_shared<models::ReleaseSchedule>(10 * epsilon, steps, basic));
  };
  open(1, 0.25);
  open(2, 0.125);
  world->ledger.charge(1);
  world->ledger.charge(1);
  world->ledger.charge(2);
  CHECK(measure("clipped_share", *world)[0] == 0.25);
  CHECK(measure("clipped_records", *world)[0] == 0.25);
  CHECK(measure("staleness", *world)[0] == 2);
  CHECK(measure("staleness_time", *world)[0] == 0.5);
  CHECK(measure("epsilon_spent", *world)[0] == 0.5);
  CHECK(measure("epsilon_spent_by_owner", *world) == std::vector<double>{0.5, 0.125});
  CHECK(measure("epsilon_budget_by_owner", *world) == std::vector<double>{2.5, 1.25});
  CHECK(measure("epsilon_step_by_owner", *world) == std::vector<double>{0.25, 0.125});
  CHECK(measure("delta_spent", *world)[0] == 2 * 0x1p-20);
  CHECK(measure("delta_spent_by_owner", *world) == std::vector<double>{2 * 0x1p-20, 0x1p-20});
  CHECK(measure("releases_by_owner", *world) == std::vector<double>{2, 1});
  CHECK(measure("fraction_up", *world)[0] == 1);
}

TEST_CASE("metrics: each has a unique name, a help line and a function") {
  std::set<std::string_view> names;
  for (const analysis::Metric& m : analysis::metrics()) {
    CHECK(names.insert(m.name).second);
    CHECK_FALSE(m.help.empty());
    bool declared = false;
    for (const models::ProtocolRow& row : models::protocols()) {
      for (const models::ProtocolMetric& of_protocol : row.metrics) declared |= of_protocol.name == m.name;
    }
    CHECK((m.of_world != nullptr) != declared);
    CHECK(analysis::find_metric(m.name) == &m);
  }
  CHECK(analysis::find_metric("no such metric") == nullptr);
}

TEST_CASE("recorder: one sample per observation with all metrics, and whether all values were finite") {
  const test::StudyFixture fixture(data(), unregularised(), {}, 1);
  const auto world = fixture.world(fixture.engine());
  analysis::Recorder recorder(
      {analysis::find_metric("objective"), analysis::find_metric("releases_by_owner")}, 2);
  CHECK(recorder.width() == 3);
  world->models(0, 0) = 2;
  recorder.observe(*world);
  world->models(0, 0) = 5;
  world->iterations = 4;
  recorder.observe(*world);
  CHECK(recorder.finite());
  REQUIRE(recorder.series().samples.size() == 2);
  CHECK(recorder.series().samples[1].iteration == 4);
  REQUIRE(recorder.series().values.size() == 6);
  CHECK(recorder.series().values[0] == Approx(1));
  CHECK(recorder.series().values[3] == Approx(10));
  world->models(0, 0) = std::numeric_limits<double>::infinity();
  recorder.observe(*world);
  CHECK_FALSE(recorder.finite());
}

TEST_CASE("baselines: isolated and pooled models by hand") {
  // theta*_1 = 1 and theta*_2 = 3, f = 2 at both: psi = 1. Test error on all three test records: of theta = 1
  // (1 + 9 + 9)/3, of 3 (9 + 1 + 1)/3, of the pooled 2 (4 + 4 + 4)/3.
  const test::StudyFixture fixture(data(), unregularised(), {}, 1);
  const auto all = analysis::baselines(fixture.problem(), fixture.optimum(),
                                       {analysis::Baseline::kIsolated, analysis::Baseline::kPooled}, 1);
  const auto value = [&](const std::string& name, std::optional<sim::AgentId> agent) {
    for (const analysis::Scalar& s : all) {
      if (s.name == name && s.agent == agent) return s.value;
    }
    return std::numeric_limits<double>::quiet_NaN();
  };
  CHECK(value("isolated.relative_fitness", 1) == Approx(1));
  CHECK(value("isolated.relative_fitness", 2) == Approx(1));
  CHECK(value("isolated.relative_fitness", {}) == Approx(1));
  CHECK(value("isolated.test_error", 1) == Approx(19.0 / 3));
  CHECK(value("isolated.test_error", 2) == Approx(11.0 / 3));
  CHECK(value("isolated.test_error", {}) == Approx(5));
  CHECK(value("pooled.objective", {}) == Approx(1));
  CHECK(value("pooled.relative_fitness", {}) == 0);
  CHECK(value("pooled.test_error", {}) == Approx(4));
}
