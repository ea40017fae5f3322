#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numbers>

#include "sim/random/random.hpp"
#include "sim/topology/topology.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

using Counts = std::vector<std::vector<std::uint64_t>>;

// How often each pair is linked, over many graphs.
template <class Kind>
Counts pair_counts(const Kind& kind, AgentId agents, std::uint32_t graphs, std::uint64_t seed) {
  Counts count(agents, std::vector<std::uint64_t>(agents));
  for (std::uint32_t k = 0; k < graphs; ++k) {
    const Topology t = make_topology(kind, agents, Streams(seed, k));
    for (AgentId i = 0; i < agents; ++i)
      for (const AgentId j : t.neighbours(i)) ++count[i][j];
  }
  return count;
}

bool linked(const Topology& t, AgentId a, AgentId b) {
  return t.edge(a, b) < 2 * t.edges();
}

std::uint64_t triangles_at(const Topology& t, AgentId i) {
  std::uint64_t count = 0;
  for (const AgentId j : t.neighbours(i))
    for (const AgentId k : t.neighbours(i)) count += j < k && linked(t, j, k) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("random regular: relabelling changes no probability, so every edge is equally likely") {
  // Pairing treats all agents alike: each of the n (n - 1)/2 edges is there with probability degree/(n - 1).
  constexpr std::uint32_t kGraphs = 20'000;
  for (const auto& [agents, degree] : {std::pair<AgentId, std::uint32_t>{8, 3}, {9, 6}}) {
    const Counts count = pair_counts(RandomRegular{degree}, agents, kGraphs, 41);
    for (AgentId i = 0; i < agents; ++i)
      for (AgentId j = 0; j < i; ++j)
        CHECK(test::binomial_plausible(count[i][j], kGraphs, degree / (agents - 1.0)));
  }
}

TEST_CASE("uniform index: every value of a range that is not a power of two is equally likely") {
  constexpr std::uint64_t kCount = 300'000;
  std::array<std::uint64_t, 7> count{};
  Stream s({1, 2}, 0, 0, 0);
  for (std::uint64_t k = 0; k < kCount; ++k) ++count[uniform_index(s, 7)];
  for (const std::uint64_t c : count) CHECK(test::binomial_plausible(c, kCount, 1.0 / 7));
}

TEST_CASE("erdos renyi: the number of edges is binomial") {
  constexpr AgentId kAgents = 30;
  constexpr double kPairs = kAgents * (kAgents - 1) / 2;
  for (const double p : {0.02, 0.3, 0.9}) {
    const boost::math::binomial_distribution<double> law(kPairs, p);
    std::vector<double> edges;
    for (std::uint32_t k = 0; k < 4000; ++k) {
      edges.push_back(
          static_cast<double>(make_topology(ErdosRenyi{.probability = p}, kAgents, Streams(43, k)).edges()));
    }
    const auto cdf = [&](double x) {
      return x < 0 ? 0.0 : boost::math::cdf(law, std::min(std::floor(x), kPairs));
    };
    CHECK(test::ks_distance(edges, cdf) < test::dkw_threshold(edges.size()));
  }
  const Topology large = make_topology(ErdosRenyi{.mean_degree = 6}, 20'000, Streams(44, 0));
  CHECK(test::binomial_plausible(large.edges(), 20'000ull * 19'999 / 2, 6.0 / 19'999));
  CHECK(make_topology(ErdosRenyi{.probability = 0}, 50, Streams(1, 0)).edges() == 0);
  CHECK(make_topology(ErdosRenyi{.probability = 1}, 50, Streams(1, 0)).edges() == 1225);
  CHECK(make_topology(ErdosRenyi{.mean_degree = 49}, 50, Streams(1, 0)).edges() == 1225);
  CHECK(make_topology(ErdosRenyi{.probability = 0.5}, 1, Streams(1, 0)).edges() == 0);
}

TEST_CASE("erdos renyi: edges are equally likely, and independent in pairs") {
  constexpr AgentId kAgents = 5;
  constexpr std::uint32_t kGraphs = 20'000;
  constexpr double kP = 0.3;
  std::vector<Edge> pairs;
  for (AgentId a = 0; a < kAgents; ++a)
    for (AgentId b = a + 1; b < kAgents; ++b) pairs.push_back({a, b});
  Counts both(pairs.size(), std::vector<std::uint64_t>(pairs.size()));
  for (std::uint32_t k = 0; k < kGraphs; ++k) {
    const Topology t = make_topology(ErdosRenyi{.probability = kP}, kAgents, Streams(45, k));
    for (std::size_t x = 0; x < pairs.size(); ++x)
      for (std::size_t y = 0; y <= x; ++y)
        both[x][y] += linked(t, pairs[x].a, pairs[x].b) && linked(t, pairs[y].a, pairs[y].b) ? 1 : 0;
  }
  for (std::size_t x = 0; x < pairs.size(); ++x)
    for (std::size_t y = 0; y <= x; ++y)
      CHECK(test::binomial_plausible(both[x][y], kGraphs, x == y ? kP : kP * kP));
}

TEST_CASE("stochastic block: edges within and between blocks are binomial, each with its probability") {
  const StochasticBlock model{.sizes = {3, 1, 4}, .within = 0.7, .between = 0.2};
  constexpr std::uint32_t kGraphs = 10'000;
  const Counts count = pair_counts(model, 8, kGraphs, 46);
  const auto block = [](AgentId i) { return i < 3 ? 0 : i < 4 ? 1 : 2; };
  for (AgentId i = 0; i < 8; ++i)
    for (AgentId j = 0; j < i; ++j)
      CHECK(test::binomial_plausible(count[i][j], kGraphs, block(i) == block(j) ? 0.7 : 0.2));

  // 101 agents in two blocks: 51 and 50.
  std::uint64_t within = 0, between = 0;
  for (std::uint32_t k = 0; k < 100; ++k) {
    const Topology t = make_topology(StochasticBlock{.within = 0.1, .between = 0.01}, 101, Streams(47, k));
    for (AgentId i = 0; i < 101; ++i)
      for (const AgentId j : t.neighbours(i)) ++((i < 51) == (j < 51) ? within : between);
  }
  CHECK(test::binomial_plausible(within / 2, 100ull * (51 * 50 / 2 + 50 * 49 / 2), 0.1));
  CHECK(test::binomial_plausible(between / 2, 100ull * 51 * 50, 0.01));
  CHECK_THROWS_AS(make_topology(model, 9, Streams(1, 0)), TopologyError);
  CHECK_THROWS_AS(make_topology(StochasticBlock{.blocks = 4}, 3, Streams(1, 0)), TopologyError);
}

TEST_CASE("watts strogatz: without rewiring every agent's clustering is 3 (k - 2)/(4 (k - 1))") {
  for (const AgentId k : {2u, 4u, 6u, 10u}) {
    const Topology t = make_topology(WattsStrogatz{.neighbours = k, .rewire = 0}, 40, Streams(1, 0));
    CHECK(t.edges() == 20 * k);
    for (AgentId i = 0; i < 40; ++i) {
      CHECK(t.degree(i) == k);
      // 4 (k - 1) triangles = 3 (k - 2) k (k - 1)/2
      CHECK(8 * triangles_at(t, i) == std::uint64_t{3} * (k - 2) * k);
    }
  }
}

TEST_CASE("watts strogatz: each link of the ring but the first is rewired with its probability") {
  // No rewired link ends at one of the nearest, so these links are there exactly if they were not rewired.
  constexpr AgentId kAgents = 200, kNear = 3;
  for (const double rewire : {0.05, 0.5, 1.0}) {
    std::uint64_t kept = 0, most = 0;
    for (std::uint32_t k = 0; k < 50; ++k) {
      const Topology t =
          make_topology(WattsStrogatz{.neighbours = 2 * kNear, .rewire = rewire}, kAgents, Streams(48, k));
      for (AgentId i = 0; i < kAgents; ++i)
        for (AgentId step = 1; step <= kNear; ++step) kept += linked(t, i, (i + step) % kAgents) ? 1 : 0;
      most = std::max<std::uint64_t>(most, t.edges());
      CHECK(linked(t, 0, 1));
    }
    CHECK(test::binomial_plausible(kept - 50, 50ull * (kAgents * kNear - 1), 1 - rewire));
    CHECK(most <= kAgents * kNear);
  }
  CHECK_THROWS_AS(make_topology(WattsStrogatz{.neighbours = 4}, 5, Streams(1, 0)), TopologyError);
  CHECK_NOTHROW(make_topology(WattsStrogatz{.neighbours = 4, .rewire = 1}, 6, Streams(1, 0)));
}

TEST_CASE("barabasi albert: the number of edges, the smallest degree, connected") {
  for (const AgentId m : {1u, 2u, 5u}) {
    for (const AgentId n : {m + 1, m + 2, 300u}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Topology t = make_topology(BarabasiAlbert{m}, n, Streams(seed, 0));
        CHECK(t.edges() == m * (m + 1) / 2 + (n - m - 1) * m);
        std::uint32_t least = n;
        for (AgentId i = 0; i < n; ++i) least = std::min(least, t.degree(i));
        CHECK(least == m);
        CHECK(t.components() == 1);
      }
    }
  }
  CHECK_THROWS_AS(make_topology(BarabasiAlbert{3}, 3, Streams(1, 0)), TopologyError);
}

TEST_CASE("barabasi albert: earlier agents are chosen in proportion to their degrees") {
  constexpr std::uint32_t kGraphs = 20'000;
  // m = 1: agent 3 finds degrees 2, 1, 1, and takes the hub with probability 1/2.
  std::uint64_t hub = 0, last = 0;
  for (std::uint32_t k = 0; k < kGraphs; ++k) {
    const Topology one = make_topology(BarabasiAlbert{1}, 4, Streams(49, k));
    hub += one.degree(one.neighbours(3)[0]) == 3 ? 1 : 0;
    const Topology two = make_topology(BarabasiAlbert{2}, 5, Streams(50, k));
    last += linked(two, 3, 4) ? 1 : 0;
  }
  CHECK(test::binomial_plausible(hub, kGraphs, 0.5));
  // m = 2: agent 4 finds degrees 3, 3, 2 and agent 3's 2. It takes agent 3 first with probability 2/10, after
  // one of degree 3 with 2 (3/10)(2/7), after the other of degree 2 with (2/10)(2/8): 59/140 in all.
  CHECK(test::binomial_plausible(last, kGraphs, 59.0 / 140));
}

TEST_CASE("random geometric: on a torus an agent's neighbours are binomial with probability pi r^2") {
  constexpr AgentId kAgents = 60;
  for (const double radius : {0.03, 0.15, 0.45}) {
    std::uint64_t count = 0;
    for (std::uint32_t k = 0; k < 500; ++k) {
      const RandomGeometric torus{.radius = 10 * radius, .side = 10, .torus = true};
      count += make_topology(torus, kAgents, Streams(51, k)).degree(7);
    }
    CHECK(test::binomial_plausible(count, 500ull * (kAgents - 1), std::numbers::pi * radius * radius));
  }
}

TEST_CASE("random geometric: two agents of a square are near with the probability of its border's law") {
  // P(|U - V| < r) = pi r^2 - 8 r^3/3 + r^4/2 for two points of the unit square, r <= 1.
  for (const double r : {0.1, 0.5, 0.9}) {
    std::uint64_t count = 0;
    for (std::uint32_t k = 0; k < 20'000; ++k)
      count += make_topology(RandomGeometric{.radius = r}, 2, Streams(52, k)).edges();
    CHECK(test::binomial_plausible(count, 20'000,
                                   std::numbers::pi * r * r - 8 * r * r * r / 3 + r * r * r * r / 2));
  }
}

TEST_CASE("random geometric: exactly the pairs nearer than the radius are linked, with their length") {
  for (const bool torus : {false, true}) {
    for (const double radius : {0.02, 0.2, 0.34, 0.5, 0.8, 1.5}) {
      INFO(torus << " " << radius);
      const RandomGeometric options{.radius = radius, .torus = torus};
      const Topology t = make_topology(options, 150, Streams(53, 0));
      std::size_t wrong = 0, inside = 0;
      for (AgentId i = 0; i < 150; ++i) {
        const Place& a = t.places()[i];
        inside += a.x >= 0 && a.x < 1 && a.y >= 0 && a.y < 1 && !a.geographic ? 1 : 0;
        for (AgentId j = 0; j < 150; ++j) {
          if (i == j) continue;
          double dx = std::abs(a.x - t.places()[j].x), dy = std::abs(a.y - t.places()[j].y);
          if (torus) {
            dx = std::min(dx, 1 - dx);
            dy = std::min(dy, 1 - dy);
          }
          const double length = std::sqrt(dx * dx + dy * dy);
          wrong += linked(t, i, j) != (length < radius) ? 1 : 0;
          if (torus && length < radius) wrong += std::abs(t.length()[t.edge(i, j)] - length) > 1e-12 ? 1 : 0;
        }
      }
      CHECK(wrong == 0);
      CHECK(inside == 150);
      CHECK(t.length().empty() != torus);
    }
  }
}

TEST_CASE("power law: numbers of neighbours follow the law of stubs, less the few repeated ones") {
  // Stubs: floor(beta/x^alpha), at least 1, for x uniform on {1 .. n}. No agent has more neighbours than
  // stubs; with 1000 agents of mean 8 fewer than half of the stubs of any but the largest are repetitions.
  constexpr AgentId kAgents = 1000;
  constexpr std::uint32_t kGraphs = 50;
  const PowerLaw law{.exponent = 2.5, .mean_degree = 8};
  const double alpha = 1 / 1.5, beta = 8 * (1 - alpha) * std::pow(1000, alpha);
  std::array<std::uint64_t, 200> at_least{};
  for (std::uint32_t k = 0; k < kGraphs; ++k) {
    const Topology t = make_topology(law, kAgents, Streams(54, k));
    for (AgentId i = 0; i < kAgents; ++i)
      for (std::size_t d = 0; d < at_least.size() && d <= t.degree(i); ++d) ++at_least[d];
  }
  const auto with_stubs = [&](double d) {
    const double most = std::floor(std::pow(beta / d, 1 / alpha) * (1 + 1e-12));
    return boost::math::binomial_distribution<double>(kAgents * kGraphs, std::min(most / kAgents, 1.0));
  };
  for (const std::size_t d : {4U, 8U, 20U, 60U}) {
    const auto count = static_cast<double>(at_least[d]);
    INFO(d << ": " << count << " of " << kAgents * kGraphs);
    CHECK(cdf(complement(with_stubs(static_cast<double>(d)), count - 1)) > test::kAlpha);
    CHECK(cdf(with_stubs(2 * static_cast<double>(d)), count) > test::kAlpha);
  }
  CHECK(make_topology(PowerLaw{}, 1, Streams(1, 0)).edges() == 0);
  CHECK(make_topology(PowerLaw{}, 2, Streams(1, 0)).edges() == 1);
}

TEST_CASE("rmat: the requested number of different links, equally likely if a = b = c = d") {
  constexpr std::uint32_t kGraphs = 10'000;
  const Rmat even{.mean_degree = 2, .a = 0.25, .b = 0.25, .c = 0.25};
  const Counts count = pair_counts(even, 5, kGraphs, 55);  // 5 of 10 pairs
  for (AgentId i = 0; i < 5; ++i)
    for (AgentId j = 0; j < i; ++j) CHECK(test::binomial_plausible(count[i][j], kGraphs, 0.5));
  for (const AgentId n : {64u, 100u, 1000u}) {
    const Topology t = make_topology(Rmat{}, n, Streams(1, 0));
    CHECK(t.edges() == 4 * n);
    // Skew and renumbering: some agents have many links, but not the first.
    std::uint32_t largest = 0;
    for (AgentId i = 0; i < n; ++i) largest = std::max(largest, t.degree(i));
    CHECK(largest > 24);
  }
  // b = 1: all links fall between the first and the last of the power of two.
  CHECK(make_topology(Rmat{.mean_degree = 0.5, .a = 0, .b = 1, .c = 0}, 4, Streams(1, 0)).edges() == 1);
  CHECK_THROWS_AS(make_topology(Rmat{.mean_degree = 1, .a = 0, .b = 1, .c = 0}, 4, Streams(1, 0)),
                  TopologyError);
  CHECK_THROWS_AS(make_topology(Rmat{.mean_degree = 8}, 4, Streams(1, 0)), TopologyError);
}

TEST_CASE("nodes at random: each is equally likely to have an agent") {
  constexpr std::uint32_t kGraphs = 10'000;
  const TopologyOptions random(RandomGeometric{.radius = 2}, {.size = 5, .nodes = NodesUsed::kRandom});
  std::array<std::uint64_t, 5> count{};
  for (std::uint32_t k = 0; k < kGraphs; ++k) {
    const Topology all = make_topology(RandomGeometric{.radius = 2}, 5, Streams(56, k));
    const Topology two = make_topology(random, 2, Streams(56, k));
    for (const Place& p : two.places())
      ++count[static_cast<std::size_t>(std::find(all.places().begin(), all.places().end(), p) -
                                       all.places().begin())];
  }
  for (const std::uint64_t c : count) CHECK(test::binomial_plausible(c, kGraphs, 0.4));
}
