#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/accountants/budget.hpp"
#include "models/protocols/peer_to_peer/problem/propagation.hpp"
#include "tests/support/personal_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;
using CD = P2pCoordinateDescent;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

class Traced final : public sim::TraceSink {
 public:
  void record(const sim::TraceRecord& r) override {
    if (r.kind == sim::TraceKind::kRelease) ++releases[r.agent];
    if (r.kind == sim::TraceKind::kPublish) ++published[r.agent];
  }
  std::map<sim::AgentId, std::uint64_t> releases, published;
};

}  // namespace

TEST_CASE("p2p coordinate descent: after its releases an agent is silent") {
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, laplace_for(1, 3), 200);
  for (const AfterBudget after : {AfterBudget::kFreeze, AfterBudget::kLocal}) {
    CD::Params params;
    params.after_budget = after;
    Traced trace;
    MatrixXd at_end_of_budgets;
    const auto done = run<CD>(fixture, params, fixture.engine(), {.trace = &trace}, [&](const World& w) {
      if (at_end_of_budgets.size() == 0 && w.iterations > 0 && w.ledger.all_spent())
        at_end_of_budgets = w.models;
    });
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
  privacy.steps = models::Steps(sim::ValueList{{1, 2}});
  CD::Params params = with_mu<CD>(0.25, 1);
  params.after_budget = AfterBudget::kLocal;
  const PersonalFixture fixture = two_agents(4, privacy);
  const auto done = run<CD>(fixture, params, fixture.engine({}, ticks_of({0, 1, 0, 1})), {.noise = &none});
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
          run<CD>(fixture, params, fixture.engine(network), {.repetition = repetition}, check);
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
    Laplace::add_noise({g.data(), 3}, 2 * 0.7 / (0.5 * static_cast<double>(fixture.problem().n(i))), s);
    local.col(i) = -g / problem.agent(i).lipschitz;
  }
  CHECK((start - propagate(problem, local)).norm() < 1e-13);
}

TEST_CASE("p2p coordinate descent: output perturbation has noise of mean norm p L0/eps, whatever m is") {
  // The radius of the noise is Gamma(p, L0/(eps m lambda)), m lambda = 1: over many runs its mean is p L0/eps.
  const DataSet data = test::random_agents({.agents = 4, .fewest = 5, .most = 50});
  PrivacyOptions privacy = laplace_for(3, 1, 0.8);
  privacy.epsilon_warm = 2;
  CD::Params params =
      with_mu<CD>(1e9);  // so strong a pull that propagation leaves local models where they are
  params.initial = PrivateWarmStart{LocalRelease::kOutput};
  const PersonalFixture fixture(data, LogisticLoss{}, privacy, 1);
  double radii = 0;
  constexpr std::uint32_t kRuns = 2000;
  for (std::uint32_t repetition = 0; repetition < kRuns; ++repetition) {
    run<CD>(fixture, params, fixture.engine(), {.repetition = repetition},
            [&](const World& w, const CD& protocol) {
              if (w.iterations == 0)
                radii += (w.models - protocol.personal().local_minimisers()).colwise().norm().sum();
            });
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
    ExponentialNorm::add_noise({b.data(), 3}, 2 / (2.5 - 2 * std::log(1.125)), s);
    VectorXd gradient(3);
    done.protocol->personal().local_gradient(i, start.col(i), gradient);
    CHECK((gradient + b / m).norm() < 1e-6);
  }
}

TEST_CASE("p2p coordinate descent: antithetic repetitions tilt the objective by negative noise") {
  DataSet data = test::random_agents({.agents = 4, .scale = 0.5});
  data.bounds = DeclaredBounds{.features_l1 = 1, .target = 1};
  for (Shard& s : data.train) s.features /= 2;
  PrivacyOptions privacy = laplace_for(3, 1);
  privacy.gradient_bound.reset();
  privacy.epsilon_warm = 2.5;
  CD::Params params = with_mu<CD>(1e9);
  params.initial = PrivateWarmStart{LocalRelease::kObjective};
  const PersonalFixture fixture(data, LogisticLoss{}, privacy, 1);
  std::vector<MatrixXd> starts;
  for (const std::uint32_t repetition : {4U, 5U}) {
    World world(fixture.study(), fixture.engine(), sim::Streams(1, repetition, true));
    Context context(world);
    CD protocol(params, fixture.study());
    protocol.on_start(context);
    starts.emplace_back(world.models);
    for (sim::AgentId i = 0; i < 4; ++i) {
      VectorXd gradient(3);
      protocol.personal().local_gradient(i, starts.back().col(i), gradient);
      starts.back().col(i) = gradient;
    }
  }
  // Of the minimiser of J + b . theta/m the gradient of J is -b/m.
  CHECK(starts[0].colwise().norm().minCoeff() > 1e-3);
  CHECK((starts[0] + starts[1]).norm() < 1e-6);
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
  CHECK_THROWS_WITH(make(laplace_for(1, 2e12), {}),
                    Catch::Contains("privacy.steps: expected at most 1e+12, found 2000000000000"));
  privacy.steps = models::Steps(sim::Pareto{.min = 1, .alpha = 1e-12});  // beyond all whole numbers
  CHECK_THROWS_WITH(make(privacy, {}), Catch::Contains("privacy.steps: expected at most 1e+12, found"));
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
