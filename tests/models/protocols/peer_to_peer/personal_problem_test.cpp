#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "models/algebra/dense.hpp"
#include "models/protocols/peer_to_peer/objective_tracker.hpp"
#include "models/protocols/peer_to_peer/problem/propagation.hpp"
#include "tests/support/personal_fixture.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

const std::vector<Loss> kSmooth{SquaredLoss{}, LogisticLoss{}, SmoothedHingeLoss{0.5}};

PersonalProblem personal(const PersonalFixture& fixture, const PersonalOptions& options = {}) {
  return {options, fixture.problem(), fixture.topology()};
}

Eigen::MatrixXd random_models(const PersonalProblem& problem, std::uint32_t which) {
  sim::Stream s = sim::Streams(9, which)(sim::Purpose::kData, 77);
  Eigen::MatrixXd models(problem.p(), problem.agents());
  for (double& x : models.reshaped()) x = sim::normal(s);
  return models;
}

}  // namespace

TEST_CASE("personal problem: constants and Q of three agents, by hand") {
  // Weights 2 (0-1) and 1 (1-2); agent 2 holds nothing. Squared loss, x = 2, y = 1 and x = 1, y = 3 twice.
  DataSet data = test::one_point_each({2, 1, 0}, {1, 3, 0}, {{{0, 1}, {1, 2}}, {2, 1}});
  data.train[1] = {Records::Ones(2, 1), Eigen::VectorXd::Constant(2, 3)};
  data.train[2] = {Records(0, 1), Eigen::VectorXd(0)};
  const PersonalFixture fixture(data, SquaredLoss{});
  const PersonalProblem problem = personal(fixture, {.mu = 0.5});
  // D = 2, 3, 1; c = 1/2, 1, 1e-3; lambda = 1, 1/2, 1; Lloc = 2 x^2 + 2 lambda = 10, 3, and 2 without points.
  CHECK(problem.agent(0).weight == 2);
  CHECK(problem.agent(1).weight == 3);
  CHECK(problem.agent(0).confidence == 0.5);
  CHECK(problem.agent(1).confidence == 1);
  CHECK(problem.agent(2).confidence == 1e-3);
  CHECK(problem.agent(0).lambda == 1);
  CHECK(problem.agent(1).lambda == 0.5);
  CHECK(problem.agent(2).lambda == 1);
  CHECK(problem.agent(0).lipschitz == Approx(10));
  CHECK(problem.agent(1).lipschitz == Approx(3));
  CHECK(problem.agent(2).lipschitz == 2);
  CHECK(problem.agent(0).step == Approx(1 / 3.5));  // 1/(1 + 0.5 0.5 10)
  CHECK(problem.agent(1).step == Approx(1 / 2.5));
  // L = D (1 + mu c Lloc): 7, 7.5, 1.001; sigma = mu min D c 2 lambda = 0.5 min(2, 3, 0.002)
  CHECK(problem.max_lipschitz() == Approx(7.5));
  CHECK(problem.min_lipschitz() == Approx(1.001));
  CHECK(problem.strong_convexity() == Approx(0.001));
  CHECK(problem.contraction() == Approx(1 - 0.001 / 22.5).epsilon(1e-12));
  // At (1, 2, 4): 1/2 (2 1 + 1 4) = 3; L_0 = (2 - 1)^2 + 1 = 2, L_1 = 1 + 2 = 3, L_2 = 16:
  // 0.5 (2 0.5 2 + 3 3 + 0.001 16) = 5.508
  CHECK(problem.objective(Eigen::MatrixXd{{1, 2, 4}}) == Approx(8.508));
}

TEST_CASE("personal problem: a public Lipschitz constant follows from a declared bound alone") {
  DataSet data = test::random_agents({});
  const PersonalFixture fixture(data, LogisticLoss{});
  const PersonalProblem given =
      personal(fixture, {.lambda = 0.5, .lipschitz = Lipschitz::kPublic, .feature_bound = 6});
  for (sim::AgentId i = 0; i < given.agents(); ++i) CHECK(given.agent(i).lipschitz == 0.25 * 36 + 1);
  CHECK_THROWS_WITH(personal(fixture, {.lipschitz = Lipschitz::kPublic}),
                    Catch::Contains("needs a public bound on norm_2"));
  data.bounds = DeclaredBounds{.features_l1 = 3};
  const PersonalFixture declared(data, LogisticLoss{});
  CHECK(personal(declared, {.lambda = 0.5, .lipschitz = Lipschitz::kPublic}).agent(0).lipschitz ==
        0.25 * 9 + 1);
  data.bounds->features_l2 = 2;  // the sharper of the two counts
  const PersonalFixture sharper(data, LogisticLoss{});
  CHECK(personal(sharper, {.lambda = 0.5, .lipschitz = Lipschitz::kPublic}).agent(0).lipschitz ==
        0.25 * 4 + 1);
}

TEST_CASE("personal problem: no local gradient rises faster than its Lipschitz constant") {
  for (const Loss& loss : kSmooth) {
    INFO(loss.name());
    const PersonalFixture fixture(test::random_agents({.features = 4}), loss);
    const PersonalProblem problem = personal(fixture);
    double closest = 0;
    for (std::uint32_t which = 0; which < 50; ++which) {
      const Eigen::MatrixXd a = random_models(problem, which);
      const Eigen::MatrixXd b = a + 1e-3 * random_models(problem, which + 1000);
      for (sim::AgentId i = 0; i < problem.agents(); ++i) {
        Eigen::VectorXd at_a(4), at_b(4);
        problem.local_gradient(i, a.col(i), at_a);
        problem.local_gradient(i, b.col(i), at_b);
        const double slope = (at_a - at_b).norm() / (a.col(i) - b.col(i)).norm();
        closest = std::max(closest, slope / problem.agent(i).lipschitz);
        CHECK(slope <= problem.agent(i).lipschitz * (1 + 1e-9));
      }
    }
    CHECK(closest > 0.5);  // the constant is no idle bound
  }
}

TEST_CASE("personal problem: the gradient of Q is that of its differences") {
  for (const Loss& loss : kSmooth) {
    INFO(loss.name());
    const PersonalFixture fixture(test::random_agents({.agents = 4}), loss);
    const PersonalProblem problem = personal(fixture, {.mu = 0.7});
    Eigen::MatrixXd at = random_models(problem, 3), gradient;
    problem.gradient(at, gradient);
    const double h = 1e-5;
    for (Eigen::Index k = 0; k < at.size(); ++k) {
      const double kept = at.reshaped()[k];
      at.reshaped()[k] = kept + h;
      const double above = problem.objective(at);
      at.reshaped()[k] = kept - h;
      const double below = problem.objective(at);
      at.reshaped()[k] = kept;
      CHECK(gradient.reshaped()[k] == Approx((above - below) / (2 * h)).epsilon(1e-6).margin(1e-8));
    }
  }
}

TEST_CASE("personal problem: at the reference optimum the gradient vanishes, and nothing near it is lower") {
  for (const Loss& loss : kSmooth) {
    INFO(loss.name());
    const PersonalFixture fixture(test::random_agents({.agents = 12, .features = 5}), loss);
    const PersonalProblem problem = personal(fixture);
    const PersonalOptimum& optimum = problem.optimum();
    Eigen::MatrixXd gradient, at_zero;
    problem.gradient(optimum.models, gradient);
    problem.gradient(Eigen::MatrixXd::Zero(5, 12), at_zero);
    CHECK(gradient.lpNorm<Eigen::Infinity>() <= 1e-10 * at_zero.lpNorm<Eigen::Infinity>());
    CHECK(problem.objective(optimum.models) == optimum.value);
    for (std::uint32_t which = 0; which < 20; ++which) {
      const Eigen::MatrixXd near = optimum.models + 0.01 * random_models(problem, which);
      // Strong convexity: Q rises by at least sigma/2 of the distance squared.
      CHECK(problem.objective(near) - optimum.value >=
            0.99 * problem.strong_convexity() / 2 * (near - optimum.models).squaredNorm());
    }
  }
}

TEST_CASE("personal problem: the optimum of squared loss solves the normal equations") {
  // Q is a quadratic: (D - W + mu D C (2 X^T X/m + 2 lambda)) Theta = mu D C 2 X^T y/m, agent by agent stacked.
  const PersonalFixture fixture(test::random_agents({.agents = 5, .features = 2, .classes = false}),
                                SquaredLoss{});
  const PersonalProblem problem = personal(fixture, {.mu = 0.3});
  const Eigen::Index p = 2, n = 5;
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n * p, n * p);
  Eigen::VectorXd rhs(n * p);
  for (sim::AgentId i = 0; i < 5; ++i) {
    const Shard& s = fixture.problem().data().train[i];
    const auto& a = problem.agent(i);
    const double m = static_cast<double>(s.target.size()), factor = 0.3 * a.weight * a.confidence;
    system.block(i * p, i * p, p, p) =
        a.weight * Eigen::MatrixXd::Identity(p, p) +
        factor * (2 / m * s.features.transpose() * s.features + 2 / m * Eigen::MatrixXd::Identity(p, p));
    rhs.segment(i * p, p) = factor * 2 / m * s.features.transpose() * s.target;
    for (std::uint32_t k = 0; k < fixture.topology().degree(i); ++k) {
      system.block(i * p, fixture.topology().neighbours(i)[k] * p, p, p) =
          -fixture.topology().weight(fixture.topology().first_edge(i) + k) * Eigen::MatrixXd::Identity(p, p);
    }
  }
  const Eigen::VectorXd solution = solve_symmetric(system, rhs);
  CHECK((problem.optimum().models.reshaped() - solution).lpNorm<Eigen::Infinity>() < 1e-9);
}

TEST_CASE("personal problem: mu to infinity gives local models, mu to 0 consensus") {
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{});
  const PersonalProblem own = personal(fixture, {.mu = 1e8});
  CHECK((own.optimum().models - own.local_minimisers()).lpNorm<Eigen::Infinity>() < 1e-6);
  const PersonalProblem common = personal(fixture, {.mu = 1e-8});
  const Eigen::MatrixXd& models = common.optimum().models;
  const Eigen::VectorXd mean = models.rowwise().mean();
  CHECK((models.colwise() - mean).lpNorm<Eigen::Infinity>() < 1e-6);
  CHECK(mean.norm() > 0.1);  // agreed, and not on nothing
}

TEST_CASE("personal problem: local minimisers have no gradient left") {
  DataSet data = test::random_agents({});
  data.train[2] = {Records(0, 3), Eigen::VectorXd(0)};
  for (const Loss& loss : kSmooth) {
    INFO(loss.name());
    const PersonalFixture fixture(data, loss);
    const PersonalProblem problem = personal(fixture);
    Eigen::VectorXd gradient(3);
    for (sim::AgentId i = 0; i < problem.agents(); ++i) {
      problem.local_gradient(i, problem.local_minimisers().col(i), gradient);
      CHECK(gradient.lpNorm<Eigen::Infinity>() <= 1e-10);
    }
    CHECK(problem.local_minimisers().col(2).isZero(0));
  }
}

TEST_CASE("personal problem: what has no meaning is refused") {
  const DataSet data = test::random_agents({});
  const auto refused = [&](const ModelOptions& model, const sim::TopologyOptions& graph = sim::Similarity{}) {
    const test::StudyFixture fixture(data, model, {}, 1, graph, false);
    PersonalProblem({}, fixture.problem(), fixture.study().topology);
  };
  CHECK_THROWS_WITH(refused({.loss = HingeLoss{}}), Catch::Contains("needs a smooth loss, not hinge"));
  CHECK_NOTHROW(refused({.loss = LogisticLoss{}, .l2 = 0.1}));  // a note: PersonalOptions::notes
  CHECK_THROWS_WITH(refused({.loss = LogisticLoss{}, .theta_max = 1}), Catch::Contains("does not project"));
  const test::StudyFixture hub(data, {.loss = LogisticLoss{}}, {}, 1);
  CHECK_THROWS_WITH(PersonalProblem({}, hub.problem(), hub.study().topology),
                    Catch::Contains("an agent for each of the 6 owners, the network has 7"));
  const PersonalFixture light(test::one_point_each({1, 1}, {1, 1}, {{{0, 1}}, {0}}), SquaredLoss{});
  CHECK_THROWS_WITH(personal(light), Catch::Contains("agent 0 has no neighbour with a weight above 0"));
}

TEST_CASE("objective tracker: after any changes Q is what a recomputation gives") {
  for (const Loss& loss : kSmooth) {
    INFO(loss.name());
    const PersonalFixture fixture(test::random_agents({.agents = 9}), loss);
    const PersonalProblem problem = personal(fixture);
    Eigen::MatrixXd models = random_models(problem, 1);
    ObjectiveTracker tracker;
    CHECK(!tracker.active());
    tracker.changed(3);  // while it is off, nothing
    tracker.start(problem, models);
    sim::Stream s = sim::Streams(4, 4)(sim::Purpose::kData, 1);
    for (int round = 0; round < 2000; ++round) {
      // Several changes between two questions, some of the same agent.
      for (std::uint64_t k = 1 + sim::uniform_index(s, 4); k > 0; --k) {
        const auto i = static_cast<sim::AgentId>(sim::uniform_index(s, 9));
        for (double& x : models.col(i)) x += sim::normal(s, 0, 0.3) - 0.05 * x;
        tracker.changed(i);
      }
      if (round % 100 == 0)
        CHECK(tracker.value(models) == Approx(problem.objective(models)).epsilon(1e-12).margin(0));
    }
    CHECK(tracker.value(models) == Approx(problem.objective(models)).epsilon(1e-12).margin(0));
  }
}

TEST_CASE("objective tracker: an agent's scores are known from a reading of Q to its next change") {
  const PersonalFixture fixture(test::one_point_each({1, -2}, {1, -1}, {{{0, 1}}, {0.5}}), LogisticLoss{});
  const PersonalProblem problem = personal(fixture);
  Eigen::MatrixXd models{{0.25, 3}};
  ObjectiveTracker tracker;
  CHECK(tracker.scores(0).empty());
  tracker.start(problem, models);
  REQUIRE(tracker.scores(0).size() == 1);
  CHECK(tracker.scores(0)[0] == 0.25);
  CHECK(tracker.scores(1)[0] == -6);
  models(0, 1) = 4;
  tracker.changed(1);
  CHECK(tracker.scores(1).empty());
  CHECK(tracker.scores(0)[0] == 0.25);
  tracker.value(models);
  CHECK(tracker.scores(1)[0] == -8);

  const PersonalFixture squares(test::one_point_each({1, -2}, {1, 3}, {{{0, 1}}, {0.5}}), SquaredLoss{});
  const PersonalProblem quadratic = personal(squares);
  tracker.start(quadratic, models);
  CHECK(tracker.scores(0).empty());  // the loss is computed from moments
}

TEST_CASE("model propagation: two agents by hand, and each block is best for the others") {
  // W = 1, mu c = 1: 2 a - b = 3, 2 b - a = 0, so a = 2, b = 1.
  const PersonalFixture two(test::one_point_each({1, 1}, {1, 1}, {{{0, 1}}, {1}}), SquaredLoss{});
  const Eigen::MatrixXd smoothed = propagate(personal(two, {.mu = 1}), Eigen::MatrixXd{{3, 0}});
  CHECK(smoothed(0, 0) == Approx(2));
  CHECK(smoothed(0, 1) == Approx(1));

  const PersonalFixture fixture(test::random_agents({.agents = 20}), LogisticLoss{});
  const PersonalProblem problem = personal(fixture);
  const Eigen::MatrixXd local = random_models(problem, 5), all = propagate(problem, local);
  for (sim::AgentId i = 0; i < 20; ++i) {
    const auto& a = problem.agent(i);
    Eigen::VectorXd block = a.pull * local.col(i);
    for (std::uint32_t k = 0; k < fixture.topology().degree(i); ++k) {
      block += fixture.topology().weight(fixture.topology().first_edge(i) + k) / a.weight *
               all.col(fixture.topology().neighbours(i)[k]);
    }
    CHECK((all.col(i) - block / (1 + a.pull)).norm() < 1e-12);  // equation (16)
  }
}
