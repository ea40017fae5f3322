// What personal models are compared with: model propagation, learning alone, local differential privacy, pooling.
#include <catch2/catch.hpp>

#include <cmath>

#include "models/privacy/mechanisms/objective_perturbation.hpp"
#include "models/protocols/baselines/local_dp.hpp"
#include "models/protocols/baselines/local_only.hpp"
#include "models/protocols/peer_to_peer/model_propagation.hpp"
#include "models/protocols/peer_to_peer/problem/propagation.hpp"
#include "tests/support/personal_fixture.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace hearsay::test;

namespace {

PrivacyOptions with(const Mechanism& mechanism, double epsilon, double bound = 1) {
  PrivacyOptions privacy;
  privacy.mechanism = mechanism;
  privacy.epsilon = epsilon;
  privacy.gradient_bound = bound;
  return privacy;
}

}  // namespace

TEST_CASE("model propagation: two ticks by hand") {
  // W = 1, mu = 1, c = 1; local models of (theta - y)^2 + theta^2 are y/2: 1/2 and 3/2.
  //   agent 0: (3/2 + 1/2)/2 = 1, agent 1: (1 + 3/2)/2 = 5/4
  const PersonalFixture fixture(test::one_point_each({1, 1}, {1, 3}, {{{0, 1}}, {1}}), SquaredLoss{}, {}, 2);
  ModelPropagation::Params params;
  params.mu = 1;
  const auto done = run<ModelPropagation>(fixture, params, fixture.engine({}, ticks_of({0, 1})));
  CHECK(done.world->models(0, 0) == Approx(1).epsilon(1e-12));
  CHECK(done.world->models(0, 1) == Approx(1.25).epsilon(1e-12));
  CHECK(done.world->engine.traffic().vectors == 2);
}

TEST_CASE("model propagation: over a network it ends where the linear system does") {
  const PersonalFixture fixture(test::random_agents({.agents = 9}), LogisticLoss{}, {}, 40'000);
  sim::NetworkOptions network;
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.5});
  ModelPropagation::Params params;
  const auto ticks = run<ModelPropagation>(fixture, params, fixture.engine(network));
  CHECK(ticks.metric("propagation_distance") < 1e-16);
  params.propagation = Propagation::kExact;
  const auto exact = run<ModelPropagation>(fixture, params, fixture.engine(network));
  CHECK(exact.world->engine.traffic().messages == 0);
  CHECK(exact.world->models ==
        propagate(PersonalProblem({}, fixture.problem(), fixture.topology()), exact.protocol->local()));
}

TEST_CASE("model propagation: one private release each, and nothing more however long it runs") {
  for (const auto& [mechanism, local] :
       {std::pair(Mechanism(Laplace{}), LocalModelKind::kNoisyGradient),
        std::pair(Mechanism(ExponentialNorm{}), LocalModelKind::kOutput),
        std::pair(Mechanism(ExponentialNorm{}), LocalModelKind::kObjective)}) {
    const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, with(mechanism, 0.7), 500);
    ModelPropagation::Params params;
    params.local = local;
    const auto done = run<ModelPropagation>(fixture, params, fixture.engine());
    for (sim::AgentId i = 0; i < 6; ++i) {
      CHECK(done.world->ledger.account(i).releases == 1);
      CHECK(done.world->ledger.account(i).spent().epsilon == 0.7);
    }
    CHECK(done.world->iterations == 500);
  }
}

TEST_CASE("model propagation: what is not private or not covered is refused") {
  const auto make = [](const PrivacyOptions& privacy, LocalModelKind local) {
    const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, privacy, 1);
    ModelPropagation::Params params;
    params.local = local;
    ModelPropagation protocol(params, fixture.study());
  };
  CHECK_THROWS_WITH(make(with(Laplace{}, 1), LocalModelKind::kExact),
                    Catch::Contains("exact is not private"));
  CHECK_THROWS_WITH(make(with(Laplace{}, 1), LocalModelKind::kOutput),
                    Catch::Contains("privacy.mechanism exponential_norm"));
  PrivacyOptions warm = with(Laplace{}, 1);
  warm.epsilon_warm = 0.5;
  CHECK_THROWS_WITH(make(warm, LocalModelKind::kNoisyGradient),
                    Catch::Contains("leave out privacy.epsilon_warm"));
}

TEST_CASE("objective perturbation: both branches by hand") {
  // m Lambda = 2, c = 1/4: eps' = eps - 2 ln(9/8). At eps = 1: 0.764434; at 0.2 < 0.2356: eps/2 and a ridge.
  const ObjectiveNoise large = objective_noise(1, 10, 0.2, 0.25);
  CHECK(large.ridge == 0);
  CHECK(large.scale == Approx(2 / (1 - 2 * std::log(1.125))).epsilon(1e-14));
  const ObjectiveNoise small = objective_noise(0.2, 10, 0.2, 0.25);
  CHECK(small.scale == Approx(2 / 0.1).epsilon(1e-14));
  CHECK(small.ridge == Approx(0.025 / (std::exp(0.05) - 1) - 0.2).epsilon(1e-14));
}

TEST_CASE("local only: each model is its agent's minimiser, no message, nothing spent") {
  PrivacyOptions privacy = with(Laplace{}, 1);
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, privacy, 30, {"q_gap"});
  const auto done = run<LocalOnly>(fixture, {}, fixture.engine());
  const PersonalProblem problem({}, fixture.problem(), fixture.topology());
  CHECK(done.world->models == problem.local_minimisers());
  CHECK(done.world->engine.traffic().messages == 0);
  CHECK(done.world->ledger.account(0).spent().epsilon == 0);
  CHECK(done.world->iterations == 30);
  CHECK(done.metric("q_gap") == Approx(problem.objective(done.world->models) - problem.optimum().value));
}

TEST_CASE("pooled: one model, the minimiser over all points") {
  // (theta - 1)^2, (theta - 3)^2 at equal weight + lambda theta^2, lambda = 1/2: theta = 2/1.5.
  const PersonalFixture fixture(test::one_point_each({1, 1}, {1, 3}, {{{0, 1}}, {1}}), SquaredLoss{}, {}, 2);
  const auto done = run<Pooled>(fixture, {}, fixture.engine());
  CHECK(done.world->models(0, 0) == Approx(4.0 / 3).epsilon(1e-12));
  CHECK(done.world->models(0, 1) == done.world->models(0, 0));
  const PersonalFixture closed(test::one_point_each({1, 1}, {1, 3}, {{{0, 1}}, {1}}), SquaredLoss{},
                               with(Laplace{}, 1), 2);
  CHECK_THROWS_WITH(Pooled({}, closed.study()), Catch::Contains("all data in one place"));
}

TEST_CASE(
    "local dp: clipped features, Laplace noise of scale 2 B/eps_x on each, labels flipped as randomised") {
  // 40 agents of 200 points, features (6, 2) scaled to norm_1 2: (1.5, 0.5). eps = 3 = 2 + 1.
  DataSet data = test::random_agents({.agents = 40, .features = 2, .fewest = 200, .most = 200});
  for (Shard& s : data.train) {
    s.features.col(0).setConstant(6);
    s.features.col(1).setConstant(2);
    s.target.setConstant(1);
  }
  data.train[0].target[0] = -1;
  const PersonalFixture fixture(data, LogisticLoss{}, with(Laplace{}, 3), 3);
  LocalDp::Params params;
  params.clip = 2;
  params.epsilon_label = 1;
  const auto done = run<LocalDp>(fixture, params, fixture.engine());
  std::vector<double> first, second;
  std::uint64_t flipped = 0;
  for (const Shard& s : done.protocol->perturbed().data().train) {
    for (Eigen::Index k = 0; k < 200; ++k) {
      first.push_back(s.features(k, 0) - 1.5);
      second.push_back(s.features(k, 1) - 0.5);
      flipped += s.target[k] < 0 ? 1 : 0;
    }
  }
  const auto cdf = [](double x) { return x < 0 ? std::exp(x / 2) / 2 : 1 - std::exp(-x / 2) / 2; };  // b = 2
  CHECK(test::ks_distance(first, cdf) < test::dkw_threshold(first.size()));
  CHECK(test::ks_distance(second, cdf) < test::dkw_threshold(second.size()));
  CHECK(test::binomial_plausible(flipped, 8000, 1 / (1 + std::exp(1))));
  for (sim::AgentId i = 0; i < 40; ++i) CHECK(done.world->ledger.account(i).spent().epsilon == 3);
  const PersonalProblem noisy({}, done.protocol->perturbed(), fixture.topology());
  CHECK(done.world->models == noisy.local_minimisers());
}

TEST_CASE("local dp: without privacy it learns from the points as they are, alone or together") {
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, {}, 3);
  const PersonalProblem problem({}, fixture.problem(), fixture.topology());
  LocalDp::Params params;
  CHECK(run<LocalDp>(fixture, params, fixture.engine()).world->models == problem.local_minimisers());
  params.learn = LearnFromNoise::kTogether;
  CHECK(run<LocalDp>(fixture, params, fixture.engine()).world->models == problem.optimum().models);
  CHECK(fixture.study().exact_reads->all() ==
        std::vector<std::string>{"protocol.epsilon_label 0: labels are not protected"});
}

TEST_CASE("local dp: what does not fit is refused") {
  const auto make = [](const PrivacyOptions& privacy, double label, bool classes = true) {
    const PersonalFixture fixture(test::random_agents({.classes = classes}),
                                  classes ? Loss(LogisticLoss{}) : Loss(SquaredLoss{}), privacy, 1);
    LocalDp::Params params;
    params.epsilon_label = label;
    LocalDp protocol(params, fixture.study());
  };
  CHECK_NOTHROW(make(with(Laplace{}, 1), 0.5));
  CHECK_THROWS_WITH(make(with(ExponentialNorm{}, 1), 0), Catch::Contains("mechanism laplace"));
  CHECK_THROWS_WITH(make(with(Laplace{}, 1), 1),
                    Catch::Contains("expected a part of privacy.epsilon, below 1"));
  CHECK_THROWS_WITH(make(with(Laplace{}, 1), 0.5, false), Catch::Contains("the target is a number"));
  PrivacyOptions pld = with(Laplace{}, 1);
  pld.accountant = Accountant::kPld;
  pld.delta = 1e-6;
  CHECK_THROWS_WITH(make(pld, 0.5), Catch::Contains("not flipped classes"));
}
