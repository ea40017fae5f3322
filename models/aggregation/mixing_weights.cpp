#include "models/aggregation/mixing_weights.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "models/algebra/dense.hpp"

namespace hearsay::models {

using Eigen::VectorXd;

VectorXd mix(MixingWeights weights, const sim::Topology& graph, const VectorXd& x) {
  const std::uint32_t largest = largest_degree(graph);
  VectorXd mixed = x;
  for (sim::AgentId i = 0; i < graph.agents(); ++i) {
    for (const sim::AgentId j : graph.neighbours(i))
      mixed[i] += mixing_weight(weights, graph, i, j, largest) * (x[j] - x[i]);
  }
  return mixed;
}

double mixing_gap(MixingWeights weights, const sim::Topology& graph) {
  // Without reorthogonalisation: it makes copies of eigenvalues, but the smallest one stays accurate.
  constexpr double kInvariant = 1e-14, kConverged = 1e-12;
  sim::require_connected(graph);
  VectorXd q(graph.agents()), before = VectorXd::Zero(q.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] = std::cos(static_cast<double>(i * i));
  q.array() -= q.mean();
  q.normalize();
  std::vector<double> diagonal, off_diagonal;
  double norm = 0, gap = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 1;; ++k) {
    VectorXd next = q - mix(weights, graph, q) - norm * before;
    diagonal.push_back(q.dot(next));
    next -= diagonal.back() * q;
    next.array() -= next.mean();
    norm = next.norm();
    const bool last = norm < kInvariant || k >= 2 * q.size();
    if (last || (k >= 32 && (k & (k - 1)) == 0)) {
      const double earlier = gap;
      gap = tridiagonal_eigenvalues(diagonal, off_diagonal)[0];
      if (last || earlier - gap <= kConverged * gap) return gap;
    }
    off_diagonal.push_back(norm);
    before.swap(q);
    q = next / norm;
  }
}

}  // namespace hearsay::models
