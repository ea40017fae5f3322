#include "analysis/theory/muffliato_privacy.hpp"

namespace hearsay::analysis {

Eigen::VectorXd muffliato_epsilon(const sim::Topology& graph, sim::AgentId v, std::uint32_t messages,
                                  double local_epsilon, double gamma, models::MixingWeights weights) {
  Eigen::VectorXd epsilon = Eigen::VectorXd::Zero(graph.agents());
  for (const sim::AgentId w : graph.neighbours(v)) {
    // Row w of P_t(W), which is its column: W is symmetric.
    Eigen::VectorXd row = Eigen::VectorXd::Unit(graph.agents(), w), before = row;
    for (std::uint32_t t = 0; t < messages; ++t) {
      epsilon += local_epsilon / row.squaredNorm() * row.cwiseAbs2();
      Eigen::VectorXd next = models::mix(weights, graph, row);
      if (t > 0) next = gamma * next + (1 - gamma) * before;
      before.swap(row);
      row.swap(next);
    }
  }
  epsilon[v] = 0;
  return epsilon;
}

}  // namespace hearsay::analysis
