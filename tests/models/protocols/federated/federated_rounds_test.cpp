// Rounds of a federated server: cohorts, timeouts, over-selection, crashes; and what the server does with the
// updates.
#include <catch2/catch.hpp>

#include "models/protocols/federated/fedavg.hpp"
#include "tests/models/protocols/federated/federated_run.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using models::FedAvg;
using namespace hearsay::test;
namespace {
using AvgRun = test::CentralRun<models::FedAvg>;
}

TEST_CASE("fedavg: rounds by hand, with each weighting") {
  // y = 1 in 3 records and 5 in one; eta = 1/4: an update is (y - x)/2. From 0: 3/4 * 1/2 + 1/4 * 5/2 = 1 -> 3/2.
  const test::StudyFixture fixture(test::equal_records({1, 5}, {3, 1}), test::ridge(0), {}, 2);
  auto params = jumping<FedAvg::Params>(1, 0.25);
  const AvgRun run(fixture, params, fixture.engine());
  check_all(run.learner, {0, 1, 1.5});
  CHECK(run.world->engine.traffic().messages == 8);
  CHECK(run.world->engine.traffic().vectors == 8);
  params.weights = models::ClientWeights::kEqual;
  check_all(AvgRun(fixture, params, fixture.engine()).learner, {0, 1.5, 2.25});
  params.server.server_step = 0.5;
  check_all(AvgRun(fixture, params, fixture.engine()).learner, {0, 0.75, 0.75 + 0.5 * 1.125});
  // Two local steps shrink the distance to 1/4.
  check_all(AvgRun(fixture, jumping<FedAvg::Params>(2, 0.25), fixture.engine()).learner, {0, 1.5, 1.875});
}

TEST_CASE("fedavg: other rules than the mean, by hand") {
  // y = 2, 4, 100; an update is (y - x)/2: 1, 2, 50 from 0, then 0, 1, 49 from 2. A mean of updates from 0 is 53/3.
  const test::StudyFixture fixture(test::one_record_each({2, 4, 100}), test::ridge(0), {}, 2);
  auto params = jumping<FedAvg::Params>(1, 0.25);
  params.server.rule.aggregate = models::MedianRule{};
  check_all(AvgRun(fixture, params, fixture.engine()).learner, {0, 2, 3});
  params.server.server_step = 0.5;
  check_all(AvgRun(fixture, params, fixture.engine()).learner, {0, 1, 1.75});
  // With three updates f = 2 makes no step.
  models::TrimmedMeanRule two;
  two.f = 2;
  params.server.rule.aggregate = two;
  check_all(AvgRun(fixture, params, fixture.engine()).learner, {0, 0, 0});
  // Centred at 0, then at the last aggregate 1: 1, 1, 1; then 0.5 - 1, 1.5 - 1 and 1 more than that.
  params.server.rule.aggregate = models::CenteredClippingRule{};
  check_all(AvgRun(fixture, params, fixture.engine()).learner,
            {0, 0.5, 0.5 + 0.5 * (1 + (-0.25 + 0.75 + 1) / 3)});
}

TEST_CASE("fedavg: a decreasing step counts the steps of all rounds, whoever takes part") {
  // eta_t = 1/(2 (1 + t)), K = 2, y = 1: t = 0 jumps to 1. With a server step of 1/2: x = 1/2, then t = 2, 3 shrink
  // the distance 1/2 to (2/3)(3/4)/2 = 1/4, of which the server goes half the way from 1/2 to 3/4.
  const test::StudyFixture fixture(test::one_record_each({1}), test::ridge(0), {}, 2);
  auto params = jumping<FedAvg::Params>(2);
  params.local.step = models::DecreasingStep{.first = 0.5, .decay = 1, .power = 1};
  params.server.server_step = 0.5;
  check_all(AvgRun(fixture, params, fixture.engine()).learner, {0, 0.5, 0.625});
}

TEST_CASE("federated rounds: round_timeout, and what comes later is stale") {
  // y = 1, 3, 8; owner 3 needs 2.5 s. Rounds of 2 s without it: the mean of 1 and 3. Its answers to round 1 (at 2.5)
  // and to the newest query then, of round 2 (at 5), are stale.
  const test::StudyFixture fixture(test::one_record_each({1, 3, 8}), test::ridge(0), {}, 3);
  auto params = jumping<FedAvg::Params>();
  params.round_timeout = 2;
  const AvgRun run(fixture, params, fixture.engine(test::computing({0.25, 0.5, 2.5})));
  check_all(run.learner, {0, 2, 2, 2});
  check_all(run.time, {0, 2, 4, 6});
  CHECK(test::lost(*run.world, sim::LossReason::kStale) == 2);
  CHECK(used(run, 0) == 3);
  CHECK(used(run, 2) == 0);
  // In time, everybody counts, and the round ends with the last.
  const AvgRun all(fixture, params, fixture.engine(test::computing({0.25, 0.5, 1.5})));
  check_all(all.learner, {0, 4, 4, 4});
  check_all(all.time, {0, 1.5, 3, 4.5});
}

TEST_CASE("federated rounds: an owner trains from the newest of the queries that have waited for it") {
  // Rounds of 1 s; owner 1 takes 0.1 s, owner 2 takes 0.6 s and is down from 0.5 to 4.2 s. The queries of rounds 2 to
  // 5 wait for it; it answers that of round 5 at 4.8 s, in time. Had it begun with round 2's, that answer would be
  // stale.
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 5);
  auto params = jumping<FedAvg::Params>();
  params.round_timeout = 1;
  sim::NetworkOptions network = test::computing({0.1, 0.6});
  network.availability = outage({2}, 0.5, 4.2);
  network.in_flight = sim::InFlight::kHeld;
  const AvgRun run(fixture, params, fixture.engine(network));
  check_all(run.learner, {0, 1, 1, 1, 1, 2});
  check_all(run.time, {0, 1, 2, 3, 4, 4.8});
  CHECK(test::lost(*run.world, sim::LossReason::kStale) == 0);
}

TEST_CASE("federated rounds: over-selection goes on with the first answers of a cohort") {
  const test::StudyFixture fixture(test::one_record_each({1, 3, 8}), test::ridge(0), {}, 2);
  auto params = jumping<FedAvg::Params>();
  params.cohort = models::CohortNumber{2};
  params.over_selection = 1.5;
  const AvgRun run(fixture, params, fixture.engine(test::computing({1, 2, 3.5})));
  check_all(run.learner, {0, 2, 2});
  check_all(run.time, {0, 2, 4});
  CHECK(test::lost(*run.world, sim::LossReason::kStale) == 1);
  CHECK(params.asked(10, 100) == 15);
  params.over_selection = 1.1;
  CHECK(params.asked(10, 100) == 11);
  CHECK(params.asked(11, 100) == 13);
  // However many, they are at most all: the same run.
  params.over_selection = 1e300;
  CHECK(params.asked(2, 3) == 3);
  check_all(AvgRun(fixture, params, fixture.engine(test::computing({1, 2, 3.5}))).time, {0, 2, 4});
}

TEST_CASE("federated rounds: a training that overflows ends the run when its answer is to leave") {
  // Each of 300 steps multiplies the distance from y by 1 - 2e3: to 1e990. The owners compute until 2 and 1 s.
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 2);
  const AvgRun run(fixture, jumping<FedAvg::Params>(300, 1e3), fixture.engine(test::computing({2, 1})));
  CHECK(run.end == sim::End::kFinished);
  CHECK(run.world->overflowed == 2);
  check_all(run.learner, {0, 0});
  check_all(run.time, {0, 1});
  CHECK(test::lost(*run.world, sim::LossReason::kNotFinite) == 1);
}

TEST_CASE("federated rounds: a run that ends with its budgets waits for the answers that they have paid") {
  const auto run = test::until_spent<FedAvg>();
  CHECK(run.iterations == 1);
  CHECK(run.updates == 2);
  CHECK(run.messages == 4);
  CHECK(run.time == 2);
  // Not for a server that leaves at 1.5 s.
  const auto gone = test::until_spent<FedAvg>({sim::LeaveEvent{.at = 1.5, .agents = {0}}});
  CHECK(gone.iterations == 0);
  CHECK(gone.time == 1.5);
}

TEST_CASE("federated rounds: cohorts are uniform subsets") {
  CHECK(models::WholeCohort{}.of(7) == 7);
  CHECK(models::CohortNumber{3}.of(7) == 3);
  CHECK(models::CohortNumber{30}.of(7) == 7);
  CHECK(models::CohortFraction{0.5}.of(10) == 5);
  CHECK(models::CohortFraction{0.01}.of(7) == 1);
  // Two of y = 1, 2, 4, 8: the six means are different numbers.
  constexpr std::uint64_t kRounds = 6000;
  const test::StudyFixture fixture(test::one_record_each({1, 2, 4, 8}), test::ridge(0), {}, kRounds);
  auto params = jumping<FedAvg::Params>();
  params.cohort = models::CohortNumber{2};
  const AvgRun run(fixture, params, fixture.engine());
  std::map<double, std::uint64_t> means;
  for (std::size_t k = 1; k < run.learner.size(); ++k) ++means[std::round(4 * run.learner[k])];
  CHECK(means.size() == 6);
  for (const auto& [mean, count] : means) CHECK(test::binomial_plausible(count, kRounds, 1.0 / 6));
}

TEST_CASE(
    "federated rounds: without an answer the model and the server's momentum stay, and the round counts") {
  // Answers after 0.5 s; both owners are down from 1.25 to 2.75 s, in which rounds 3 and 4 end by the timeout of 1 s.
  // The momentum is beta = 1/2, and every update y - x with y = 4: m = 4, x = 4; m = 2, x = 6; two rounds without; m
  // = 1 - 2, x = 5.
  const test::StudyFixture fixture(test::one_record_each({4, 4}), test::ridge(0), {}, 5);
  auto params = jumping<FedAvg::Params>();
  params.round_timeout = 1;
  params.server.server_optimiser = models::MomentumOptimiser{0.5};
  sim::NetworkOptions network = test::computing({0.5, 0.5});
  network.availability = outage({1, 2}, 1.25, 2.75);
  const AvgRun run(fixture, params, fixture.engine(network));
  check_all(run.learner, {0, 4, 6, 6, 6, 5});
  check_all(run.time, {0, 0.5, 1, 2, 3, 3.5});
}

TEST_CASE("federated rounds: a server that crashes starts again, and old answers are stale") {
  // eta = 1/4, y = 2: x <- (x + 2)/2. Latency 1/2 each way: rounds of 1 s. The server is down from 2.5 to 3.25 s; the
  // answer to round 3 at 3 s is lost. With compute times, an answer of before the crash that comes after it is stale.
  const test::StudyFixture fixture(test::one_record_each({2}), test::ridge(0), {}, 5);
  const auto params = jumping<FedAvg::Params>(1, 0.25);
  auto network = test::latency(0.5);
  network.availability = outage({0}, 2.5, 3.25, sim::StateOnReturn::kReset);
  const AvgRun run(fixture, params, fixture.engine(network));
  check_all(run.learner, {0, 1, 1.5, 0, 1, 1.5});
  check_all(run.time, {0, 1, 2, 3.25, 4.25, 5.25});
  network = test::computing({1});
  network.availability = outage({0}, 2.5, 2.75, sim::StateOnReturn::kReset);
  const AvgRun slow(fixture, params, fixture.engine(network));
  // The owner answers round 3 at 3, which is stale, and then round 4, asked at 2.75, at 4.
  check_all(slow.learner, {0, 1, 1.5, 0, 1, 1.5});
  check_all(slow.time, {0, 1, 2, 2.75, 4, 5});
  CHECK(test::lost(*slow.world, sim::LossReason::kStale) == 1);
}

TEST_CASE("federated rounds: an owner that crashes while it trains sends nothing and takes part again") {
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), {}, 3);
  auto params = jumping<FedAvg::Params>();
  params.round_timeout = 1;
  sim::NetworkOptions network = test::computing({0.5, 0.5});
  network.availability = outage({2}, 0.25, 0.75, sim::StateOnReturn::kReset);
  const AvgRun run(fixture, params, fixture.engine(network));
  check_all(run.learner, {0, 1, 2, 2});
  check_all(run.time, {0, 1, 1.5, 2});
}

TEST_CASE("federated rounds: who has no budget left refuses and is not asked again") {
  // privacy.steps 2 and 4 with one step a round: owner 1 refuses in round 3, owner 2 in round 5, after which nobody
  // is left.
  auto privacy = test::laplace(1e6, 1);
  privacy.steps = models::Steps(sim::ValueList{{2, 4}});
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), privacy, 100);
  const AvgRun run(fixture, jumping<FedAvg::Params>(), fixture.engine());
  CHECK(used(run, 0) == 2);
  CHECK(used(run, 1) == 4);
  CHECK(run.end == sim::End::kFinished);
  // Queries: two in each of rounds 1 to 3, one in 4 and 5; each is answered.
  CHECK(run.world->engine.traffic().messages == 2 * (2 + 2 + 2 + 1 + 1));
  for (const sim::AgentId i : {1u, 2u}) CHECK(run.world->ledger.account(i).releases == 2 * i);
}

TEST_CASE("server optimisers: two updates by hand") {
  // Updates 1 and -1/2. beta_1 = 1/2, tau = 1/2, v = 1/4 at first.
  const test::StudyFixture fixture(test::one_record_each({1}), test::ridge(0), {}, 1);
  const auto models_after = [&](auto optimiser, double step = 1) {
    const auto world = fixture.world(fixture.engine());
    models::Context context(*world);
    models::Aggregator aggregator({.server_step = step, .server_optimiser = optimiser}, 1);
    std::vector<double> x;
    for (const double update : {1.0, -0.5}) {
      aggregator.add(3, Eigen::VectorXd::Constant(1, update));
      aggregator.add(1, Eigen::VectorXd::Constant(1, update));
      CHECK(aggregator.weight() == 4);
      aggregator.apply(4, context);
      CHECK(aggregator.updates() == 0);
      x.push_back(world->models(0, 0));
    }
    return x;
  };
  check_all(models_after(models::NoOptimiser{}, 0.5), {0.5, 0.25});
  check_all(models_after(models::MomentumOptimiser{0.5}), {1, 1});
  // m = 1/2, then 0. A step that depends on m alone would not tell beta_2; so a third of the first is kept: beta_1 =
  // 1/4.
  //   m = 3/4, then 3/16 - 3/8 = -3/16.
  //   adam, beta_2 = 3/4: v = 3/16 + 1/4 = 7/16, then 21/64 + 1/16 = 25/64, of which the root is 5/8.
  models::AdamOptimiser adam;
  adam.beta_1 = 0.25, adam.beta_2 = 0.75, adam.tau = 0.5;
  const double first = 0.75 / (std::sqrt(7.0) / 4 + 0.5);
  check_all(models_after(adam), {first, first - 0.1875 / 1.125});
  //   yogi: v = 1/4 + 1/4 = 1/2; then Delta^2 = 1/4 < v: v = 1/2 - 1/16 = 7/16.
  models::YogiOptimiser yogi;
  yogi.beta_1 = 0.25, yogi.beta_2 = 0.75, yogi.tau = 0.5;
  const double start = 0.75 / (std::sqrt(0.5) + 0.5);
  check_all(models_after(yogi), {start, start - 0.1875 / (std::sqrt(7.0) / 4 + 0.5)});
}
