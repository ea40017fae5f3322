#include "analysis/metrics/metric.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "analysis/metrics/baselines.hpp"
#include "analysis/metrics/recorder.hpp"
#include "models/registry.hpp"
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
  CHECK(measure("test_error_on_owner", *world) == std::vector<double>{25, 1});
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
  CHECK(measure("test_error_by_owner.q1", *world)[0] == Approx(4));                // owner 1
  CHECK(measure("test_error_by_owner.q2", *world)[0] == Approx((25 + 9) / 2.0));   // owners 4 and 2
  CHECK(measure("test_error_by_owner.q3", *world)[0] == Approx(1));                // owner 0
  CHECK(measure("test_error_by_owner.q4", *world)[0] == Approx((36 + 16) / 2.0));  // owners 5 and 3
  CHECK(measure("own_test_rmse", *world)[0] == Approx(3.5));
  CHECK(measure("own_test_error", *world)[0] == Approx(91 / 6.0));
}

TEST_CASE("metrics: statistics over owners by hand, in any order of the owners") {
  // Owner i of 12 has the test error y_i^2 of the model 0 and i + 1 training records; the last has no test record.
  const double errors[] = {4, 1, 9, 16, 25, 36, 49, 64, 81, 100, 121};
  models::DataSet set;
  set.feature_names = {"x"};
  for (int i = 0; i < 12; ++i) {
    set.train.push_back({models::Records::Ones(i + 1, 1), Eigen::VectorXd::Ones(i + 1)});
    const Eigen::Index tested = i < 11 ? 1 : 0;
    set.test.push_back({models::Records::Ones(tested, 1),
                        Eigen::VectorXd::Constant(tested, i < 11 ? std::sqrt(errors[i]) : 0)});
    set.owner_names.push_back("owner");
  }
  const test::StudyFixture fixture(std::move(set), unregularised(), {}, 0);
  const auto world = fixture.world(fixture.engine());
  world->models.setZero();
  const auto of = [&](std::string statistic) {
    return measure("test_error_by_owner." + statistic, *world)[0];
  };
  CHECK(of("mean") == Approx(46));  // (1 + 4 + ... + 121)/11 = 506/11
  std::vector<double> values(12);
  CHECK(analysis::find_metric("test_error_by_owner")->mean(*world, values) == Approx(46));
  CHECK(of("median") == Approx(36));
  CHECK(of("min") == Approx(1));
  CHECK(of("max") == Approx(121));
  CHECK(of("lower_quartile") == Approx((9 + 16) / 2.0));  // 2.5 of 0 to 10
  CHECK(of("upper_quartile") == Approx((64 + 81) / 2.0));
  CHECK(of("worst_decile") == Approx((121 + 100) / 2.0));  // 1.1 owners, rounded up
  CHECK(of("q1") == Approx((4 + 1 + 9) / 3.0));
  CHECK(of("q4") == Approx((100 + 121) / 2.0));  // the third has no test record
  CHECK(of("mean") == measure("own_test_error", *world)[0]);
  CHECK(of("q2") == Approx((16 + 25 + 36) / 3.0));
  CHECK(of("q3") == Approx((49 + 64 + 81) / 3.0));
}

TEST_CASE(
    "metrics: accuracy is the fraction classified correctly, its worst owners are those of least accuracy") {
  // The model 1 classifies x > 0 as +1. Of the test records x = 1, owner 1 has one of two right, owner 2 all three.
  models::DataSet set = data();
  for (models::Shard& shard : set.train) shard.target.setOnes();
  set.train[0].target.setConstant(-1);
  set.test[0] = {models::Records::Ones(2, 1), Eigen::Vector2d(1, -1)};
  set.test[1] = {models::Records::Ones(3, 1), Eigen::Vector3d(1, 1, 1)};
  models::ModelOptions model;
  model.loss = models::LogisticLoss{};
  const test::StudyFixture fixture(std::move(set), model, {}, 1);
  const auto world = fixture.world(fixture.engine());
  world->models(0, 0) = 1;
  CHECK(measure("accuracy", *world)[0] == Approx(0.8));
  CHECK(measure("accuracy_by_owner", *world) == std::vector<double>{0.5, 1});
  CHECK(measure("own_test_accuracy", *world)[0] == Approx(0.75));
  CHECK(measure("accuracy_by_owner.worst_decile", *world)[0] == Approx(0.5));
  CHECK(measure("test_error_by_owner.worst_decile", *world)[0] == Approx(0.5));
}

TEST_CASE("metrics: agents with a model of several classes each are tested on their own records") {
  // Three classes, x = (a, b), models W row after row. Agent 0 has scores (a, b, 0): (2, 1) is class 0, (1, 2) class 1,
  // (-1, -2) class 2. Agent 1 has (0, a, b): the same records are classes 1, 2 and 0.
  models::DataSet set;
  set.feature_names = {"a", "b"};
  set.classes = {"x", "y", "z"};
  const models::Records records{{2, 1}, {1, 2}, {-1, -2}};
  for (int i = 0; i < 2; ++i) {
    set.train.push_back({records, Eigen::Vector3d(0, 1, 2)});
    set.test.push_back({records, Eigen::Vector3d(0, 2, 2)});
    set.owner_names.push_back("owner");
  }
  set.test[1].target = Eigen::Vector3d(0, 2, 1);
  const test::StudyFixture fixture(std::move(set), {.loss = models::SoftmaxLoss{}}, {}, 1, sim::Ring{},
                                   false);
  const auto world = fixture.world(fixture.engine());
  world->models.col(0) << 1, 0, 0, 1, 0, 0;
  world->models.col(1) << 0, 0, 1, 0, 0, 1;
  // Right: agent 0 the first and the third, agent 1 the second.
  CHECK(measure("accuracy_by_owner", *world) == std::vector<double>{1 - 1.0 / 3, 1 - 2.0 / 3});
  CHECK(measure("test_error_by_owner", *world) == std::vector<double>{1.0 / 3, 2.0 / 3});
  // On owner 0's records agent 0 is right twice and agent 1 once, on owner 1's each once.
  CHECK(measure("accuracy_on_owner", *world)[0] == Approx(0.5));
  CHECK(measure("accuracy_on_owner", *world)[1] == Approx(1.0 / 3));
  CHECK(measure("own_test_accuracy", *world)[0] == Approx(0.5));
  CHECK(measure("own_test_error", *world)[0] == Approx(0.5));
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
  // Targets 0, and 4 twice: models 2 and 4 are wrong by 4 and 16, and by 4 and 0.
  CHECK(measure("test_error_on_owner", *world) == std::vector<double>{10, 2});
}

TEST_CASE("metrics: honest and hostile agents apart") {
  const test::StudyFixture fixture(data(), unregularised(), {}, 1, sim::Ring{}, false);
  models::HostileGroup group;
  group.agents = {1};
  const models::HostileAgents agents(group, fixture.study().topology, 0, false, sim::Streams(1, 0));
  models::Study study = fixture.study();
  study.hostile = &agents;
  models::World world(study, fixture.engine(), sim::Streams(1, 0));
  world.models(0, 0) = 2;
  world.models(0, 1) = 4;
  // The values of the test before, of one agent each.
  CHECK(measure("objective.honest", world)[0] == Approx(1));
  CHECK(measure("objective.hostile", world)[0] == Approx(5));
  CHECK(measure("consensus_distance.honest", world)[0] == 0);
  CHECK(measure("test_error_by_owner.honest", world)[0] == 4);
  CHECK(measure("test_error_by_owner.hostile", world)[0] == 0);
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
    const std::vector steps{models::calibrated_gaussian_step(30, epsilon, 0x1p-20)};
    const models::AccountantOptions basic{.delta = 10 * 0x1p-20};
    world->ledger.open(agent, std::make_shared<models::ReleaseSchedule>(10 * epsilon, steps, 10, basic));
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
    CHECK(m.is_general() != declared);
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
  CHECK_FALSE(recorder.divergence(*world));
  REQUIRE(recorder.series().samples.size() == 2);
  CHECK(recorder.series().samples[1].iteration == 4);
  REQUIRE(recorder.series().values.size() == 6);
  CHECK(recorder.series().values[0] == Approx(1));
  CHECK(recorder.series().values[3] == Approx(10));
  world->overflowed = 2;
  CHECK(recorder.divergence(*world) == "a vector that agent 2 sent was not finite at 0 s (iteration 4)");
  world->models(0, 0) = std::numeric_limits<double>::infinity();
  recorder.observe(*world);
  CHECK(recorder.divergence(*world) == "objective was 1 at the start and not finite at 0 s (iteration 4)");
}

namespace {

// What a recorder of these metrics says of a run whose learner has the model `start`, then `end`.
std::optional<std::string> divergence_of(std::vector<std::string_view> names, double start, double end,
                                         models::DataSet set = data(), double noise = 0) {
  const test::StudyFixture fixture(std::move(set), unregularised(), {}, 1);
  const auto world = fixture.world(fixture.engine());
  std::vector<const analysis::Metric*> metrics;
  for (const std::string_view name : names) metrics.push_back(analysis::find_metric(name));
  analysis::Recorder recorder(metrics, 2);
  world->models(0, 0) = start;
  recorder.observe(*world);
  world->models(0, 0) = end;
  world->tally.noise = noise;
  recorder.observe(*world);
  return recorder.divergence(*world);
}

}  // namespace

TEST_CASE("recorder: a run has diverged when a metric of quality exceeds 1e6 times its start or its scale") {
  // f(theta) = (theta - 2)^2 + 1 = 1 at the start: 1e6 lies between f(1001) = 998002 and f(1003) = 1002002.
  CHECK_FALSE(divergence_of({"objective"}, 2, 1001));
  CHECK(divergence_of({"objective"}, 2, 1003) ==
        "objective was 1 at the start and 1.002e+06 at 0 s (iteration 0)");
  // psi and f - f* are 0 at the start, and compared with 1 and f* = 1.
  CHECK_FALSE(divergence_of({"relative_fitness", "cost_of_privacy"}, 2, 1001));
  CHECK(divergence_of({"relative_fitness"}, 2, 1003));
  CHECK(divergence_of({"cost_of_privacy"}, 2, 1003));
  // norm(theta - theta*)^2, theta* = 2: compared with norm(theta*)^2 = 4, or with the start, (102 - 2)^2.
  CHECK_FALSE(divergence_of({"distance"}, 2, 2 + 1999));
  CHECK(divergence_of({"distance"}, 2, 2 + 2001));
  CHECK_FALSE(divergence_of({"distance"}, 102, 2 + 99999));
  CHECK(divergence_of({"distance"}, 102, 2 + 100001));
  // Owner 2, agent 2: (theta - 4)^2, compared with 1; owner 1: theta^2, compared with 16.
  CHECK(divergence_of({"test_error_by_owner"}, 4, 1005) ==
        "test_error_by_owner of agent 2 was 0 at the start and 1.002e+06 at 0 s (iteration 0)");
  CHECK(divergence_of({"test_error_by_owner.mean"}, 4, 1e5));
  // Noise of squared norm 3: 4e6 lies between f(2001) and f(2003).
  CHECK_FALSE(divergence_of({"objective"}, 2, 2001, data(), 3));
  CHECK(divergence_of({"objective"}, 2, 2003, data(), 3));
}

TEST_CASE("recorder: counters may grow, and a metric that has no value from the start is not judged") {
  CHECK_FALSE(divergence_of({"messages", "time", "consensus_distance"}, 2, 2e3));
  CHECK(divergence_of({"messages"}, 2, std::numeric_limits<double>::infinity()) ==
        "a model is not finite at 0 s (iteration 0)");
  // Owner 1 has no test records.
  models::DataSet partly = data();
  partly.test[0] = {models::Records(0, 1), Eigen::VectorXd(0)};
  CHECK_FALSE(divergence_of({"test_error_by_owner"}, 2, 5, partly));
  CHECK(divergence_of({"test_error_by_owner"}, 2, 1e5, partly));
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
  // On the owners' own test records, 0 and twice 4: (1 - 0)^2 and (3 - 4)^2 alone, (2 - 0)^2 and (2 - 4)^2 pooled.
  for (const sim::AgentId agent : {1u, 2u}) {
    CHECK(value("isolated.test_error_by_owner", agent) == Approx(1));
    CHECK(value("pooled.test_error_by_owner", agent) == Approx(4));
  }
  CHECK(value("isolated.own_test_error", {}) == Approx(1));
  CHECK(value("isolated.own_test_rmse", {}) == Approx(1));
  CHECK(value("pooled.own_test_error", {}) == Approx(4));
  CHECK(value("pooled.own_test_rmse", {}) == Approx(2));
  CHECK(std::isnan(value("pooled.accuracy", {})));  // numbers have none
}

TEST_CASE("baselines: of classes also accuracies, and owners without test records are left out") {
  // Minimisers of the smoothed sign: owner 1 has only positives, owner 2 only negatives, so that alone each is right on
  // its own records and wrong on the other's.
  models::DataSet set = data();
  set.train[0].target[0] = 1;
  set.train[1].target[0] = -1;
  set.test[0] = {models::Records::Ones(1, 1), Eigen::VectorXd::Constant(1, 1)};
  set.test[1] = {models::Records(0, 1), Eigen::VectorXd(0)};
  models::ModelOptions model;
  model.loss = models::LogisticLoss{};
  model.l2 = 0.1;
  const test::StudyFixture fixture(set, model, {}, 1);
  const auto all =
      analysis::baselines(fixture.problem(), fixture.optimum(), {analysis::Baseline::kIsolated}, 1);
  const auto value = [&](const std::string& name, std::optional<sim::AgentId> agent) {
    const auto found =
        std::ranges::find_if(all, [&](const auto& s) { return s.name == name && s.agent == agent; });
    REQUIRE(found != all.end());
    return found->value;
  };
  CHECK(value("isolated.accuracy", {}) == 0.5);  // on all records: 1 and 0
  CHECK(value("isolated.accuracy_by_owner", 1) == 1);
  CHECK(std::isnan(value("isolated.accuracy_by_owner", 2)));
  CHECK(value("isolated.own_test_accuracy", {}) == 1);
  CHECK(value("isolated.own_test_error", {}) == 0);
}
