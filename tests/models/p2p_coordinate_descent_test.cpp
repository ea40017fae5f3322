#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/accountants/budget.hpp"
#include "models/protocols/peer_to_peer/problem/local_models.hpp"
#include "models/protocols/peer_to_peer/problem/propagation.hpp"
#include "models/protocols/peer_to_peer/tick_forecast.hpp"
#include "tests/support/personal_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using test::PersonalFixture;
using test::run;
using test::ticks_of;
using CD = P2pCoordinateDescent;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::latency;
using test::with_mu;

namespace {

PrivacyOptions laplace_for(double epsilon, double steps, double bound = 1) {
  PrivacyOptions privacy;
  privacy.mechanism = Laplace{};
  privacy.epsilon = epsilon;
  privacy.gradient_bound = bound;
  privacy.steps = sim::PerAgent(steps);
  return privacy;
}

// Two agents with one point each, x = 1, y = 1 and y = 3; W = 1. With lambda = 1, Lloc = 4, and mu = 1/4: alpha =
// 1/2.
PersonalFixture two_agents(std::uint64_t ticks, const PrivacyOptions& privacy = {}) {
  return {
      test::one_point_each({1, 1}, {1, 3}, {{{0, 1}}, {1}}), SquaredLoss{}, privacy, ticks, {"objective_q"}};
}

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

class Traced final : public sim::TraceSink {
 public:
  void record(const sim::TraceRecord& r) override {
    if (r.kind == sim::TraceKind::kRelease) ++releases[r.agent];
    if (r.kind == sim::TraceKind::kPublish) ++published[r.agent];
  }
  std::map<sim::AgentId, std::uint64_t> releases, published;
};

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
  const auto done = run<CD>(fixture, with_mu<CD>(0.25, 1), fixture.engine(latency(1.5), ticks_of({0, 1, 0, 0})));
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
  const auto done = run<CD>(fixture, with_mu<CD>(0.25, 1), fixture.engine({}, ticks_of({0, 1, 1, 0})), &none);
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
          add_laplace({w.data(), 5}, 2 * bound / m / (epsilon / static_cast<double>(steps)), s);
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
  CHECK(untracked.metric("objective_q") == Approx(tracked.metric("objective_q")).epsilon(1e-12));
}

TEST_CASE("p2p coordinate descent: after its releases an agent is silent") {
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, laplace_for(1, 3), 200);
  for (const AfterBudget after : {AfterBudget::kFreeze, AfterBudget::kLocal}) {
    CD::Params params;
    params.after_budget = after;
    Traced trace;
    MatrixXd at_end_of_budgets;
    const auto done = run<CD>(
        fixture, params, fixture.engine(),
        [&](const World& w, const CD&) {
          if (at_end_of_budgets.size() == 0 && w.iterations > 0 && w.ledger.all_spent())
            at_end_of_budgets = w.models;
        },
        nullptr, 0, &trace);
    REQUIRE(at_end_of_budgets.size() > 0);
    for (sim::AgentId i = 0; i < 6; ++i) {
      CHECK(trace.releases[i] == 3);
      CHECK(trace.published[i] == 3 * fixture.topology().degree(i));
      CHECK(done.world->ledger.account(i).spent().epsilon == Approx(1).epsilon(1e-12));
    }
    CHECK(done.world->iterations == 200);  // silent ticks count
    CHECK((done.world->models == at_end_of_budgets) == (after == AfterBudget::kFreeze));
  }
}

TEST_CASE("p2p coordinate descent: what `local` learns for itself reaches nobody") {
  // Agent 0 has one release; agent 1 must not see what agent 0 does afterwards.
  const std::vector<VectorXd> none(3, VectorXd::Zero(1));
  PrivacyOptions privacy = laplace_for(1, 1);
  privacy.steps = sim::PerAgent(sim::ValueList{{1, 2}});
  CD::Params params = with_mu<CD>(0.25, 1);
  params.after_budget = AfterBudget::kLocal;
  const PersonalFixture fixture = two_agents(4, privacy);
  const auto done = run<CD>(fixture, params, fixture.engine({}, ticks_of({0, 1, 0, 1})), &none);
  CHECK(done.world->models(0, 0) == 0.6875);  // as in the example by hand
  // 0.4375 + 1/2 (0.25 - (2 (0.875 - 3) + 1.75)/4) with agent 0's first model, not its second
  CHECK(done.world->models(0, 1) == 0.4375 + 0.5 * (0.25 + 2.5 / 4));
}

TEST_CASE("p2p coordinate descent: lost publications stay spent") {
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, laplace_for(1, 4), 300);
  const auto done = run<CD>(fixture, {}, fixture.engine(latency(0, 1)));
  const sim::Traffic& traffic = done.world->engine.traffic();
  CHECK(traffic.delivered == 0);
  CHECK(traffic.vectors == 4 * 2 * fixture.topology().edges());
  for (sim::AgentId i = 0; i < 6; ++i) {
    CHECK(done.world->ledger.account(i).releases == 4);
    CHECK(done.world->ledger.account(i).spent().epsilon == Approx(1).epsilon(1e-12));
  }
}

TEST_CASE("p2p coordinate descent: under churn and loss no ledger ever exceeds its budget") {
  sim::OnOff churn;
  churn.up = sim::Distribution(sim::Exponential{3});
  churn.down = sim::Distribution(sim::Exponential{2});
  constexpr Schedule kSchedules[] = {Schedule::kUniform,
                                     Schedule::kProposition2,
                                     Schedule::kProposition2Corrected,
                                     Schedule::kExpectedSchedule,
                                     Schedule::kExpectedScheduleCorrected,
                                     Schedule::kLemma3};
  std::uint64_t spent = 0, stopped = 0;
  for (const Accountant accountant : {Accountant::kBasic, Accountant::kKairouz, Accountant::kZcdp}) {
    for (const Schedule schedule : kSchedules) {
      for (const bool warm : {false, true}) {
        PrivacyOptions privacy = laplace_for(0.9, 5);
        privacy.accountant = accountant;
        privacy.delta = std::exp(-5);
        privacy.schedule = schedule;
        CD::Params params;
        if (warm) privacy.epsilon_warm = 0.2, params.initial = PrivateWarmStart{};
        const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, privacy, 120);
        auto network = latency(sim::Distribution(sim::Uniform{0, 3}), 0.3);
        network.availability = churn;
        const auto check = [&](const World& w, const CD&) {
          for (sim::AgentId i = 0; i < 6; ++i) {
            const Account& account = w.ledger.account(i);
            if (!(account.spent().epsilon <= 0.9 * (1 + 1e-11))) CHECK(account.spent().epsilon == 0.9);
            if (!(account.spent().delta <= privacy.delta)) CHECK(account.spent().delta == privacy.delta);
            spent += account.releases;
            stopped += account.releases == account.release_limit ? 1 : 0;
          }
        };
        for (std::uint32_t repetition = 0; repetition < 5; ++repetition)
          run<CD>(fixture, params, fixture.engine(network), check, nullptr, repetition);
      }
    }
  }
  CHECK(spent > 100'000);
  CHECK(stopped > 10'000);
}

TEST_CASE("p2p coordinate descent: a warm start is paid first, out of the same budget") {
  // 0.15 = 0.05 + 0.1, the 0.1 over 10 steps at delta e^-5 under kairouz: 0.0106 a step or so.
  PrivacyOptions privacy = laplace_for(0.15, 10);
  privacy.accountant = Accountant::kKairouz;
  privacy.delta = std::exp(-5);
  privacy.epsilon_warm = 0.05;
  CD::Params params;
  params.initial = PrivateWarmStart{};
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, privacy, 300);
  std::vector<double> first;
  const auto done = run<CD>(fixture, params, fixture.engine(), [&](const World& w, const CD&) {
    if (w.iterations == 0) first.push_back(w.ledger.account(2).spent().epsilon);
  });
  CHECK(first == std::vector<double>{0.05});
  const Account& account = done.world->ledger.account(2);
  CHECK(account.release_limit == 11);
  CHECK(account.releases == 11);
  CHECK(account.schedule->step(0).epsilon == 0.05);
  const double step = step_for_budget(0.15 - 0.05, 10, Step{}, {Accountant::kKairouz, std::exp(-5)}).epsilon;
  CHECK(account.schedule->step(1).epsilon == step);
  CHECK(account.schedule->step(10).epsilon == step);
  CHECK(account.spent().epsilon == Approx(0.15).epsilon(1e-9));
  CHECK(account.spent().epsilon <= 0.15);
}

TEST_CASE("p2p coordinate descent: the warm start is one noisy gradient step each, then propagation") {
  const DataSet data = test::random_agents({});
  PrivacyOptions privacy = laplace_for(1.5, 10, 0.7);
  privacy.epsilon_warm = 0.5;
  CD::Params params;
  params.initial = PrivateWarmStart{};
  const PersonalFixture fixture(data, LogisticLoss{}, privacy, 1);
  MatrixXd start;
  const auto done = run<CD>(fixture, params, fixture.engine(), [&](const World& w, const CD&) {
    if (w.iterations == 0) start = w.models;
  });
  const PersonalProblem& problem = done.protocol->personal();
  MatrixXd local(3, 6);
  const sim::Streams streams(1, 0);
  for (sim::AgentId i = 0; i < 6; ++i) {
    VectorXd g(3);
    fixture.problem().mean_gradient(i, VectorXd::Zero(3), g);
    sim::Stream s = streams(sim::Purpose::kNoise, i, 0, 0);
    add_laplace({g.data(), 3}, 2 * 0.7 / (0.5 * static_cast<double>(fixture.problem().n(i))), s);
    local.col(i) = -g / problem.agent(i).lipschitz;
  }
  CHECK((start - propagate(problem, local)).norm() < 1e-13);
}

TEST_CASE("p2p coordinate descent: output perturbation has noise of mean norm p L0/eps, whatever m is") {
  // The radius of the noise is Gamma(p, L0/(eps m lambda)), m lambda = 1: over many runs its mean is p L0/eps.
  const DataSet data = test::random_agents({.agents = 4, .fewest = 5, .most = 50});
  PrivacyOptions privacy = laplace_for(3, 1, 0.8);
  privacy.epsilon_warm = 2;
  CD::Params params = with_mu<CD>(1e9);  // so strong a pull that propagation leaves local models where they are
  params.initial = PrivateWarmStart{LocalRelease::kOutput};
  const PersonalFixture fixture(data, LogisticLoss{}, privacy, 1);
  double radii = 0;
  constexpr std::uint32_t kRuns = 2000;
  for (std::uint32_t repetition = 0; repetition < kRuns; ++repetition) {
    run<CD>(
        fixture, params, fixture.engine(),
        [&](const World& w, const CD& protocol) {
          if (w.iterations == 0)
            radii += (w.models - protocol.personal().local_minimisers()).colwise().norm().sum();
        },
        nullptr, repetition);
  }
  // Mean of 8000 Gamma(3, 0.4): 1.2, deviation 0.4 sqrt(3)/sqrt(8000) = 0.0077; six of them.
  CHECK(std::abs(radii / (4 * kRuns) - 1.2) < 6 * 0.0078);
}

TEST_CASE("p2p coordinate descent: objective perturbation minimises the tilted objective") {
  DataSet data = test::random_agents({.agents = 4, .scale = 0.5});
  data.bounds = DeclaredBounds{.features_l1 = 1, .target = 1};
  for (Shard& s : data.train) s.features /= 2;  // norm_1(x) <= 3/4
  PrivacyOptions privacy = laplace_for(3, 1);
  privacy.gradient_bound.reset();
  privacy.epsilon_warm = 2.5;
  CD::Params params = with_mu<CD>(1e9);
  params.initial = PrivateWarmStart{LocalRelease::kObjective};
  const PersonalFixture fixture(data, LogisticLoss{}, privacy, 1);
  MatrixXd start;
  const auto done = run<CD>(fixture, params, fixture.engine(), [&](const World& w, const CD&) {
    if (w.iterations == 0) start = w.models;
  });
  const sim::Streams streams(1, 0);
  for (sim::AgentId i = 0; i < 4; ++i) {
    // Lambda = 2/m, c = 1/4: eps' = 2.5 - 2 ln(1 + 1/8) > 0, so no extra ridge.
    const auto m = static_cast<double>(fixture.problem().n(i));
    VectorXd b = VectorXd::Zero(3);
    sim::Stream s = streams(sim::Purpose::kNoise, i, 0, 0);
    add_exponential_norm({b.data(), 3}, 2 / (2.5 - 2 * std::log(1.125)), s);
    VectorXd gradient(3);
    done.protocol->personal().local_gradient(i, start.col(i), gradient);
    CHECK((gradient + b / m).norm() < 1e-6);
  }
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
  privacy.steps = sim::PerAgent(sim::ValueList{{1, 3, 2, 2, 2, 2}});
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

TEST_CASE("p2p coordinate descent: a schedule knows at which ticks of the network its agent ticks") {
  // Ticks 0 1 1 0 1 0: agent 0 at 0, 3, 5, agent 1 at 1, 2, 4.
  PrivacyOptions privacy = laplace_for(1, 2);
  privacy.schedule = Schedule::kProposition2Corrected;
  const PersonalFixture fixture = two_agents(6, privacy);
  const auto done = run<CD>(fixture, with_mu<CD>(0.25, 1), fixture.engine({}, ticks_of({0, 1, 1, 0, 1, 0})));
  const double c = done.protocol->personal().contraction();  // sigma = 1/2, L = 2, n = 2: 1 - 1/8
  CHECK(c == 0.875);
  const auto check = [&](sim::AgentId i, double t0, double t1) {
    const Account& a = done.world->ledger.account(i);
    CHECK(a.schedule->step(0).epsilon + a.schedule->step(1).epsilon == Approx(1).epsilon(1e-12));
    CHECK(a.schedule->step(1).epsilon / a.schedule->step(0).epsilon ==
          Approx(std::pow(c, -(t1 - t0) / 3)).epsilon(1e-9));
  };
  check(0, 0, 3);
  check(1, 1, 2);
}

TEST_CASE("p2p coordinate descent: what does not fit together is refused") {
  const DataSet data = test::random_agents({});
  const auto make = [&](const PrivacyOptions& privacy, const CD::Params& params) {
    const PersonalFixture fixture(data, LogisticLoss{}, privacy, 1);
    CD protocol(params, fixture.study());
  };
  PrivacyOptions privacy = laplace_for(1, 3);
  privacy.steps.reset();
  CHECK_THROWS_WITH(make(privacy, {}), Catch::Contains("give privacy.steps"));
  privacy = laplace_for(1, 2.5);
  CHECK_THROWS_WITH(make(privacy, {}), Catch::Contains("privacy.steps: expected whole numbers, found 2.5"));
  privacy = laplace_for(1, 3);
  privacy.epsilon_warm = 0.1;
  CHECK_THROWS_WITH(make(privacy, {}),
                    Catch::Contains("is spent by protocol.initial private_warm_start only"));
  CD::Params warm;
  warm.initial = PrivateWarmStart{};
  CHECK_THROWS_WITH(make(laplace_for(1, 3), warm), Catch::Contains("needs privacy.epsilon_warm"));
  privacy.epsilon_warm = 1;
  CHECK_THROWS_AS(make(privacy, warm), BudgetError);
  privacy.epsilon_warm = 0.5;
  privacy.gradient_bound.reset();
  privacy.clip = 1;
  CHECK_NOTHROW(make(privacy, warm));
  warm.initial = PrivateWarmStart{LocalRelease::kOutput};
  CHECK_THROWS_WITH(make(privacy, warm), Catch::Contains("whose sensitivity clipping does not bound"));
  privacy.clip.reset();
  privacy.gradient_bound = 2;
  warm.initial = PrivateWarmStart{LocalRelease::kObjective};
  CHECK_THROWS_WITH(make(privacy, warm), Catch::Contains("needs norm_2(x) <= 1"));
  privacy.gradient_bound = 1;
  CHECK_NOTHROW(make(privacy, warm));
  privacy.adjacency = Adjacency::kAddRemove;
  CHECK_THROWS_WITH(make(privacy, warm), Catch::Contains("replace_one"));
  CD::Params length;
  length.run_length = RunLength::kTicks;
  CHECK_THROWS_WITH(make({}, length), Catch::Contains("give privacy.steps"));
  length.run_length = RunLength::kUntilSpent;
  CHECK_THROWS_WITH(make({}, length), Catch::Contains("no privacy.mechanism is given"));
}

TEST_CASE("p2p coordinate descent: publications without events make the same run") {
  // Bit for bit: fingerprint, models, ledger and traffic; also where latencies are long against the clocks, so that
  // several publications of an agent are under way at a time and overtake each other.
  for (const sim::LatencyOptions& latency :
       {sim::LatencyOptions(0.0), sim::LatencyOptions(0.5), sim::LatencyOptions(sim::Uniform{0, 0.015}),
        sim::LatencyOptions(sim::Uniform{0, 1}), sim::LatencyOptions(sim::Uniform{0.5, 4})}) {
    for (const sim::ClockOptions& clocks :
         {sim::ClockOptions(sim::Poisson{}), sim::ClockOptions(sim::Periodic{})}) {
      const PersonalFixture fixture(test::random_agents({.agents = 10}), LogisticLoss{}, laplace_for(1, 40), 500);
      CD::Params params;
      params.initial = ConstantModels{0.5};
      params.initial_exchange = InitialExchange::kSent;
      sim::Engine::Options options = fixture.engine({}, clocks);
      options.network.links.latency = latency;
      const auto by_events = run<CD>(fixture, params, options);
      options.publications_only = true;
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
  options.publications_only = true;
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
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, laplace_for(1, 5), 300, {"objective_q"});
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
