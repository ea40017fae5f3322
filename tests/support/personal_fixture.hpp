#pragma once
// Agents with data and a weighted graph, for tests and benchmarks of personalised protocols.
#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <memory>
#include <vector>

#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"
#include "sim/random/random.hpp"
#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

namespace hearsay::test {

/// One point (x, y) of one feature for each agent, and edges between them.
inline models::DataSet one_point_each(const std::vector<double>& x, const std::vector<double>& y,
                                      sim::WeightedEdges graph) {
  models::DataSet data;
  data.feature_names = {"x"};
  for (std::size_t i = 0; i < x.size(); ++i) {
    data.train.push_back({models::Records::Constant(1, 1, x[i]), Eigen::VectorXd::Constant(1, y[i])});
    data.test.push_back({models::Records(0, 1), Eigen::VectorXd(0)});
    data.owner_names.push_back(fmt::format("agent {}", i));
  }
  data.similarity = std::move(graph);
  return data;
}

struct RandomAgents {
  std::size_t agents = 6;
  Eigen::Index features = 3;
  Eigen::Index fewest = 2, most = 9;  ///< points
  bool classes = true;                ///< targets -1 and +1, else numbers
  double reach = 0.6;                 ///< share of all possible edges, beside a ring
  double scale = 1;                   ///< features lie in [-scale, scale]
  std::uint64_t seed = 5;
};

/// Points about a separator that turns slowly from agent to agent; a ring with random weights in [0.1, 1] and
/// random chords.
inline models::DataSet random_agents(const RandomAgents& o) {
  const sim::Streams streams(o.seed, 0);
  models::DataSet data;
  for (Eigen::Index j = 0; j < o.features; ++j) data.feature_names.push_back(fmt::format("x{}", j));
  for (std::size_t i = 0; i < o.agents; ++i) {
    sim::Stream s = streams(sim::Purpose::kData, static_cast<std::uint32_t>(i));
    const auto m = o.fewest + static_cast<Eigen::Index>(
                                  sim::uniform_index(s, static_cast<std::uint64_t>(o.most - o.fewest + 1)));
    const double angle = 2 * static_cast<double>(i) / static_cast<double>(o.agents);
    models::Shard shard{models::Records(m, o.features), Eigen::VectorXd(m)};
    for (Eigen::Index k = 0; k < m; ++k) {
      for (Eigen::Index j = 0; j < o.features; ++j) shard.features(k, j) = sim::uniform(s, -o.scale, o.scale);
      const double score = std::cos(angle) * shard.features(k, 0) +
                           (o.features > 1 ? std::sin(angle) * shard.features(k, 1) : 0) +
                           0.2 * sim::normal(s);
      shard.target[k] = o.classes ? (score >= 0 ? 1 : -1) : score;
    }
    data.train.push_back(std::move(shard));
    data.test.push_back({models::Records(0, o.features), Eigen::VectorXd(0)});
    data.owner_names.push_back(fmt::format("agent {}", i));
  }
  if (o.classes) data.train[0].target[0] = 1, data.train[0].target[1] = -1;
  sim::Stream s = streams(sim::Purpose::kTopology, 0);
  sim::WeightedEdges graph;
  const auto n = static_cast<sim::AgentId>(o.agents);
  for (sim::AgentId a = 0; a < n; ++a) {
    for (sim::AgentId b = a + 1; b < n; ++b) {
      const bool ring = b == a + 1 || (a == 0 && b == n - 1);
      const double draw = sim::uniform(s), weight = sim::uniform(s, 0.1, 1);
      if (!ring && draw >= o.reach) continue;
      graph.edges.push_back({a, b});
      graph.weights.push_back(weight);
    }
  }
  data.similarity = std::move(graph);
  return data;
}

/// A study of agents on the graph of their data, with these metrics.
class PersonalFixture : public StudyFixture {
 public:
  PersonalFixture(models::DataSet data, const models::Loss& loss, const models::PrivacyOptions& privacy = {},
                  std::uint64_t ticks = std::numeric_limits<std::uint64_t>::max(),
                  std::vector<std::string_view> metrics = {}, std::uint64_t seed = 1)
      : StudyFixture(std::move(data), {.loss = loss}, privacy, ticks, sim::Similarity{}, false, seed,
                     std::move(metrics)) {}
};

/// Parameters of a protocol of personalised models with this mu, and lambda if given.
template <class P>
typename P::Params with_mu(double mu, std::optional<double> lambda = {}) {
  typename P::Params params;
  params.mu = mu;
  params.lambda = lambda;
  return params;
}

inline models::PrivacyOptions laplace_for(double epsilon, double steps, double bound = 1) {
  models::PrivacyOptions privacy = laplace(epsilon, bound);
  privacy.steps = models::Steps(steps);
  return privacy;
}

// Two agents with one point each, x = 1, y = 1 and y = 3; W = 1. With lambda = 1, Lloc = 4, and mu = 1/4:
// alpha = 1/2.
inline PersonalFixture two_agents(std::uint64_t ticks, const models::PrivacyOptions& privacy = {}) {
  return {one_point_each({1, 1}, {1, 3}, {{{0, 1}}, {1}}),
          models::SquaredLoss{},
          privacy,
          ticks,
          {"objective_q"}};
}

}  // namespace hearsay::test
