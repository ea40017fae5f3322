#include "models/protocols/central/central_async.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/models/protocols/central_run.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/study_fixture.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

models::CentralAsync::Params with_rho(double rho) {
  models::CentralAsync::Params params;
  params.rho = models::GivenStep{rho};
  return params;
}

}  // namespace

TEST_CASE("central_async: three conversations worked by hand") {
  // N = 2, T = 3, rho = 9, sigma = 1: step a = rho/(T^2 sigma) = 1; y_1 = 1, y_2 = 3, n_i/n = 1/2.
  //   1: owner 1, bar = 0,    Q = -2,   theta_1 = 0 - 2 (0 + (1/2)(-2)) = 2;           theta_L = 0
  //   2: owner 1, bar = 1,    Q = 0,    theta_1 = 1 - 2 (1/4) = 0.5;                   theta_L = 1 - 1/2 = 0.5
  //   3: owner 2, bar = 0.25, Q = -5.5, theta_2 = 0.25 - 2 (1/16 - 2.75) = 5.625 -> 4; theta_L = 0.25 - 0.125
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1, 4), {}, 3);
  const CentralRun<models::CentralAsync> run(fixture, with_rho(9),
                                             fixture.engine({}, sim::ClockTrace{{1, 2, 3}, {1, 1, 2}}));
  const auto& world = run.world;
  CHECK(run.end == sim::End::kFinished);
  CHECK(run.learner == std::vector<double>{0, 0, 0.5, 0.125});
  CHECK(run.protocol.copy(0)[0] == 0.5);
  CHECK(run.protocol.copy(1)[0] == 4);
  CHECK(world->tally.projections == 6);
  CHECK(world->tally.clipped == 1);
  CHECK(world->iterations == 3);
  // Request, query, answer; the last two carry a vector.
  CHECK(world->engine.traffic().messages == 9);
  CHECK(world->engine.traffic().vectors == 6);
  CHECK(world->engine.traffic().bytes == 9 * 64 + 6 * 8);
}

TEST_CASE("central_async: the learner's own step is (N-1)/N as printed and 1/2 in the proof") {
  // N = 4, a = 1, y_1 = 1: in the second conversation with owner 1 theta_1 = 4 (1/4) 2 = 2, so bar = 1 and
  // theta_L = 1 - c.
  const test::StudyFixture fixture(one_record_each({1, 0, 0, 0}), ridge(1, 100), {}, 2);
  auto params = with_rho(4);
  const auto options = fixture.engine({}, sim::ClockTrace{{1, 2}, {1, 1}});
  CHECK(CentralRun<models::CentralAsync>(fixture, params, options).world->models(0, 0) == 0.25);
  params.learner_step = models::LearnerStep::kProof;
  CHECK(CentralRun<models::CentralAsync>(fixture, params, options).world->models(0, 0) == 0.5);
}

TEST_CASE("central_async: an answer's noise is Laplace of scale 2 Xi T/(n_i epsilon_i)") {
  // The noise of the n-th release of agent i is drawn from (kNoise, i), index n; drawing it here with the
  // theorem's scale and prescribing it must give the run that the protocol makes by itself.
  const double xi = 3, epsilon = 0.7;
  const std::uint64_t horizon = 4;
  const sim::ClockTrace clock{{1, 2, 3, 4}, {1, 2, 1, 1}};
  const test::StudyFixture with(one_record_each({1, 3}), ridge(1, 100), laplace(epsilon, xi), horizon);
  const auto drawn = CentralRun<models::CentralAsync>(with, with_rho(1), with.engine({}, clock));

  std::vector<Eigen::VectorXd> noise;
  std::map<sim::AgentId, std::uint32_t> releases;
  const sim::Streams streams(1, 0);
  for (const sim::AgentId agent : clock.agents) {
    Eigen::VectorXd w = Eigen::VectorXd::Zero(1);
    sim::Stream s = streams(sim::Purpose::kNoise, agent, 0, releases[agent]++);
    models::Laplace::add_noise({w.data(), 1}, 2 * xi * static_cast<double>(horizon) / (1 * epsilon), s);
    noise.push_back(w);
  }
  const test::StudyFixture without(one_record_each({1, 3}), ridge(1, 100), {}, horizon);
  const auto prescribed =
      CentralRun<models::CentralAsync>(without, with_rho(1), without.engine({}, clock), &noise);
  CHECK(drawn.world->models(0, 0) == Approx(prescribed.world->models(0, 0)).epsilon(1e-14));
  CHECK(drawn.world->models(0, 0) != 0);

  // Agent 1 answered three times, agent 2 once, each at epsilon/T.
  CHECK(drawn.world->ledger.account(1).releases == 3);
  CHECK(drawn.world->ledger.account(1).spent().epsilon == Approx(3 * epsilon / 4).epsilon(1e-14));
  CHECK(drawn.world->ledger.account(2).spent().epsilon == Approx(epsilon / 4).epsilon(1e-14));
}

TEST_CASE("central_async: an answer that comes after the timeout is discarded and stays spent") {
  // A round trip takes 1.2 s, the learner waits 1 s: no answer is ever used. Each owner may release T = 5
  // times, then the run ends because nobody may answer any more.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1, 100), laplace(1, 1), 5);
  auto params = with_rho(1);
  params.timeout = 1;
  const auto outcome = CentralRun<models::CentralAsync>(fixture, params, fixture.engine(latency(0.6)));
  CHECK(outcome.end == sim::End::kFinished);
  CHECK(outcome.world->iterations == 0);
  CHECK(outcome.world->models(0, 0) == 0);
  const sim::Traffic& traffic = outcome.world->engine.traffic();
  // The 10 answers, of which the last may be in flight when the run ends, and refusals of requests that waited.
  const auto stale = traffic.lost[static_cast<int>(sim::LossReason::kStale)];
  CHECK(stale >= 9);
  for (const sim::AgentId owner : {1u, 2u}) {
    CHECK(outcome.world->ledger.account(owner).releases == 5);
    CHECK(outcome.world->ledger.account(owner).spent().epsilon == Approx(1).epsilon(1e-14));
  }
}

TEST_CASE("central_async: requests that find the learner busy wait in order, or are refused") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1, 100), {}, 2);
  auto options = fixture.engine(latency(0.1), sim::ClockTrace{{1, 1.05, 1.06}, {1, 2, 1}});
  options.time_limit = 10;
  auto params = with_rho(4);
  params.when_busy = models::WhenBusy::kRefuse;
  const auto refused = CentralRun<models::CentralAsync>(fixture, params, options);
  CHECK(refused.world->iterations == 1);
  CHECK(refused.protocol.copy(1)[0] == 0);

  params.when_busy = models::WhenBusy::kQueue;
  const auto queued = CentralRun<models::CentralAsync>(fixture, params, options);
  CHECK(queued.world->iterations == 2);
  // Tick 1.0, request 1.1, query 1.2, answer 1.3; then at once the second: query 1.4, answer 1.5.
  CHECK(queued.world->engine.now() == Approx(1.5).epsilon(1e-12));
  // a = 1: theta_1 = 2 (1/2) 2, theta_2 = 2 (1/2) 6 from bar = 0 both times.
  CHECK(queued.protocol.copy(0)[0] == 2);
  CHECK(queued.protocol.copy(1)[0] == 6);
}

TEST_CASE(
    "central_async: an owner that goes down before the query is forgotten after the timeout, the next is "
    "served") {
  // Agent 1 sends a request at 1, goes down at 1.05 and never answers; agent 2's request waits from 1.2
  // until 1.1 + timeout. Down times are realised with an on_off law whose first period is up for 1.05 s for
  // every owner, so agent 2 is down then too and its tick comes after everybody is up again at 3.05.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1, 100), {}, 1);
  sim::NetworkOptions network = latency(0.1);
  network.availability = sim::OnOff{.up = 1.05, .down = 2.0};
  auto options = fixture.engine(network, sim::ClockTrace{{1, 3.5}, {1, 2}});
  options.time_limit = 20;
  auto params = with_rho(1);
  params.timeout = 1;
  const auto outcome = CentralRun<models::CentralAsync>(fixture, params, options);
  CHECK(outcome.world->engine.traffic().lost[static_cast<int>(sim::LossReason::kReceiverDown)] == 1);
  CHECK(outcome.world->iterations == 1);
  CHECK(outcome.world->engine.now() == Approx(3.8).epsilon(1e-12));
  CHECK(outcome.protocol.copy(0)[0] == 0);
  CHECK(outcome.protocol.copy(1)[0] != 0);
}

TEST_CASE("central_async: horizon, strong convexity and rho are required to fit") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1, 100), {}, 10);
  auto params = with_rho(1);
  params.horizon = 7;
  CHECK_THROWS_WITH(models::CentralAsync(params, fixture.study()),
                    "protocol.horizon (7) and stop.iterations (10) must agree where both are given");
  const test::StudyFixture endless(one_record_each({1, 3}), ridge(1, 100), {},
                                   std::numeric_limits<std::uint64_t>::max());
  CHECK_THROWS_WITH(models::CentralAsync(with_rho(1), endless.study()), Catch::Contains("needs a horizon"));
  models::ModelOptions flat = ridge(1, 100);
  flat.l2 = 0;
  const test::StudyFixture convex(one_record_each({1, 3}), flat, {}, 10);
  CHECK_THROWS_WITH(models::CentralAsync(with_rho(1), convex.study()), Catch::Contains("strong convexity"));
  params = with_rho(1);
  params.sigma = 2;
  // rho/(T^2 sigma) = 1/(100 * 2).
  CHECK(models::CentralAsync(params, convex.study()).step() == Approx(0.005).epsilon(1e-14));
}

TEST_CASE("central_async: rho auto is 5 (N+1) T sigma / h_min") {
  // Hessian of the pooled mean loss (theta - y)^2 is 2: rho = 5 * 3 * 10 * 1/2 = 75, step = 75/(100 * 1).
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1, 100), {}, 10);
  models::CentralAsync::Params params;
  params.rho = models::AutoRho{};
  CHECK(models::CentralAsync(params, fixture.study()).step() == Approx(0.75).epsilon(1e-12));
}

TEST_CASE("central_async: rho auto without full rank names the dependent features") {
  // The columns k=a and k=b sum to the constant 1. x is independent of them.
  models::DataSet data;
  data.feature_names = {"x", "k=a", "k=b", "1"};
  data.full_categories = {"k"};
  models::Shard shard{models::Records(4, 4), Eigen::VectorXd::Ones(4)};
  shard.features << 1, 1, 0, 1, 3, 0, 1, 1, 2, 1, 0, 1, 5, 0, 1, 1;
  data.train = {shard};
  data.test = {{models::Records(0, 4), Eigen::VectorXd(0)}};
  data.owner_names = {"owner"};
  models::CentralAsync::Params params;
  params.rho = models::AutoRho{};
  const auto message = [&](const models::DataSet& d) -> std::string {
    const test::StudyFixture fixture(d, ridge(1), {}, 10);
    return test::error_of<std::invalid_argument>([&] { models::CentralAsync(params, fixture.study()); });
  };
  CHECK(message(data) ==
        "protocol.rho \"auto\" needs a Hessian of full rank, but features 'k=a', 'k=b', '1' are linearly "
        "dependent "
        "(the columns of a category sum to 1); set data.drop_first to true, or give a number");
  data.full_categories.clear();
  CHECK_THAT(message(data),
             Catch::Contains("'k=a', 'k=b', '1' are linearly dependent; remove one of the features"));
  data.train[0].features.col(1).setZero();
  CHECK_THAT(message(data), Catch::Contains("feature 'k=a' is 0 in every training record"));
  data.train[0].features.conservativeResize(3, 4);
  data.train[0].target.conservativeResize(3);
  CHECK_THAT(message(data), Catch::Contains("3 training records for 4 features"));
  // The same records with the last column other than the sum: full rank.
  shard.features(0, 3) = 2;
  data.train = {shard};
  CHECK(message(data) == "accepted");
}
