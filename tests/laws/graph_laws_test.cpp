#include <catch2/catch.hpp>

#include <array>

#include "sim/random.hpp"
#include "sim/topology.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::sim;

TEST_CASE("random regular: relabelling changes no probability, so every edge is equally likely") {
  // Pairing treats all agents alike: each of the n (n - 1)/2 edges is there with probability degree/(n - 1).
  constexpr std::uint64_t kGraphs = 20'000;
  for (const auto& [agents, degree] : {std::pair<AgentId, std::uint32_t>{8, 3}, {9, 6}}) {
    std::array<std::array<std::uint64_t, 9>, 9> count{};
    for (std::uint32_t k = 0; k < kGraphs; ++k) {
      const Topology t = make_topology(RandomRegular{degree}, agents, Streams(41, k));
      for (AgentId i = 0; i < agents; ++i)
        for (const AgentId j : t.neighbours(i)) ++count[i][j];
    }
    for (AgentId i = 0; i < agents; ++i)
      for (AgentId j = 0; j < i; ++j)
        CHECK(tests::binomial_plausible(count[i][j], kGraphs, degree / (agents - 1.0)));
  }
}

TEST_CASE("uniform index: every value of a range that is no power of two is equally likely") {
  constexpr std::uint64_t kCount = 300'000;
  std::array<std::uint64_t, 7> count{};
  Stream s({1, 2}, 0, 0, 0);
  for (std::uint64_t k = 0; k < kCount; ++k) ++count[uniform_index(s, 7)];
  for (const std::uint64_t c : count) CHECK(tests::binomial_plausible(c, kCount, 1.0 / 7));
}
