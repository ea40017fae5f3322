#include "models/protocols/central/central_sync.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/models/protocols/central_run.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using models::CentralSync;
using models::MissingAnswer;
using namespace hearsay::test;

namespace {

CentralSync::Params averaged(double c1) {
  CentralSync::Params params;
  params.c1 = models::GivenStep{c1};
  return params;
}

CentralSync::Params strongly_convex(double rho) {
  CentralSync::Params params;
  params.algorithm = models::SyncAlgorithm::kStronglyConvex;
  params.rho = models::GivenStep{rho};
  return params;
}

}  // namespace

TEST_CASE("central_sync: three rounds of strongly_convex worked by hand") {
  // y = 1, 3, g = theta^2/2: G = theta + (1/2) 2 (theta - 1) + (1/2) 2 (theta - 3) = 3 theta - 4.
  // T = 4, rho = 16: steps 1, 1/2, 1/3.  0 -> 4 -> 4 - 8/2 = 0 -> 4/3: the minimiser, which 1/3 reaches in
  // one.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 4);
  const auto outcome = CentralRun<CentralSync>(fixture, strongly_convex(16), fixture.engine());
  CHECK(outcome.iteration == std::vector<std::uint64_t>{1, 2, 3, 4});
  check_all(outcome.learner, {0, 4, 0, 4.0 / 3});
  // Three queries and three answers with each of two owners, a vector in each.
  CHECK(outcome.world->engine.traffic().messages == 12);
  CHECK(outcome.world->engine.traffic().vectors == 12);
}

TEST_CASE("central_sync: three rounds of averaged worked by hand, one of them clipped") {
  // No regulariser: G = 2 theta - 4. T = 4, so s = 1/2; c1 = 1, box 3.
  //   theta: 0 -> 4 clipped to 3 -> 3 - 2/sqrt(2) -> that - (2 that - 4)/sqrt(3)
  //   bar:   0 -> theta[1] = 0 -> (1/2.5) 0 + (1.5/2.5) 3 = 1.8 -> (2/3.5) 1.8 + (1.5/3.5) theta[3]
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(0, 3), {}, 4);
  const auto outcome = CentralRun<CentralSync>(fixture, averaged(1), fixture.engine());
  const double third = 3 - std::sqrt(2);
  check_all(outcome.theta, {0, 3, third, third - (2 * third - 4) / std::sqrt(3)});
  check_all(outcome.learner, {0, 0, 1.8, 2 / 3.5 * 1.8 + 1.5 / 3.5 * third});
  CHECK(outcome.world->tally.projections == 3);
  CHECK(outcome.world->tally.clipped == 1);
}

TEST_CASE("central_sync: an owner's answer weighs as its share of the records") {
  // 3 records of y = 1, one of y = 3: G = 2 theta - 2 (3/4 + 3/4) = 2 theta - 3; step 1/4 from 0 gives 3/4.
  const test::StudyFixture fixture(test::equal_records({1, 3}, {3, 1}), ridge(0), {}, 2);
  check_all(CentralRun<CentralSync>(fixture, strongly_convex(1), fixture.engine()).learner, {0, 0.75});
}

TEST_CASE("central_sync: the median of the answers, by hand") {
  // Answers at 0 are -2 y: -2, -6, -200. A step of 1/4 along -6.
  const test::StudyFixture fixture(one_record_each({1, 3, 100}), ridge(0), {}, 2);
  CentralSync::Params params = strongly_convex(1);
  params.rule.aggregate = models::MedianRule{};
  check_all(CentralRun<CentralSync>(fixture, params, fixture.engine()).learner, {0, 1.5});
}

TEST_CASE("central_sync: a round lasts as long as its slowest answer") {
  const test::StudyFixture fixture(one_record_each({1, 2, 3}), ridge(1), {}, 20);
  sim::NetworkOptions network;
  const sim::Uniform law{0.001, 0.1};
  network.links.latency = law;
  const auto outcome = CentralRun<CentralSync>(fixture, strongly_convex(1), fixture.engine(network));
  REQUIRE(outcome.time.size() == 20);
  // The n-th message on each edge is that of round n + 1; its latency is drawn here once more.
  const sim::Streams streams(1, 0);
  const auto delay = [&](sim::AgentId from, sim::AgentId to, std::uint32_t n) {
    sim::Stream s = streams(sim::Purpose::kLatency, from, to, n);
    return law.sample(s);
  };
  for (std::uint32_t round = 0; round + 1 < 20; ++round) {
    double slowest = 0;
    for (const sim::AgentId owner : {1u, 2u, 3u})
      slowest = std::max(slowest, delay(0, owner, round) + delay(owner, 0, round));
    CHECK(outcome.time[round + 1] - outcome.time[round] == Approx(slowest).epsilon(1e-9));
  }
}

TEST_CASE("central_sync: latency changes when the rounds end and nothing else") {
  const test::StudyFixture fixture(one_record_each({1, 2, 3}), ridge(1), laplace(1, 1), 20);
  sim::NetworkOptions late;
  late.links.latency = sim::Distribution(sim::Uniform{0, 0.1});
  CHECK(CentralRun<CentralSync>(fixture, strongly_convex(1), fixture.engine(late)).learner ==
        CentralRun<CentralSync>(fixture, strongly_convex(1), fixture.engine()).learner);
}

TEST_CASE("central_sync: what stands for an answer that does not come within round_timeout") {
  // Owner 1 (y = 1) is the learner and answers itself at once. Owner 2 (y = 3) answers after 1.2 s, which is
  // 0.2 s into the next round. g = theta^2/2, T = 4, rho = 16: steps 1, 1/2, 1/3. Without owner 2:
  //   reweight   G = theta + 2 (theta - 1) = 3 theta - 2:  0 -> 2 -> 2 - 4/2 = 0 -> 2/3
  //   zero       G = theta + (theta - 1) = 2 theta - 1:    0 -> 1 -> 1 - 1/2 = 1/2 -> 1/2
  //   last       owner 2's answer to the round before, theta' - 3, from the second round on:
  //              0 -> 1;  G = 1 + (1 - 1) + (0 - 3) = -2: 1 + 1 = 2;  G = 2 + (2 - 1) + (1 - 3) = 1: 2 - 1/3
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 4);
  auto params = strongly_convex(16);
  params.learner_is_owner = 1;
  params.round_timeout = 1;
  const auto options = fixture.engine(latency(0.6));
  const auto stale = [](const CentralRun<CentralSync>& o) {
    return o.world->engine.traffic().lost[static_cast<int>(sim::LossReason::kStale)];
  };
  const auto reweighted = CentralRun<CentralSync>(fixture, params, options);
  check_all(reweighted.learner, {0, 2, 0, 2.0 / 3});
  check_all(reweighted.time, {0, 1, 2, 3});
  CHECK(stale(reweighted) == 2);
  params.missing = MissingAnswer::kZero;
  check_all(CentralRun<CentralSync>(fixture, params, options).learner, {0, 1, 0.5, 0.5});
  // So it is with a step before the mean that changes nothing.
  auto clipped = params;
  clipped.rule.before = {models::ClipVectors{1e9}};
  check_all(CentralRun<CentralSync>(fixture, clipped, options).learner, {0, 1, 0.5, 0.5});
  clipped.missing = MissingAnswer::kLast;
  check_all(CentralRun<CentralSync>(fixture, clipped, options).learner, {0, 1, 2, 2 - 1.0 / 3});
  clipped.missing = MissingAnswer::kReweight;
  check_all(CentralRun<CentralSync>(fixture, clipped, options).learner, {0, 2, 0, 2.0 / 3});
  params.missing = MissingAnswer::kLast;
  const auto last = CentralRun<CentralSync>(fixture, params, options);
  check_all(last.learner, {0, 1, 2, 2 - 1.0 / 3});
  CHECK(stale(last) == 0);
  // Two answers, each one round old.
  CHECK(last.world->tally.updates == 2);
  CHECK(last.world->tally.staleness_steps == 2);
}

TEST_CASE("central_sync: where nobody answers in time, reweight leaves the model and last uses old answers") {
  // Rounds of 1 s, round trips of 4.5 s, T = 9 and rho = 81: steps 1/k.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 9);
  auto params = strongly_convex(81);
  params.round_timeout = 1;
  const auto options = fixture.engine(latency(2.25));
  const auto reweighted = CentralRun<CentralSync>(fixture, params, options);
  check_all(reweighted.learner, std::vector<double>(9, 0.0));
  check_all(reweighted.time, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  // The answers to round k's query, -4 together at theta = 0, arrive at k + 3.5: the first in round 5.
  // Round 5: G = 0 - 4, step 1/5: 0.8. Round 6: G = 0.8 - 4, step 1/6. 7: step 1/7. 8: step 1/8.
  params.missing = MissingAnswer::kLast;
  const double r6 = 0.8 + 3.2 / 6, r7 = r6 + (4 - r6) / 7, r8 = r7 + (4 - r7) / 8;
  check_all(CentralRun<CentralSync>(fixture, params, options).learner, {0, 0, 0, 0, 0, 0.8, r6, r7, r8});
}

TEST_CASE("central_sync: an answer's noise is Laplace of scale 2 Xi T/(n_l epsilon_l), T - 1 are made") {
  const double xi = 3, epsilon = 0.7;
  const std::uint64_t horizon = 4;
  const test::StudyFixture with(test::equal_records({1, 3}, {2, 1}), ridge(1), laplace(epsilon, xi), horizon);
  const auto drawn = CentralRun<CentralSync>(with, strongly_convex(1), with.engine());
  std::vector<Eigen::VectorXd> noise;
  const sim::Streams streams(1, 0);
  for (std::uint32_t round = 0; round + 1 < horizon; ++round) {
    for (const sim::AgentId agent : {1u, 2u}) {
      Eigen::VectorXd w = Eigen::VectorXd::Zero(1);
      sim::Stream s = streams(sim::Purpose::kNoise, agent, 0, round);
      models::Laplace::add_noise({w.data(), 1},
                                 2 * xi * static_cast<double>(horizon) / ((3 - agent) * epsilon), s);
      noise.push_back(w);
    }
  }
  const test::StudyFixture without(test::equal_records({1, 3}, {2, 1}), ridge(1), {}, horizon);
  check_all(drawn.learner,
            CentralRun<CentralSync>(without, strongly_convex(1), without.engine(), &noise).learner);
  CHECK(drawn.learner.back() != 0);
  for (const sim::AgentId agent : {1u, 2u}) {
    CHECK(drawn.world->ledger.account(agent).releases == horizon - 1);
    CHECK(drawn.world->ledger.account(agent).spent().epsilon == Approx(epsilon * 3 / 4).epsilon(1e-14));
    CHECK(drawn.world->ledger.account(agent).epsilon_budget() == Approx(epsilon).epsilon(1e-14));
  }
}

TEST_CASE("central_sync: records that kappa owners may hold leave each of them a kappa-th of its budget") {
  const std::uint64_t horizon = 4;
  const test::StudyFixture once(one_record_each({1, 3}), ridge(1), laplace(1, 1), horizon);
  const test::StudyFixture thrice(one_record_each({1, 3}), ridge(1), laplace(3, 1), horizon);
  auto params = strongly_convex(1);
  const auto plain = CentralRun<CentralSync>(once, params, once.engine());
  params.overlap = 3;
  const auto shared = CentralRun<CentralSync>(thrice, params, thrice.engine());
  check_all(shared.learner, plain.learner);
  CHECK(shared.world->ledger.account(1).epsilon_budget() == Approx(1).epsilon(1e-14));
}

TEST_CASE("central_sync: kappa divides delta too") {
  models::PrivacyOptions privacy = laplace(1, 1);
  privacy.accountant = models::Accountant::kZcdp;
  privacy.delta = 1e-3;
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), privacy, 4);
  auto params = strongly_convex(1);
  params.overlap = 2;
  const auto outcome = CentralRun<CentralSync>(fixture, params, fixture.engine());
  CHECK(outcome.world->ledger.account(1).epsilon_budget() == Approx(0.5).epsilon(1e-14));
  CHECK(outcome.world->ledger.account(1).delta_budget() == Approx(5e-4).epsilon(1e-14));
}

TEST_CASE("central_sync: the owner that learns reads its own gradient without noise, message or charge") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), laplace(1, 1), 4);
  auto params = strongly_convex(16);
  params.learner_is_owner = 2;
  // Owner 1's noise is prescribed: (1/2)(2 (theta - 1) + w) with w = 2, so G = 3 theta - 4 + 1.
  const std::vector<Eigen::VectorXd> noise(3, Eigen::VectorXd::Constant(1, 2.0));
  const auto outcome = CentralRun<CentralSync>(fixture, params, fixture.engine(), &noise);
  check_all(outcome.learner, {0, 3, 3 - 6.0 / 2, 1});
  CHECK(outcome.world->engine.traffic().messages == 6);
  CHECK(outcome.world->ledger.account(1).releases == 3);
  CHECK(outcome.world->ledger.account(2).releases == 0);
  CHECK(outcome.world->ledger.account(2).spent().epsilon == 0);
  const auto unaccounted = fixture.study().exact_reads->all();
  REQUIRE(unaccounted.size() == 1);
  CHECK_THAT(unaccounted[0], Catch::Contains("owner 2 uses its own gradient without noise"));
}

TEST_CASE("central_sync: a learner that is the only owner is gradient descent") {
  const test::StudyFixture fixture(one_record_each({2}), ridge(0), {}, 3);
  auto params = strongly_convex(4.5);  // steps 1/2, 1/4
  params.learner_is_owner = 1;
  check_all(CentralRun<CentralSync>(fixture, params, fixture.engine()).learner, {0, 2, 2});
}

TEST_CASE("central_sync: auto steps are 1/h_max and T^2/h_max") {
  // Hessian of f: 2 + sigma = 2.5.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(0.5), {}, 10);
  CentralSync::Params params;
  params.c1 = params.rho = models::NewtonStep{};
  CHECK(CentralSync(params, fixture.study()).step() == Approx(0.4).epsilon(1e-12));
  params.algorithm = models::SyncAlgorithm::kStronglyConvex;
  CHECK(CentralSync(params, fixture.study()).step() == Approx(0.4).epsilon(1e-12));
  CHECK(fixture.study().exact_reads->all() ==
        std::vector<std::string>{"protocol.c1: step from private data",
                                 "protocol.rho: step from private data"});
}

TEST_CASE("central_sync: horizon, step, box and learner are required to fit") {
  const auto refused = [](const test::StudyFixture& fixture, const CentralSync::Params& params,
                          const std::string& message) {
    CHECK_THROWS_WITH(CentralSync(params, fixture.study()), Catch::Contains(message));
  };
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 10);
  refused(fixture, {}, "protocol.c1, the step of averaged, is required: a number, or \"auto\"");
  auto params = averaged(1);
  params.algorithm = models::SyncAlgorithm::kStronglyConvex;
  refused(fixture, params, "protocol.rho, the step of strongly_convex, is required: a number, or \"auto\"");
  params = averaged(1);
  params.learner_is_owner = 3;
  refused(fixture, params, "protocol.learner_is_owner: expected an owner from 1 to 2, found 3");
  const test::StudyFixture start(one_record_each({1, 3}), ridge(1), {}, 1);
  refused(start, averaged(1), "a horizon of at least 2");
  const test::StudyFixture endless(one_record_each({1, 3}), ridge(1), {},
                                   std::numeric_limits<std::uint64_t>::max());
  refused(endless, averaged(1), "central_sync needs a horizon");

  // The minimiser 4/3 of 3 theta^2/2 - 4 theta lies in a box of 2, not in one of 1.
  const test::StudyFixture wide(one_record_each({1, 3}), ridge(1, 2), {}, 10);
  CHECK_NOTHROW(CentralSync(strongly_convex(1), wide.study()));
  const test::StudyFixture tight(one_record_each({1, 3}), ridge(1, 1), {}, 10);
  refused(tight, strongly_convex(1), "the best model lies outside model.theta_max");
  CHECK_NOTHROW(CentralSync(averaged(1), tight.study()));
  models::DataSet declared = one_record_each({1, 3});
  declared.bounds = models::DeclaredBounds{.features_l1 = 1, .target = 3};
  models::PrivacyOptions derived;
  derived.mechanism = models::Laplace{};
  const test::StudyFixture rests(declared, ridge(1, 2), derived, 10);
  refused(rests, strongly_convex(1), "a gradient bound derived from theta_max does not hold");
  CHECK_NOTHROW(CentralSync(averaged(1), rests.study()));
}

TEST_CASE(
    "central_sync: owners compute for as long as the scenario says, so a round takes that much longer") {
  const test::StudyFixture fixture(one_record_each({1, 2}), ridge(1), {}, 4);
  sim::NetworkOptions network = latency(0.25);
  network.compute_time = 2.0;
  // There and back 2 x 0.25, between them 2.
  CentralSync::Params params = strongly_convex(1);
  params.round_timeout = 10;
  check_all(CentralRun<CentralSync>(fixture, params, fixture.engine(network)).time, {0, 2.5, 5, 7.5});
}

TEST_CASE(
    "central_sync: a learner back from a crash begins at its start, in the round after the one it was in") {
  // Every round trip takes 1 s. The learner is up for 2.5 s, in the middle of round 3, down for 1 s, and so on.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(0), {}, 5);
  sim::NetworkOptions network = latency(0.5);
  network.availability = sim::Crash{.up = 2.5, .down = 1.0, .hub = true};
  sim::Engine::Options options = fixture.engine(network);
  options.time_limit = 5;
  const auto outcome = CentralRun<CentralSync>(fixture, strongly_convex(1), options);
  // k = 1 at 0, 2 at 1, 3 at 2; the round broken off at 2.5 counts at 3.5, when its model is that of the start;
  // round 4 is over at 4.5. Owners crash too, and answer what they are asked when they are up again.
  REQUIRE(outcome.iteration.size() >= 4);
  CHECK(outcome.iteration[3] == 4);
  CHECK(outcome.time[3] == Approx(3.5));
  CHECK(outcome.theta[3] == 0);
  CHECK(outcome.learner[3] == 0);
  REQUIRE(outcome.iteration.size() >= 5);
  CHECK(outcome.iteration[4] == 5);
  CHECK(outcome.time[4] == Approx(4.5));
}
