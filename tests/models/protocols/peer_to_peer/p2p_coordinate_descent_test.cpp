#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "models/protocols/peer_to_peer/tick_forecast.hpp"
#include "tests/support/personal_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;
using CD = P2pCoordinateDescent;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Equation (6), one tick after another in a plain loop. `noise(i, n)`: of agent i's n-th release.
template <class Noise>
MatrixXd sequential(const PersonalFixture& fixture, const PersonalProblem& problem,
                    const std::vector<sim::AgentId>& ticks, std::uint64_t steps, Noise&& noise) {
  MatrixXd theta = MatrixXd::Zero(problem.p(), problem.agents());
  std::vector<std::uint32_t> releases(problem.agents());
  for (const sim::AgentId i : ticks) {
    if (releases[i] == steps) continue;
    const auto& a = problem.agent(i);
    VectorXd gradient(problem.p());
    fixture.problem().mean_gradient(i, theta.col(i), gradient);
    gradient += noise(i, releases[i]++);
    for (Eigen::Index j = 0; j < problem.p(); ++j) {
      double mix = 0;
      for (std::uint32_t k = 0; k < fixture.topology().degree(i); ++k)
        mix += fixture.topology().weight(fixture.topology().first_edge(i) + k) *
               theta(j, fixture.topology().neighbours(i)[k]);
      mix /= a.weight;
      const double slope = gradient[j] + 2 * a.lambda * theta(j, i);
      theta(j, i) = (1 - a.step) * theta(j, i) + a.step * (mix - a.pull * slope);
    }
  }
  return theta;
}

std::vector<sim::AgentId> random_ticks(std::size_t agents, std::size_t length) {
  sim::Stream s = sim::Streams(8, 0)(sim::Purpose::kData, 123);
  std::vector<sim::AgentId> ticks;
  for (std::size_t k = 0; k < length; ++k)
    ticks.push_back(static_cast<sim::AgentId>(sim::uniform_index(s, agents)));
  return ticks;
}

}  // namespace

TEST_CASE("p2p coordinate descent: three ticks worked by hand") {
  // theta <- theta/2 + (1/2) (neighbour - (1/4) (2 (theta - y) + 2 theta))
  //   agent 0: 0 + 1/2 (0 + 1/2)                    = 0.25
  //   agent 1: 0 + 1/2 (0.25 + 6/4)                 = 0.875
  //   agent 0: 0.125 + 1/2 (0.875 - (-1.5 + 0.5)/4) = 0.6875
  // Q = 1/2 (0.1875)^2 + 1/4 (0.3125^2 + 0.6875^2 + 2.125^2 + 0.875^2) = 1.48046875
  const PersonalFixture fixture = two_agents(3);
  std::vector<double> first, second, q;
  const auto done = run<CD>(fixture, with_mu<CD>(0.25, 1), fixture.engine({}, ticks_of({0, 1, 0})),
                            [&](const World& w, const CD& protocol) {
                              first.push_back(w.models(0, 0));
                              second.push_back(w.models(0, 1));
                              double value = 0;
                              protocol.measure(0, w, {&value, 1});
                              q.push_back(value);
                            });
  CHECK(first == std::vector<double>{0, 0.25, 0.25, 0.6875});
  CHECK(second == std::vector<double>{0, 0, 0.875, 0.875});
  CHECK(q[0] == Approx(2.5));  // 1/4 (1 + 9)
  CHECK(q[3] == Approx(1.48046875).epsilon(1e-14));
  CHECK(done.world->engine.traffic().vectors == 3);  // one neighbour each
  CHECK(done.world->tally.updates == 3);
  CHECK(done.world->tally.staleness_steps == 0);
  // Age of what was used: the start (1 s old), agent 0's model of 1 s, agent 1's of 1 s.
  CHECK(done.world->tally.staleness_time == 3);
}

TEST_CASE("p2p coordinate descent: an agent uses what has reached it, not what others hold") {
  // Links take 1.5 s: agent 1 (t = 2) and agent 0 (t = 3) have heard nothing, agent 0 (t = 4) has heard 0.75.
  //   0.25; 1/2 (0 + 6/4) = 0.75; 0.125 + 1/2 (0 + 1/4) = 0.25; 0.125 + 1/2 (0.75 + 1/4) = 0.625
  const PersonalFixture fixture = two_agents(4);
  const auto done =
      run<CD>(fixture, with_mu<CD>(0.25, 1), fixture.engine(latency(1.5), ticks_of({0, 1, 0, 0})));
  CHECK(done.world->models(0, 0) == 0.625);
  CHECK(done.world->models(0, 1) == 0.75);
  // Publications not yet heard: 0 at t = 1, one of agent 0 at t = 2, one of agent 1 at t = 3, none at t = 4.
  CHECK(done.world->tally.staleness_steps == 2);
  CHECK(done.world->tally.staleness_time == 1 + 2 + 3 + 2);
}

TEST_CASE("p2p coordinate descent: an agent without points follows its neighbours and spends nothing") {
  // Agent 1 holds nothing: c = 1e-3, lambda = 1, Lloc = 2; its tick from (0.25, 0), mu = 1/4:
  // alpha = 1/(1 + 0.0005), theta = alpha 0.25.
  DataSet data = test::one_point_each({1, 0}, {1, 0}, {{{0, 1}}, {1}});
  data.train[1] = {Records(0, 1), VectorXd(0)};
  const PersonalFixture fixture(data, SquaredLoss{}, laplace_for(1, 1), 4);
  const std::vector<VectorXd> none{VectorXd::Zero(1), VectorXd::Zero(1)};
  const auto done =
      run<CD>(fixture, with_mu<CD>(0.25, 1), fixture.engine({}, ticks_of({0, 1, 1, 0})), {.noise = &none});
  const double once = 0.25 / 1.0005;
  const double twice = (1 - 1 / 1.0005) * once + 1 / 1.0005 * (0.25 - 0.00025 * 2 * once);
  CHECK(done.world->models(0, 1) == Approx(twice).epsilon(1e-14));
  CHECK(done.world->ledger.account(1).releases == 0);
  CHECK(done.world->ledger.all_spent());  // nobody waits for agent 1, which has no account
  CHECK(done.world->ledger.account(0).releases == 1);
  CHECK(done.world->engine.traffic().vectors == 3);  // agent 0 is silent at its second tick
}

TEST_CASE("p2p coordinate descent: with zero latency a run is the sequential algorithm bit for bit") {
  const DataSet data = test::random_agents({.agents = 8, .features = 5});
  const std::vector<sim::AgentId> ticks = random_ticks(8, 600);
  for (const Loss& loss : {Loss(SquaredLoss{}), Loss(LogisticLoss{})}) {
    INFO(loss.name());
    const PersonalFixture open(data, loss, {}, ticks.size());
    const auto free = run<CD>(open, {}, open.engine({}, ticks_of(ticks)));
    CHECK(free.world->models == sequential(open, free.protocol->personal(), ticks, 1000,
                                           [](auto, auto) { return VectorXd::Zero(5); }));

    // Noise: Laplace(0, 2 L0/(eps m)) from (kNoise, i), index n. 600 ticks exhaust 60 releases of most.
    const double epsilon = 0.8, bound = 1.5;
    const std::uint64_t steps = 60;
    const PersonalFixture closed(data, loss, laplace_for(epsilon, static_cast<double>(steps), bound),
                                 ticks.size());
    const auto spent = run<CD>(closed, {}, closed.engine({}, ticks_of(ticks)));
    const sim::Streams streams(1, 0);
    const MatrixXd expected =
        sequential(closed, spent.protocol->personal(), ticks, steps, [&](sim::AgentId i, std::uint32_t n) {
          VectorXd w = VectorXd::Zero(5);
          sim::Stream s = streams(sim::Purpose::kNoise, i, 0, n);
          const auto m = static_cast<double>(closed.problem().n(i));
          Laplace::add_noise({w.data(), 5}, 2 * bound / m / (epsilon / static_cast<double>(steps)), s);
          return w;
        });
    CHECK(spent.world->models == expected);
  }
}

TEST_CASE("p2p coordinate descent: Poisson clocks give the same models as their ticks in a plain loop") {
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, {}, 400);
  const auto done = run<CD>(fixture, {}, fixture.engine());
  const auto ticks = forecast_ticks(done.world->engine.clocks(), 6, 400);
  std::vector<sim::AgentId> order(400);
  for (sim::AgentId i = 0; i < 6; ++i) {
    for (const double t : ticks[i]) order[static_cast<std::size_t>(t)] = i;
  }
  CHECK(done.world->models == sequential(fixture, done.protocol->personal(), order, 1000,
                                         [](auto, auto) { return VectorXd::Zero(3); }));
}

TEST_CASE("p2p coordinate descent: run long it ends at the independent optimum") {
  for (const Loss& loss : {Loss(SquaredLoss{}), Loss(LogisticLoss{}), Loss(SmoothedHingeLoss{0.5})}) {
    INFO(loss.name());
    const PersonalFixture fixture(test::random_agents({.agents = 7}), loss, {}, 60'000, {"q_gap"});
    // Late links too: the fixed point does not depend on them.
    const auto done = run<CD>(fixture, {}, fixture.engine(latency(sim::Distribution(sim::Uniform{0, 0.5}))));
    CHECK((done.world->models - done.protocol->personal().optimum().models).lpNorm<Eigen::Infinity>() < 1e-6);
    CHECK(std::abs(done.metric("q_gap")) < 1e-10);
  }
}

TEST_CASE(
    "p2p coordinate descent: at a great mu agents end at their local models, at a small one they agree") {
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, {}, 40'000);
  const auto own = run<CD>(fixture, with_mu<CD>(1e9, 0.3), fixture.engine());
  CHECK((own.world->models - own.protocol->personal().local_minimisers()).lpNorm<Eigen::Infinity>() < 1e-6);
  CD::Params common = with_mu<CD>(1e-9);
  common.initial = LocalModels{};
  const auto agreed = run<CD>(fixture, common, fixture.engine());
  const VectorXd mean = agreed.world->models.rowwise().mean();
  CHECK((agreed.world->models.colwise() - mean).lpNorm<Eigen::Infinity>() < 1e-6);
  CHECK(mean.norm() > 0.1);
}

TEST_CASE("p2p coordinate descent: Q is tracked exactly, and asking for it changes nothing") {
  const DataSet data = test::random_agents({.agents = 15});
  const PrivacyOptions privacy = laplace_for(1, 40);
  const PersonalFixture asks(data, LogisticLoss{}, privacy, 1000, {"objective_q"});
  const PersonalFixture does_not(data, LogisticLoss{}, privacy, 1000);
  const auto network = latency(sim::Distribution(sim::Uniform{0, 2}), 0.2);
  const auto tracked = run<CD>(asks, {}, asks.engine(network), [](const World& w, const CD& protocol) {
    double q = 0;
    protocol.measure(0, w, {&q, 1});
    const double anew = protocol.personal().objective(w.models);
    if (std::abs(q - anew) > 1e-9 * anew) CHECK(q == anew);
  });
  const auto untracked = run<CD>(does_not, {}, does_not.engine(network));
  CHECK(tracked.world->fingerprint() == untracked.world->fingerprint());
  CHECK(tracked.world->models == untracked.world->models);
  CHECK(untracked.metric("objective_q") == Approx(tracked.metric("objective_q")).epsilon(1e-12));
}

TEST_CASE("p2p coordinate descent: a start that is sent is not known before it arrives") {
  CD::Params params = with_mu<CD>(0.25, 1);
  params.initial = ConstantModels{4};
  const PersonalFixture fixture = two_agents(2);
  // Known: 2 + 1/2 (4 - (2 3 + 8)/4) = 2.25. Sent and 1.5 s late: 2 + 1/2 (0 - 3.5) at t = 1.
  CHECK(run<CD>(fixture, params, fixture.engine(latency(1.5), ticks_of({0}))).world->models(0, 0) == 2.25);
  params.initial_exchange = InitialExchange::kSent;
  const auto sent = run<CD>(fixture, params, fixture.engine(latency(1.5), ticks_of({0})));
  CHECK(sent.world->models(0, 0) == 0.25);
  CHECK(sent.world->engine.traffic().vectors == 3);  // two starts and one update
  CHECK(run<CD>(fixture, params, fixture.engine(latency(0.5), ticks_of({0}))).world->models(0, 0) == 2.25);
}

TEST_CASE("p2p coordinate descent: run length") {
  PrivacyOptions privacy = laplace_for(1, 1);
  privacy.steps = models::Steps(sim::ValueList{{1, 3, 2, 2, 2, 2}});
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, privacy);
  CD::Params params;
  params.run_length = RunLength::kTicks;
  CHECK(run<CD>(fixture, params, fixture.engine()).world->iterations == 12);
  params.run_length = RunLength::kUntilSpent;
  const auto spent = run<CD>(fixture, params, fixture.engine());
  CHECK(spent.world->ledger.all_spent());
  std::uint64_t releases = 0;
  for (sim::AgentId i = 0; i < 6; ++i) releases += spent.world->ledger.account(i).releases;
  CHECK(releases == 12);
  CHECK(spent.world->iterations > 12);
}

TEST_CASE("p2p coordinate descent: publications without events make the same run") {
  // Bit for bit: fingerprint, models, ledger and traffic; also where latencies are long against the clocks, so that
  // several publications of an agent are under way at a time and overtake each other.
  for (const sim::LatencyOptions& latency :
       {sim::LatencyOptions(0.0), sim::LatencyOptions(0.5), sim::LatencyOptions(sim::Uniform{0, 0.015}),
        sim::LatencyOptions(sim::Uniform{0, 1}), sim::LatencyOptions(sim::Uniform{0.5, 4})}) {
    for (const sim::ClockOptions& clocks :
         {sim::ClockOptions(sim::Poisson{}), sim::ClockOptions(sim::Periodic{})}) {
      const PersonalFixture fixture(test::random_agents({.agents = 10}), LogisticLoss{}, laplace_for(1, 40),
                                    500);
      CD::Params params;
      params.initial = ConstantModels{0.5};
      params.initial_exchange = InitialExchange::kSent;
      sim::Engine::Options options = fixture.engine({}, clocks);
      options.network.links.latency = latency;
      const auto by_events = run<CD>(fixture, params, options);
      options.delivery = sim::Delivery::kLazy;
      const auto lazily = run<CD>(fixture, params, options);
      CHECK(!by_events.world->engine.lazy());
      CHECK(lazily.world->engine.lazy());
      CHECK(lazily.world->fingerprint() == by_events.world->fingerprint());
      CHECK(lazily.world->models == by_events.world->models);
      CHECK(lazily.world->tally.staleness_steps == by_events.world->tally.staleness_steps);
      CHECK(lazily.world->tally.staleness_time == by_events.world->tally.staleness_time);
      const sim::Traffic &a = lazily.world->engine.traffic(), &b = by_events.world->engine.traffic();
      CHECK(a.messages == b.messages);
      CHECK(a.vectors == b.vectors);
      CHECK(a.bytes == b.bytes);
      CHECK(a.delivered == b.delivered);
      CHECK(lazily.world->engine.now() == by_events.world->engine.now());
    }
  }
}

TEST_CASE("p2p coordinate descent: without events a run may end at a time too, with the same traffic") {
  const PersonalFixture fixture(test::random_agents({.agents = 10}), LogisticLoss{});
  sim::Engine::Options options = fixture.engine(latency(sim::Distribution(sim::Uniform{0, 2})));
  options.time_limit = 20;
  const auto by_events = run<CD>(fixture, {}, options);
  options.delivery = sim::Delivery::kLazy;
  const auto lazily = run<CD>(fixture, {}, options);
  CHECK(lazily.world->engine.lazy());
  CHECK(lazily.end == sim::End::kTime);
  CHECK(lazily.world->fingerprint() == by_events.world->fingerprint());
  CHECK(lazily.world->engine.traffic().delivered == by_events.world->engine.traffic().delivered);
  CHECK(lazily.world->engine.traffic().delivered < lazily.world->engine.traffic().messages);
}

TEST_CASE(
    "p2p coordinate descent: after a crash an agent starts anew, with nothing left to spend that it had "
    "spent") {
  sim::Crash churn;
  churn.up = sim::Distribution(sim::Exponential{4});
  churn.down = sim::Distribution(sim::Exponential{1});
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, laplace_for(1, 5), 300,
                                {"objective_q"});
  auto options = fixture.engine();
  options.network.availability = churn;
  const auto done = run<CD>(fixture, {}, options, [](const World& w, const CD& protocol) {
    double q = 0;
    protocol.measure(0, w, {&q, 1});
    if (std::abs(q / protocol.personal().objective(w.models) - 1) > 1e-9)
      CHECK(q == protocol.personal().objective(w.models));
  });
  for (sim::AgentId i = 0; i < 6; ++i) CHECK(done.world->ledger.account(i).releases <= 5);
}
