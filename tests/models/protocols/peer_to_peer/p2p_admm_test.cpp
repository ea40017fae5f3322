#include "models/protocols/peer_to_peer/p2p_admm.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/personal_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace hearsay::test;

namespace {

// The largest norm of f(an agent's end of an edge, its neighbour's end) over all edges.
template <class F>
double over_edges(const PersonalFixture& fixture, const P2pAdmm& protocol, F&& f) {
  const sim::Topology& graph = fixture.topology();
  double worst = 0;
  for (sim::AgentId i = 0; i < graph.agents(); ++i) {
    for (std::uint32_t k = 0; k < graph.degree(i); ++k) {
      const auto here = protocol.edge(graph.first_edge(i) + k);
      const auto there = protocol.edge(graph.edge(graph.neighbours(i)[k], i));
      const VectorXd value = f(here, there);
      worst = std::max(worst, value.lpNorm<Eigen::Infinity>());
    }
  }
  return worst;
}

// The largest sum of the two ends' multipliers, over edges and both models.
double invariant(const PersonalFixture& fixture, const P2pAdmm& protocol) {
  return over_edges(fixture, protocol, [](const auto& here, const auto& there) -> VectorXd {
    return here.own_lambda + there.copy_lambda;
  });
}

// The largest difference between the Z that the two ends of an edge hold.
double split(const PersonalFixture& fixture, const P2pAdmm& protocol) {
  return over_edges(fixture, protocol, [](const auto& here, const auto& there) -> VectorXd {
    return here.own_z - there.copy_z;
  });
}

PersonalFixture weighted_pair(std::uint64_t exchanges) {
  return {test::one_point_each({1, 1}, {1, 3}, {{{0, 1}}, {2}}), SquaredLoss{}, {}, exchanges};
}

}  // namespace

TEST_CASE("p2p admm: one exchange of two agents, by hand") {
  // W = 2 = D, x = 1, y = 1 and 3, lambda = 1, Lloc = 4, mu = 1/4, rho = 1, one local step, all from 0:
  // L = 1 + 1 + 2 (1/4) 4 = 4.
  //   agent 0: copy (1 0 + 0 - 0)/2 = 0; step -(1/4) [0 + 1/2 (-2) + 0] = 0.25; copy of 1: 0.25/2 = 0.125
  //   agent 1: likewise -(1/4) [1/2 (-6)] = 0.75; copy of 0: 0.375
  //   Z^0 = (0.25 + 0.375)/2 = 0.3125, Z^1 = (0.125 + 0.75)/2 = 0.4375
  //   Lambda_e0^0 = 0.25 - 0.3125 = -0.0625 = -Lambda_e1^0, Lambda_e0^1 = 0.125 - 0.4375 = -0.3125
  const PersonalFixture fixture = weighted_pair(2);
  auto params = with_mu<P2pAdmm>(0.25, 1);
  params.local_steps = 1;
  for (const AdmmExchange exchange : {AdmmExchange::kFull, AdmmExchange::kModels}) {
    params.exchange = exchange;
    auto options = fixture.engine({}, ticks_of({0}), 4);
    const auto done = run<P2pAdmm>(fixture, params, options);
    CHECK(done.world->models(0, 0) == 0.25);
    CHECK(done.world->models(0, 1) == 0.75);
    const auto at_0 = done.protocol->edge(0), at_1 = done.protocol->edge(1);
    CHECK(at_0.copy[0] == 0.125);
    CHECK(at_1.copy[0] == 0.375);
    CHECK(at_0.own_z[0] == 0.3125);
    CHECK(at_1.copy_z[0] == 0.3125);
    CHECK(at_0.copy_z[0] == 0.4375);
    CHECK(at_1.own_z[0] == 0.4375);
    CHECK(at_0.own_lambda[0] == -0.0625);
    CHECK(at_1.copy_lambda[0] == 0.0625);
    CHECK(at_0.copy_lambda[0] == -0.3125);
    CHECK(at_1.own_lambda[0] == 0.3125);
    CHECK(done.world->engine.traffic().vectors == (exchange == AdmmExchange::kFull ? 8 : 4));
    CHECK(done.world->iterations == 1);
  }
}

TEST_CASE("p2p admm: after every completed exchange the multipliers of an edge's ends cancel") {
  const PersonalFixture fixture(test::random_agents({.agents = 8}), LogisticLoss{}, {}, 500, {"objective_q"});
  auto options = fixture.engine({}, {}, 4);
  double worst = 0, q_off = 0;
  bool moved = false;
  const auto done = run<P2pAdmm>(fixture, {}, options, [&](const World& w, const P2pAdmm& protocol) {
    // Links take no time: when an exchange begins, those before it are complete.
    double q = 0;
    protocol.measure(0, w, {&q, 1});
    q_off = std::max(q_off, std::abs(q / protocol.personal().objective(w.models) - 1));
    if (w.iterations > 1 && w.engine.traffic().delivered == 2 * (w.iterations - 1))
      worst = std::max(worst, invariant(fixture, protocol));
    moved = moved || protocol.edge(0).own_lambda.norm() > 1e-3;
  });
  worst = std::max(worst, invariant(fixture, *done.protocol));
  CHECK(worst < 1e-12);
  CHECK(q_off < 1e-12);
  CHECK(moved);
}

TEST_CASE("p2p admm: where links are late exchanges overlap, and both ends agree when all are complete") {
  const PersonalFixture fixture(test::random_agents({.agents = 8}), LogisticLoss{}, {});
  sim::ClockTrace clock = ticks_of({0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7});
  for (double& t : clock.times) t = 1 + t / 100;
  for (int round = 1; round < 20; ++round) {
    for (int k = 0; k < 16; ++k) {
      clock.times.push_back(clock.times[static_cast<std::size_t>(k)] + round);
      clock.agents.push_back(clock.agents[static_cast<std::size_t>(k)]);
    }
  }
  for (const AdmmExchange exchange : {AdmmExchange::kFull, AdmmExchange::kModels}) {
    P2pAdmm::Params params;
    params.exchange = exchange;
    params.timeout = 10;
    const auto done = run<P2pAdmm>(
        fixture, params, fixture.engine(latency(sim::Distribution(sim::Uniform{0.02, 0.2})), clock, 4));
    CHECK(done.end == sim::End::kIdle);
    CHECK(done.world->iterations > 200);
    CHECK(done.world->engine.traffic().lost[static_cast<int>(sim::LossReason::kStale)] >
          0);  // both had asked
    CHECK(invariant(fixture, *done.protocol) < 1e-12);
    CHECK(split(fixture, *done.protocol) < 1e-12);
  }
}

TEST_CASE("p2p admm: a lost request changes nothing but the asker's own computation") {
  const PersonalFixture fixture = weighted_pair(10);
  auto params = with_mu<P2pAdmm>(0.25, 1);
  params.local_steps = 1;
  const auto done = run<P2pAdmm>(fixture, params, fixture.engine(latency(0, 1), ticks_of({0}), 4));
  CHECK(done.world->models(0, 0) == 0.25);
  CHECK(done.world->models(0, 1) == 0);
  for (const std::uint32_t e : {0u, 1u}) {
    CHECK(done.protocol->edge(e).own_z[0] == 0);
    CHECK(done.protocol->edge(e).copy_lambda[0] == 0);
  }
}

TEST_CASE("p2p admm: a late answer leaves the ends of an edge different until the next exchange repairs it") {
  // 0.7 s each way and a timeout of 1 s: agent 0's exchange is committed at agent 1 alone. With 0.1 s afterwards
  // the next one is completed at both.
  const PersonalFixture fixture = weighted_pair(10);
  auto params = with_mu<P2pAdmm>(0.25, 1);
  sim::ClockTrace clock{{1, 1.9, 3}, {0, 0, 0}};
  params.timeout = 1;
  const auto once =
      run<P2pAdmm>(fixture, params, fixture.engine(latency(0.7), {sim::ClockTrace{{1, 1.9}, {0, 0}}}, 4));
  CHECK(once.world->iterations == 1);  // at 1.9 s the first request was under way
  CHECK(invariant(fixture, *once.protocol) > 0.01);
  CHECK(split(fixture, *once.protocol) > 0.01);
  CHECK(once.world->engine.traffic().lost[static_cast<int>(sim::LossReason::kStale)] == 1);
  params.timeout = 2;  // long enough: both ends commit
  const auto both = run<P2pAdmm>(fixture, params, fixture.engine(latency(0.7), clock, 4));
  CHECK(both.world->iterations == 2);
  CHECK(invariant(fixture, *both.protocol) < 1e-12);
  CHECK(split(fixture, *both.protocol) < 1e-12);
}

TEST_CASE("p2p admm: under loss the next completed exchange of an edge repairs it") {
  const PersonalFixture fixture = weighted_pair(400);
  auto params = with_mu<P2pAdmm>(0.25, 1);
  params.timeout = 0.5;
  int broken = 0, repaired = 0;
  std::uint64_t delivered = 0;
  run<P2pAdmm>(
      fixture, params, fixture.engine(latency(0, 0.3), {}, 4), [&](const World& w, const P2pAdmm& protocol) {
        // What the last exchange left behind, seen as the next begins: request and answer delivered, or
        // the request alone.
        const std::uint64_t now = w.engine.traffic().delivered;
        const bool moving =
            protocol.personal().objective(w.models) > protocol.personal().optimum().value * (1 + 1e-9);
        if (now - delivered == 1 && moving) {
          ++broken;
          CHECK(split(fixture, protocol) > 0);
        }
        if (now - delivered == 2) {
          ++repaired;
          CHECK(invariant(fixture, protocol) < 1e-12);
        }
        delivered = now;
      });
  CHECK(broken > 2);
  CHECK(repaired > 50);
}

TEST_CASE("p2p admm: run long it ends at the independent optimum") {
  for (const Loss& loss : {Loss(SquaredLoss{}), Loss(LogisticLoss{})}) {
    INFO(loss.name());
    const PersonalFixture fixture(test::random_agents({.agents = 5}), loss, {}, 60'000);
    P2pAdmm::Params params;
    params.mu = 0.3;
    const auto done = run<P2pAdmm>(fixture, params, fixture.engine({}, {}, 4));
    CHECK((done.world->models - done.protocol->personal().optimum().models).lpNorm<Eigen::Infinity>() < 1e-6);
  }
}

TEST_CASE("p2p admm: privacy is refused") {
  PrivacyOptions privacy;
  privacy.mechanism = Laplace{};
  privacy.gradient_bound = 1;
  const PersonalFixture fixture(test::random_agents({}), LogisticLoss{}, privacy, 1);
  CHECK_THROWS_WITH(P2pAdmm({}, fixture.study()), Catch::Contains("has no private form"));
}
