// The variants of the asynchronous central learner, worked by hand. Unless said otherwise N = 2, y = 1, 3,
// one record each, g = theta^2/2 (sigma = 1) and rho = T^2, so that rho/(T^2 sigma) = 1 and
//   theta_i <- bar - 2 (bar/4 + Q/2),   theta_L <- bar/2,   Q = 2 (bar - y_i).
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "models/protocols/central/central_async.hpp"
#include "tests/models/protocols/central_run.hpp"
#include "tests/support/script.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using models::CentralAsync;
using namespace hearsay::test;

namespace {

CentralAsync::Params unit_step(std::uint64_t horizon) {
  CentralAsync::Params params;
  params.rho = models::GivenStep{static_cast<double>(horizon * horizon)};
  return params;
}

}  // namespace

TEST_CASE("central_async: interleaved conversations update from the present copies or from what was sent") {
  // Owner 1 asks at 1 and 1.05; links take 0.1 s. The learner answers both requests at bar = 0, Q = -2,
  // before the first answer has come at 1.3: theta_1 = 2, theta_L = 0. The second comes at 1.35:
  //   current   bar = (0 + 2)/2: theta_1 = 1 - 2 (1/4 - 1) = 2.5, theta_L = 1/2
  //   sent      bar = 0:         theta_1 = 2,                     theta_L = 0
  // One at a time, the second conversation begins at 1.3 with bar = 1, Q = 0: theta_1 = 1 - 1/2.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 2);
  const auto options = fixture.engine(latency(0.1), sim::ClockTrace{{1, 1.05}, {1, 1}});
  auto params = unit_step(2);
  params.interleave = true;
  const auto current = CentralRun<CentralAsync>(fixture, params, options);
  check_all(current.learner, {0, 0, 0.5});
  check_all(current.time, {0, 1.3, 1.35});
  CHECK(current.protocol.copy(0)[0] == 2.5);
  CHECK(current.world->tally.updates == 2);
  CHECK(current.world->tally.staleness_steps == 1);
  params.stale_base = models::StaleBase::kSent;
  const auto sent = CentralRun<CentralAsync>(fixture, params, options);
  check_all(sent.learner, {0, 0, 0});
  CHECK(sent.protocol.copy(0)[0] == 2);
  params.interleave = false;
  const auto alone = CentralRun<CentralAsync>(fixture, params, options);
  check_all(alone.learner, {0, 0, 0.5});
  CHECK(alone.protocol.copy(0)[0] == 0.5);
  CHECK(alone.world->tally.staleness_steps == 0);
}

TEST_CASE("central_async: conversations that do not overlap are the same interleaved, from either base") {
  const test::StudyFixture fixture(one_record_each({1, 3, 4}), ridge(1), laplace(5, 1), 60);
  CentralAsync::Params params;
  params.rho = models::GivenStep{100};
  const auto plain = CentralRun<CentralAsync>(fixture, params, fixture.engine());
  params.interleave = true;
  CHECK(CentralRun<CentralAsync>(fixture, params, fixture.engine()).learner == plain.learner);
  params.stale_base = models::StaleBase::kSent;
  CHECK(CentralRun<CentralAsync>(fixture, params, fixture.engine()).learner == plain.learner);
  CHECK(plain.learner.back() != 0);
}

TEST_CASE("central_async: hundreds of conversations under way at a time each find their answer") {
  // Every owner is asked 50 times before the first answer has come; all are answered in the order asked.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 300);
  sim::ClockTrace clock;
  for (int k = 0; k < 300; ++k) {
    clock.times.push_back(1 + 0.001 * k);
    clock.agents.push_back(k % 2 == 0 ? 1 : 2);
  }
  CentralAsync::Params params;
  params.rho = models::GivenStep{300};
  params.interleave = true;
  params.timeout = 10;
  const auto outcome = CentralRun<CentralAsync>(fixture, params, fixture.engine(latency(1), clock));
  CHECK(outcome.world->iterations == 300);
  CHECK(outcome.world->engine.traffic().lost[static_cast<int>(sim::LossReason::kStale)] == 0);
  // All queries were sent from the start, so the updates are 300 steps with Q = -2 and -6 in turn.
  Eigen::Vector2d copy = Eigen::Vector2d::Zero();
  double learner = 0;
  const double a = 300.0 / (300 * 300);
  for (int k = 0; k < 300; ++k) {
    const double bar = (learner + copy[k % 2]) / 2, q = k % 2 == 0 ? -2 : -6;
    copy[k % 2] = bar - 2 * a * (bar / 4 + q / 2);
    learner = bar - a / 2 * bar;
  }
  CHECK(outcome.learner.back() == Approx(learner).epsilon(1e-12));
  CHECK(outcome.protocol.copy(1)[0] == Approx(copy[1]).epsilon(1e-12));
}

TEST_CASE("central_async: with the initiative the learner queries everybody at its interval") {
  // At 0 both are asked at bar = 0; at 0.2 theta_1 = 2, then theta_2 = 6, theta_L = 0. At 10 they are asked
  // at 1 and 3, both Q = 0; at 10.2 theta_1 = 1 - 1/2, theta_L = 1/2, then bar = (1/2 + 6)/2 = 3.25 and
  // theta_2 = theta_L = 3.25/2.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 4);
  auto params = unit_step(4);
  params.initiative = models::Initiative::kLearner;
  params.interval = 10;
  const auto outcome = CentralRun<CentralAsync>(fixture, params, fixture.engine(latency(0.1)));
  check_all(outcome.learner, {0, 0, 0, 0.5, 1.625});
  check_all(outcome.time, {0, 0.2, 0.2, 10.2, 10.2});
  CHECK(outcome.protocol.copy(0)[0] == 0.5);
  CHECK(outcome.protocol.copy(1)[0] == 1.625);
  CHECK(outcome.world->engine.traffic().messages == 8);
  CHECK(outcome.world->tally.staleness_steps == 2);
}

TEST_CASE("central_async: a learner that asks stops asking when all budgets are spent") {
  // Three answers each are all that may be given; every other one comes too late to be used.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), laplace(1, 1), 3);
  auto params = unit_step(3);
  params.initiative = models::Initiative::kLearner;
  params.interval = 0.3;
  params.timeout = 1;
  const auto outcome = CentralRun<CentralAsync>(fixture, params, fixture.engine(latency(0.6)));
  CHECK(outcome.end == sim::End::kFinished);
  CHECK(outcome.world->iterations == 0);
  CHECK(outcome.world->ledger.account(1).releases == 3);
  CHECK(outcome.world->ledger.account(2).releases == 3);
}

TEST_CASE("central_async: owners of a group answer as one") {
  // Group G = {1, 2}: one record of y = 1, three of y = 3, so Q_G = 2 bar - 5 and n_G/n = 1/2; owner 3: four
  // of y = 5. N = 2. Agent 1's clock is the group's. bar = 0 both times: theta_G = 5, theta_3 = 10.
  const test::StudyFixture fixture(test::equal_records({1, 3, 5}, {1, 3, 4}), ridge(1), {}, 2);
  auto params = unit_step(2);
  params.groups = {{1, 2}};
  const auto options = fixture.engine({}, sim::ClockTrace{{1, 2, 3}, {1, 2, 3}});
  const auto outcome = CentralRun<CentralAsync>(fixture, params, options);
  CHECK(outcome.protocol.copy(0)[0] == 5);
  CHECK(outcome.protocol.copy(1)[0] == 10);
  check_all(outcome.time, {0, 1, 3});
  // A request, two queries, two answers; then three messages with owner 3.
  CHECK(outcome.world->engine.traffic().messages == 8);
  // Members' own noise, 4 and 8, enters as (1/4) 4 + (3/4) 8 = 7: theta_G = -2 (1/2) (-5 + 7).
  const std::vector<Eigen::VectorXd> noise{Eigen::VectorXd::Constant(1, 4.0),
                                           Eigen::VectorXd::Constant(1, 8.0), Eigen::VectorXd::Zero(1)};
  CHECK(CentralRun<CentralAsync>(fixture, params, options, &noise).protocol.copy(0)[0] == -2);
  const test::StudyFixture spending(test::equal_records({1, 3, 5}, {1, 3, 4}), ridge(1), laplace(1, 1), 2);
  const auto charged = CentralRun<CentralAsync>(spending, params, options);
  for (const sim::AgentId agent : {1u, 2u, 3u}) {
    CHECK(charged.world->ledger.account(agent).releases == 1);
    CHECK(charged.world->ledger.account(agent).spent().epsilon == Approx(0.5).epsilon(1e-14));
  }
}

TEST_CASE(
    "central_async: a group asks for as long as one of its members may answer, whichever has the clock") {
  // G as above, with one answer of owner 1 and three of owner 2. Then Q_G is owner 2's alone, with weight n_G/n = 1/2:
  //   bar = 0,     Q_G = -5:    theta_G = 5,                                      theta_L = 0
  //   bar = 5/2,   Q_2 = -1:    theta_G = 5/2 - 2 (5/8 - 1/2) = 9/4,              theta_L = 5/4
  //   bar = 7/4,   Q_2 = -5/2:  theta_G = 7/4 - 2 (7/16 - 5/4) = 27/8,            theta_L = 7/8
  auto privacy = laplace(1, 1);
  privacy.steps = models::Steps(sim::ValueList{{1, 3, 3}});
  const test::StudyFixture fixture(test::equal_records({1, 3, 5}, {1, 3, 4}), ridge(1), privacy, 3);
  const std::vector<Eigen::VectorXd> noise(4, Eigen::VectorXd::Zero(1));
  auto params = unit_step(3);
  for (const std::vector<std::uint32_t>& group : {std::vector<std::uint32_t>{1, 2}, {2, 1}}) {
    params.groups = {group};
    const auto options =
        fixture.engine({}, sim::ClockTrace{{1, 2, 3}, {group.front(), group.front(), group.front()}});
    const auto outcome = CentralRun<CentralAsync>(fixture, params, options, &noise);
    CHECK(outcome.world->iterations == 3);
    CHECK(outcome.world->ledger.account(1).releases == 1);
    CHECK(outcome.world->ledger.account(2).releases == 3);
    check_all(outcome.learner, {0, 0, 1.25, 0.875});
    CHECK(outcome.protocol.copy(0)[0] == 3.375);
  }
}

TEST_CASE("central_async: members of a group that answer in time speak for it") {
  // Owner 1 is the learner and answers at once; owner 2's answer takes 1.2 s. At the timeout, 1 s after the
  // clock of owner 1, Q_G is owner 1's -2 alone: theta_G = -2 (1/2) (-2).
  const test::StudyFixture fixture(test::equal_records({1, 3, 5}, {1, 3, 4}), ridge(1), {}, 1);
  auto params = unit_step(1);
  params.groups = {{1, 2}};
  params.learner_is_owner = 1;
  params.timeout = 1;
  const auto outcome =
      CentralRun<CentralAsync>(fixture, params, fixture.engine(latency(0.6), sim::ClockTrace{{1}, {1}}));
  check_all(outcome.time, {0, 2});
  CHECK(outcome.protocol.copy(0)[0] == 2);
}

TEST_CASE("central_async: answers are weighted against how often their owner is heard") {
  // Owners 1, 1, 2: factors 1/(2 1), 2/(2 2), 3/(2 1).
  //   bar = 0,    Q = -2:     theta_1 = -2 ((1/4)(-2)) = 1;                              theta_L = 0
  //   bar = 1/2,  Q = -1:     theta_1 = 1/2 - 2 (1/8 - 1/4) = 3/4;                       theta_L = 1/4
  //   bar = 1/8,  Q = -5.75:  theta_2 = 1/8 - 2 (1/32 - (3/4) 5.75) = 8.6875;            theta_L = 1/16
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 3);
  auto params = unit_step(3);
  params.reweight_by_frequency = true;
  const auto outcome =
      CentralRun<CentralAsync>(fixture, params, fixture.engine({}, sim::ClockTrace{{1, 2, 3}, {1, 1, 2}}));
  check_all(outcome.learner, {0, 0, 0.25, 0.0625});
  CHECK(outcome.protocol.copy(0)[0] == 0.75);
  CHECK(outcome.protocol.copy(1)[0] == 8.6875);
}

TEST_CASE("central_async: the weight against frequency stays between 0.1 and 10") {
  // N = 20, first visit: 1/20 would be 0.05. theta_1 = -20 ((1/20) 0.1 (-2)).
  const test::StudyFixture many(one_record_each(std::vector<double>(20, 1)), ridge(1), {}, 1);
  auto params = unit_step(1);
  params.reweight_by_frequency = true;
  CHECK(CentralRun<CentralAsync>(many, params, many.engine({}, sim::ClockTrace{{1}, {1}}))
            .protocol.copy(0)[0] == Approx(0.2).epsilon(1e-12));
  // 21 visits to owner 1, whose y = 0 moves nothing; at the 22nd owner 2 would have 22/2.
  const test::StudyFixture two(one_record_each({0, 3}), ridge(1), {}, 22);
  params = unit_step(22);
  params.reweight_by_frequency = true;
  sim::ClockTrace clock;
  for (int k = 1; k <= 22; ++k) {
    clock.times.push_back(k);
    clock.agents.push_back(k < 22 ? 1 : 2);
  }
  CHECK(CentralRun<CentralAsync>(two, params, two.engine({}, clock)).protocol.copy(1)[0] ==
        Approx(60).epsilon(1e-12));
}

TEST_CASE(
    "central_async: a budget for the expected share is spread over T/N + 3 sqrt(T/N) answers, no more") {
  // T = 100, N = 4: 25 + 15. Owner 1 alone ticks, 60 times; the 41st time it has nothing left.
  const test::StudyFixture fixture(one_record_each({1, 2, 3, 4}), ridge(1), laplace(2, 1), 100);
  CentralAsync::Params params;
  params.rho = models::GivenStep{1};
  params.budget_for = models::BudgetFor::kExpectedShare;
  sim::ClockTrace clock;
  for (int k = 1; k <= 60; ++k) {
    clock.times.push_back(k);
    clock.agents.push_back(1);
  }
  const auto outcome = CentralRun<CentralAsync>(fixture, params, fixture.engine({}, clock));
  CHECK(outcome.end == sim::End::kIdle);
  CHECK(outcome.world->iterations == 40);
  const models::Account& account = outcome.world->ledger.account(1);
  CHECK(account.releases == 40);
  CHECK(account.schedule->step(0).epsilon == Approx(2.0 / 40).epsilon(1e-14));
  CHECK(account.spent().epsilon == Approx(2).epsilon(1e-12));
  // Rounded up; never above T.
  CHECK(params.planned_answers(1000, 3) == 389);  // 333.33 + 54.77 = 388.1
  CHECK(params.planned_answers(100, 1) == 100);
  params.budget_for = models::BudgetFor::kHorizon;
  CHECK(params.planned_answers(1000, 3) == 1000);
}

TEST_CASE("central_async: records that kappa owners may hold leave each of them a kappa-th of its budget") {
  const test::StudyFixture once(one_record_each({1, 3}), ridge(1), laplace(1, 1), 20);
  const test::StudyFixture twice(one_record_each({1, 3}), ridge(1), laplace(2, 1), 20);
  CentralAsync::Params params;
  params.rho = models::GivenStep{10};
  const auto plain = CentralRun<CentralAsync>(once, params, once.engine());
  params.overlap = 2;
  const auto shared = CentralRun<CentralAsync>(twice, params, twice.engine());
  CHECK(shared.learner == plain.learner);
  CHECK(shared.world->ledger.account(1).epsilon_budget() == 1);
}

TEST_CASE("central_async: the owner that learns needs no message and no budget for its own data") {
  // Owner 1 is the learner. At 1 it answers itself at once: theta_1 = 2. Owner 2 asks at 2 and answers at 2.3
  // with noise 2, Q = -6 + 2: theta_2 = 4, theta_L = 0. Owner 1's tick at 2.2 waits for that: bar = 1, Q = 0.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), laplace(1, 1), 3);
  auto params = unit_step(3);
  params.learner_is_owner = 1;
  const std::vector<Eigen::VectorXd> noise{Eigen::VectorXd::Constant(1, 2.0)};
  const auto outcome = CentralRun<CentralAsync>(
      fixture, params, fixture.engine(latency(0.1), sim::ClockTrace{{1, 2, 2.2}, {1, 2, 1}}), &noise);
  check_all(outcome.time, {0, 1, 2.3, 2.3});
  check_all(outcome.learner, {0, 0, 0, 0.5});
  CHECK(outcome.protocol.copy(1)[0] == 4);
  CHECK(outcome.protocol.copy(0)[0] == 0.5);
  CHECK(outcome.world->engine.traffic().messages == 3);
  CHECK(outcome.world->ledger.account(1).releases == 0);
  CHECK(outcome.world->ledger.account(2).releases == 1);
  const auto unaccounted = fixture.study().exact_reads->all();
  REQUIRE(unaccounted.size() == 1);
  CHECK_THAT(unaccounted[0], Catch::Contains("owner 1 uses its own gradient without noise"));
}

TEST_CASE("central_async: an owner that learns waits while the learner is down") {
  // Agent 0 is down from 3 to 10 s, and owner 1, which is the learner, ticks at 1, 4, 5, 6 and 11 s.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 5);
  auto params = unit_step(5);
  params.learner_is_owner = 1;
  sim::NetworkOptions network;
  network.availability = sim::Outages{.outages = {{.agents = {0}, .from = 3, .to = 10}}};
  auto options = fixture.engine(network, sim::ClockTrace{{1, 4, 5, 6, 11}, {1, 1, 1, 1, 1}});
  options.time_limit = 20;
  check_all(CentralRun<CentralAsync>(fixture, params, options).time, {0, 1, 11});
  // In a group it would have to query owner 2, too: a request, a query and an answer are not sent then either.
  params.groups = {{1, 2}};
  TraceLog trace;
  const auto outcome = run<CentralAsync>(fixture, params, options, {.trace = &trace});
  CHECK(outcome.world->iterations == 2);
  CHECK(trace.count(sim::TraceKind::kSend) == 4);
  for (const TraceLog::Entry& e : trace.entries)
    CHECK((e.record.kind != sim::TraceKind::kSend || e.record.time <= 3 || e.record.time >= 10));
}

TEST_CASE(
    "central_async: an owner is asked more often than expected_share plans with probability 4.2e-3 at most") {
  // In T uniform draws of N owners. The largest is that of Poisson(s), s = T/N with s + 3 sqrt(s) = 2, above 2:
  // 1 - e^-s (1 + s + s^2/2) = 4.13e-3; for N <= T that of Poisson(1) above 4: 1 - 65/(24 e) = 3.66e-3.
  CentralAsync::Params params;
  params.budget_for = models::BudgetFor::kExpectedShare;
  double largest = 0, within = 0, of_three = 0;
  for (const std::size_t owners : {2u, 3u, 5u, 10u, 20u, 50u, 86u, 100u, 317u, 1000u, 3172u, 10000u}) {
    const double n = static_cast<double>(owners), p = 1 / n;
    for (const std::uint64_t horizon :
         {1u, 2u, 3u, 5u, 10u, 20u, 50u, 100u, 243u, 500u, 1000u, 3000u, 10000u}) {
      const auto t = static_cast<double>(horizon);
      double tail = 0;
      for (std::uint64_t most = params.planned_answers(horizon, owners), k = most + 1;
           k <= std::min(horizon, most + 400); ++k) {
        const auto x = static_cast<double>(k);
        tail += std::exp(std::lgamma(t + 1) - std::lgamma(x + 1) - std::lgamma(t - x + 1) + x * std::log(p) +
                         (t - x) * std::log1p(-p));
      }
      largest = std::max(largest, tail);
      if (n <= t) within = std::max(within, tail);
      if (owners == 3) of_three = std::max(of_three, tail);
    }
  }
  CHECK(largest < 4.2e-3);
  CHECK(largest > 4.1e-3);                         // T = 1000, N = 3172
  CHECK(within == Approx(3.657e-3).margin(2e-6));  // N = T = 10000
  CHECK(of_three == Approx(1.237e-4).margin(1e-7));
}

TEST_CASE("central_async: interval, groups and learner are required to fit") {
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 10);
  const auto refused = [&](const CentralAsync::Params& params, const std::string& message) {
    const auto made = [&] {
      params.require(models::setting_of(fixture.study()));
      CentralAsync(params, fixture.study());
    };
    CHECK_THROWS_WITH(made(), Catch::Contains(message));
  };
  auto params = unit_step(10);
  params.initiative = models::Initiative::kLearner;
  CHECK_THROWS_WITH(
      params.require(models::setting_of(fixture.study())),
      Catch::Contains("protocol.interval, the time between the learner's queries, is required"));
  params = unit_step(10);
  params.groups = {{1, 3}};
  refused(params, "protocol.groups: expected owners from 1 to 2, found 3");
  params.groups = {{1}, {2, 1}};
  refused(params, "protocol.groups: owner 1 is named twice");
  params.groups = {{}};
  refused(params, "protocol.groups: a group must hold at least one owner");
  params = unit_step(10);
  params.learner_is_owner = 0;
  refused(params, "protocol.learner_is_owner: expected an owner from 1 to 2, found 0");
}

TEST_CASE(
    "central_async: a learner back from a crash knows no copy, and asks again at once if it has the "
    "initiative") {
  // Everybody is up for 5 s and back at 6 s. Asked at 0 and again at 6, each time with bar = 0 for both, although
  // the interval is 10 s: theta_1 = 2, theta_2 = 6, theta_L = 0.
  const test::StudyFixture fixture(one_record_each({1, 3}), ridge(1), {}, 4);
  auto params = unit_step(4);
  params.initiative = models::Initiative::kLearner;
  params.interval = 10;
  sim::NetworkOptions network = latency(0.1);
  network.availability = sim::Crash{.up = 5.0, .down = 1.0, .hub = true};
  sim::Engine::Options options = fixture.engine(network);
  options.time_limit = 30;
  const auto outcome = CentralRun<CentralAsync>(fixture, params, options);
  check_all(outcome.learner, {0, 0, 0, 0, 0});
  check_all(outcome.time, {0, 0.2, 0.2, 6.2, 6.2});
  CHECK(outcome.protocol.copy(0)[0] == 2);
  CHECK(outcome.protocol.copy(1)[0] == 6);
}
