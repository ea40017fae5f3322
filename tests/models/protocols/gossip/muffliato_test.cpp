#include "models/protocols/gossip/muffliato.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <numbers>

#include "models/algebra/dense.hpp"
#include "tests/models/protocols/gossip/gossip_run.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using models::MixingWeights;
using models::Muffliato;
using namespace hearsay::test;

namespace {

const double kRoot11 = std::sqrt(11.0);

Muffliato::Params gossip(Muffliato::Params params, std::uint32_t steps, bool accelerated) {
  params.gossip_steps = steps;
  params.accelerated = accelerated;
  return params;
}

// Distance from the mean after `steps` rounds of gossip alone, over that before.
double contraction(const sim::TopologyOptions& graph, const std::vector<double>& start, std::uint64_t steps,
                   bool accelerated) {
  const auto fixture = test::targets(start, graph, steps * start.size());
  const Eigen::VectorXd end = end_of<Muffliato>(fixture, gossip(mixing_only<Muffliato>(), 1000, accelerated),
                                                {start, {}, latency(0.1)});
  const Eigen::VectorXd before = Eigen::VectorXd::Map(start.data(), static_cast<Eigen::Index>(start.size()));
  CHECK(end.mean() == Approx(before.mean()).margin(1e-12));
  return std::sqrt(test::disagreement(end) / test::disagreement(before));
}

}  // namespace

TEST_CASE("muffliato: phases on a path, by hand") {
  // W = (2 1 0; 1 1 1; 0 1 2)/3. The step moves each agent to the middle of its model and its target: (6, 0, 12) with targets
  // (0, 18, 6) to (3, 9, 9), gossip to (5, 7, 9) and (17/3, 7, 25/3). The next phase begins with the middles (17/6, 25/2, 43/6),
  // which gossip moves to (109/18, 15/2, 161/18).
  const Eigen::Vector3d first(5, 7, 9), second(17.0 / 3, 7, 25.0 / 3), third(109.0 / 18, 7.5, 161.0 / 18);
  // Whether agents have these models when they complete a round: rounds end every 1/8 s.
  const auto reach = [&](bool accelerated, const std::vector<Eigen::Vector3d>& expected) {
    const auto fixture = test::targets({0, 18, 6}, sim::Grid{1u}, 3 * expected.size());
    std::vector<Eigen::Vector3d> seen(expected.size(), Eigen::Vector3d::Zero());
    test::run_gossip<Muffliato>(fixture, gossip(quarter_step<Muffliato>(), 2, accelerated),
                                {{6, 0, 12}, {}, latency(0.125)}, [&](const models::World& world) {
                                  const auto round = static_cast<std::size_t>(world.engine.now() / 0.125);
                                  if (round == 0) return;
                                  const Eigen::Vector3d& end = expected.at(round - 1);
                                  for (Eigen::Index i = 0; i < 3; ++i) {
                                    const double x = world.models(0, i);
                                    if (std::abs(x - end[i]) < 1e-13) seen[round - 1][i] = 1;
                                  }
                                });
    for (const Eigen::Vector3d& agents : seen) CHECK(agents == Eigen::Vector3d::Ones());
  };
  reach(false, {first, second, third});
  // I - W has the eigenvalues 0, 1/3, 1. The second gossip step is gamma (17/3, 7, 25/3) + (1 - gamma) (3, 9, 9).
  const double gamma = (72 - 12 * kRoot11) / 25;
  const Eigen::Vector3d faster = gamma * second + (1 - gamma) * Eigen::Vector3d(3, 9, 9);
  // A phase begins with a plain gossip step.
  const Eigen::Vector3d moved = (faster + Eigen::Vector3d(0, 18, 6)) / 2;
  const Eigen::Vector3d plain((2 * moved[0] + moved[1]) / 3, moved.mean(), (moved[1] + 2 * moved[2]) / 3);
  reach(true, {first, faster, plain});
}

TEST_CASE("muffliato: one release, then averaging, by hand") {
  // Targets (0, 6, 3) and noise (2, -2, 4): x_0 = -step * (gradient 2 (0 - y) + noise) with step 1/2 is (-1, 7, 1), of mean
  // 7/3. No budget is left for the second phase, which only averages.
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Gaussian{};
  privacy.epsilon = 1;
  privacy.delta = 1e-5;
  privacy.gradient_bound = 100;
  privacy.steps = 1;
  const test::StudyFixture fixture(test::one_record_each({0, 6, 3}), test::ridge(0), privacy, 6,
                                   sim::Grid{1u}, false);
  const std::vector<Eigen::VectorXd> noise{Eigen::VectorXd::Constant(1, 2), Eigen::VectorXd::Constant(1, -2),
                                           Eigen::VectorXd::Constant(1, 4)};
  auto params = gossip({}, 1, false);
  params.step = models::ConstantStep{0.5};
  std::vector<Eigen::Vector3d> seen;
  const auto look = [&](const models::World& w) { seen.emplace_back(w.models.row(0).transpose()); };
  const auto done =
      test::run<Muffliato>(fixture, params, fixture.engine(latency(0.1)), {.noise = &noise}, look);
  REQUIRE(seen.size() == 7);
  CHECK((seen[3] - Eigen::Vector3d(5, 7, 9) / 3).norm() < 1e-14);
  CHECK((seen[6] - Eigen::Vector3d(17, 21, 25) / 9).norm() < 1e-14);
  CHECK(done.world->releases() == 3);
}

TEST_CASE("muffliato: the second smallest eigenvalue of I - W, from closed forms") {
  const auto gap = [](const sim::TopologyOptions& graph, sim::AgentId n,
                      MixingWeights weights = MixingWeights::kMetropolis) {
    return models::mixing_gap(weights, sim::make_topology(graph, n, test::kStreams));
  };
  const auto of_ring = [](double n) { return 2 * (1 - std::cos(2 * std::numbers::pi / n)) / 3; };
  CHECK(gap(sim::Ring{}, 2) == Approx(1).epsilon(1e-12));
  CHECK(gap(sim::Grid{1u}, 3) == Approx(1.0 / 3).epsilon(1e-12));
  CHECK(gap(sim::Complete{}, 9) == Approx(1).epsilon(1e-12));
  CHECK(gap(sim::Ring{}, 50) == Approx(of_ring(50)).epsilon(1e-9));
  CHECK(gap(sim::Ring{}, 1500) == Approx(of_ring(1500)).epsilon(1e-8));
  CHECK(gap(sim::Hypercube{}, 2048) == Approx(2.0 / 12).epsilon(1e-10));
  // A star of n agents: all weights 1/n, eigenvalues 1/n (n - 2 times) and 1.
  CHECK(gap(sim::Star{}, 40) == Approx(1.0 / 40).epsilon(1e-10));
  CHECK_THROWS_AS(gap(sim::ErdosRenyi{.probability = 0}, 4), sim::TopologyError);
  for (const auto weights : {MixingWeights::kMetropolis, MixingWeights::kUniform}) {
    const sim::Topology graph = sim::make_topology(sim::BarabasiAlbert{}, 60, test::kStreams);
    Eigen::MatrixXd w(60, 60);
    for (Eigen::Index i = 0; i < 60; ++i)
      w.col(i) = models::mix(weights, graph, Eigen::VectorXd::Unit(60, i));
    CHECK((w - w.transpose()).norm() < 1e-14);
    const double expected = 1 - models::symmetric_eigenvalues(w)[58];
    CHECK(models::mixing_gap(weights, graph) == Approx(expected).epsilon(1e-10));
  }
}

TEST_CASE("muffliato: gossip contracts along an eigenvector of a ring by a^T, accelerated by P_T(a)") {
  constexpr std::uint64_t kSteps = 9;
  constexpr int kAgents = 12;
  const auto eigenvalue = [](int k) { return (1 + 2 * std::cos(2 * std::numbers::pi * k / kAgents)) / 3; };
  const double rho = 1 - (1 - eigenvalue(1)) / 2, r = rho / (1 + std::sqrt(1 - rho * rho));
  for (const int k : {1, 2, 3, 5}) {
    std::vector<double> start;
    for (int i = 0; i < kAgents; ++i) start.push_back(5 + std::cos(2 * std::numbers::pi * k * i / kAgents));
    const double a = eigenvalue(k), angle = std::acos(a / rho), t = kSteps;
    CHECK(contraction(sim::Ring{}, start, kSteps, false) == Approx(std::pow(std::abs(a), t)).epsilon(1e-9));
    const double expected =
        std::pow(r, t) *
        (std::cos(t * angle) + (rho / r - 1) * std::cos(angle) * std::sin(t * angle) / std::sin(angle));
    CHECK(contraction(sim::Ring{}, start, kSteps, true) == Approx(std::abs(expected)).epsilon(1e-8));
  }
}

TEST_CASE("muffliato: on a ring acceleration does in some steps what plain gossip does in many") {
  // 30 agents: l = 0.01457. From a start with all components 90 plain steps leave at least part of the slowest, (1 - l)^90 =
  // 0.27 of it; accelerated ones at most r^90 (1 + 90 sqrt(1 - rho^2)) = 2.2e-4.
  constexpr int kAgents = 30, kSteps = 90;
  std::vector<double> start(kAgents, 0.0);
  start[0] = 1;
  const double l = 2 * (1 - std::cos(2 * std::numbers::pi / kAgents)) / 3, rho = 1 - l / 2;
  const double root = std::sqrt(1 - rho * rho);
  // Two of the 29 equal components of the start are the slowest.
  const double plain = contraction(sim::Ring{}, start, kSteps, false);
  const double accelerated = contraction(sim::Ring{}, start, kSteps, true);
  CHECK(plain >= std::sqrt(2.0 / 29) * std::pow(1 - l, kSteps));
  CHECK(accelerated <= std::pow(rho / (1 + root), kSteps) * (1 + kSteps * root));
  CHECK(accelerated < 0.01 * plain);
}

TEST_CASE("muffliato: what an agent does about a silent neighbour, by hand") {
  // The network of the test of that name of dpsgd_gossip. Accelerated: W has the eigenvalues 1 and 0, gamma = 8 - 4 sqrt(3).
  // Agent 0 keeps its 8 in three rounds. At 4.25 s agent 1 hears of round 4, gives up its round 1 and takes the mean, 4: it has
  // completed no round 3. At 4.75 s agent 0, which has, ends round 4 with gamma 4 + (1 - gamma) 8.
  const auto fixture = test::targets({1, 3}, sim::Ring{}, 6);
  auto params = gossip(mixing_only<Muffliato>(), 100, true);
  params.round_timeout = 1.25;
  std::map<double, Eigen::Vector2d> at;
  test::run_gossip<Muffliato>(
      fixture, params, {{8, 0}, {}, latency(0.5), {test::crash_between(1, 0, 3.5)}},
      [&](const models::World& world) { at[world.engine.now()] = world.models.row(0).transpose(); });
  const double gamma = 8 - 4 * std::sqrt(3.0);
  CHECK(at.at(3.75) == Eigen::Vector2d(8, 0));
  CHECK(at.at(4.25) == Eigen::Vector2d(8, 4));
  CHECK((at.at(4.75) - Eigen::Vector2d(8 - 4 * gamma, 4)).norm() < 1e-13);
}

TEST_CASE("muffliato: a held message of the round that an agent completes as it returns is stale, by hand") {
  // One gossip step a phase, latency 1.125 s, timeout 1 s. Agent 0 has 2, 3, 3.5 at the beginning of rounds 1, 2, 3, at 0, 1, 2
  // s, and hears nothing in time. Agent 1 is down from 0.875 to 1.25 s: back, it completes round 1 with its own 8, and then is
  // given agent 0's 2 of round 1. It takes (12 + 3)/2 in round 2 at 2.125 s, and (11.75 + 3.5)/2 in round 3 at 3.125 s. Agent 0
  // has discarded an 8 and a 12.
  const auto fixture = test::targets({4, 16}, sim::Ring{}, 6);
  auto params = gossip(quarter_step<Muffliato>(), 1, false);
  params.round_timeout = 1;
  sim::NetworkOptions network = latency(1.125);
  network.in_flight = sim::InFlight::kHeld;
  std::map<double, double> at;
  std::uint64_t late = 0;
  test::run_gossip<Muffliato>(fixture, params, {{0, 0}, {}, network, {test::crash_between(1, 0.875, 1.25)}},
                              [&](const models::World& world) {
                                at[world.engine.now()] = world.models(0, 1);
                                late = stale(world);
                              });
  CHECK(at.at(1.25) == 8);
  CHECK(at.at(2.125) == 7.5);
  CHECK(at.at(3.125) == 7.625);
  CHECK(late == 3);
}

TEST_CASE("muffliato: an agent left behind completes its round before its next local update, by hand") {
  // Agent 1 is down from 0.0625 to 3.5 s, completes round 1 alone, with 8, and begins round 2 with 12. At 4.25 s, when five rounds of
  // agent 0 are complete, it hears of round 6, which begins a phase: iteration 7 is its round 2.
  const auto fixture = test::targets({4, 16}, sim::Ring{}, 7);
  auto params = gossip(quarter_step<Muffliato>(), 1, false);
  params.round_timeout = 1;
  const GossipSetting setting{{0, 0}, {}, latency(0.125), {test::crash_between(1, 0.0625, 3.5)}};
  CHECK(end_of<Muffliato>(fixture, params, setting)[1] == 12);
  // The next, agent 1's round 6: the mean of (12 + 16)/2 and the (4.0625 + 4)/2 of agent 0.
  const auto longer = test::targets({4, 16}, sim::Ring{}, 8);
  CHECK(end_of<Muffliato>(longer, params, setting)[1] == (14 + 4.03125) / 2);
}

TEST_CASE("muffliato: acceleration does not diverge where messages are lost") {
  // Plain steps are averages, and cannot. 1000 of them at a loss rate of 0.1, all accelerated, multiply models by 10^6.
  std::vector<double> start(100, 0.0);
  start[0] = 1;
  const auto fixture = test::targets(start, sim::Ring{}, 100'000);
  auto params = gossip(mixing_only<Muffliato>(), 2000, true);
  params.round_timeout = 1;
  const Eigen::VectorXd end = end_of<Muffliato>(fixture, params, {start, {}, latency(0.25, 0.1)});
  CHECK(test::disagreement(end) < 0.01);
  CHECK(end.cwiseAbs().maxCoeff() < 1);
}

TEST_CASE("muffliato: agents that come and go, crash, compute and lose messages go on") {
  auto params = gossip(quarter_step<Muffliato>(), 3, false);
  params.round_timeout = 3;
  for (const bool crashes : {false, true}) {
    const auto run = test::in_hostile_network<Muffliato>(params, sim::Ring{}, crashes);
    CHECK(run.time < 3000.0 / 6 * 6);  // as for dpsgd_gossip
    CHECK(run.updates > 1500);
    CHECK(run.worst <= 2);  // steps towards 2 and averages stay in [0, 2]
  }
}

TEST_CASE(
    "muffliato: an agent back from a crash begins with its start and joins the round of the others, by hand") {
  // The network of the test of that name of dpsgd_gossip; gamma as above, b = gamma - 1. Of (8, 0) gossip makes (4, 4), (4 - 4 b, 4 + 4
  // b), (4, 4). Agent 1 loses its state and is back at 1.75 s with 0. At 2 s agent 0 ends round 4 with gamma 4 - b (4 - 4 b) =
  // 4 + 4 b^2, as if nothing had happened; agent 1 hears of round 4, joins it and takes the mean of 4 and 0. Both then end
  // round 5 with the mean m of 4 + 4 b^2 and 2, and with what they had before round 4: gamma m - 4 b, gamma m.
  const auto fixture = test::targets({1, 3}, sim::Ring{}, 11);
  auto params = gossip(mixing_only<Muffliato>(), 100, true);
  params.round_timeout = 2;
  std::map<double, Eigen::Vector2d> at;
  test::run_gossip<Muffliato>(
      fixture, params,
      {{8, 0}, {}, latency(0.5), {test::crash_between(1, 1.625, 1.75, sim::StateOnReturn::kReset)}},
      [&](const models::World& world) { at[world.engine.now()] = world.models.row(0).transpose(); });
  const double gamma = 8 - 4 * std::sqrt(3.0), b = gamma - 1, m = 3 + 2 * b * b;
  CHECK((at.at(1) - Eigen::Vector2d(4 - 4 * b, 4 + 4 * b)).norm() < 1e-13);
  CHECK((at.at(1.5) - Eigen::Vector2d(4, 4)).norm() < 1e-13);
  CHECK((at.at(2) - Eigen::Vector2d(4 + 4 * b * b, 2)).norm() < 1e-13);
  CHECK((at.at(2.5) - Eigen::Vector2d(gamma * m - 4 * b, gamma * m)).norm() < 1e-13);
}
