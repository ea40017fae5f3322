#include "analysis/theory/muffliato_privacy.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <bit>

#include "tests/support/streams.hpp"

using namespace hearsay;
using analysis::muffliato_epsilon;

TEST_CASE("muffliato privacy: a path by hand") {
  // W = (2 1 0; 1 1 1; 0 1 2)/3. Agent 0 receives the models of 1: rows (0 1 0) and (1 1 1)/3, then, as P_2 = gamma W^2 +
  // (1 - gamma), that of gamma/3 (1 1 1) + (1 - gamma) (0 1 0).
  const sim::Topology path = sim::make_topology(sim::Grid{1u}, 3, test::kStreams);
  CHECK(muffliato_epsilon(path, 0, 1, 5) == Eigen::Vector3d(0, 5, 0));
  CHECK((muffliato_epsilon(path, 0, 2, 6) - Eigen::Vector3d(0, 8, 2)).norm() < 1e-14);
  CHECK((muffliato_epsilon(path, 0, 3, 6) - Eigen::Vector3d(0, 10, 4)).norm() < 1e-14);
  // gamma = 1.5: (1/2, 0, 1/2).
  CHECK((muffliato_epsilon(path, 0, 3, 6, 1.5) - Eigen::Vector3d(0, 8, 5)).norm() < 1e-14);
  // Agent 1 receives x_0 and x_2, then (2 x_0 + x_1)/3 and (x_1 + 2 x_2)/3.
  CHECK((muffliato_epsilon(path, 1, 2, 5) - Eigen::Vector3d(9, 0, 9)).norm() < 1e-14);
}

TEST_CASE("muffliato privacy: the authors' numbers for the hypercube of 2^11 agents") {
  // Means over all agents at a distance, by the authors' code with 19 powers of W.
  constexpr std::array kMean{.6416, .2449, .1246, .0752, .0507, .0360, .0269, .0202, .0158, .0121};
  constexpr sim::AgentId kReceiver = 1000;
  const sim::Topology cube = sim::make_topology(sim::Hypercube{11u}, 2048, test::kStreams);
  const Eigen::VectorXd epsilon = muffliato_epsilon(cube, kReceiver, 20, 1);
  std::array<double, 12> sum{}, count{};
  for (sim::AgentId u = 0; u < 2048; ++u) {
    const auto distance = static_cast<std::size_t>(std::popcount(u ^ kReceiver));
    sum[distance] += epsilon[u];
    ++count[distance];
  }
  for (std::size_t k = 0; k < kMean.size(); ++k)
    CHECK(std::abs(sum[k + 2] / count[k + 2] - kMean[k]) <= 5e-5);
}
