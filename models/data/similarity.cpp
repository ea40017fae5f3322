#include "models/data/similarity.hpp"

#include "models/algebra/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hearsay::models {
namespace {

using Eigen::Index;
constexpr std::size_t kMaxEdges = 100'000'000;

void add(sim::WeightedEdges& graph, std::size_t a, std::size_t b, double weight) {
  if (graph.edges.size() == kMaxEdges) {
    throw DataError(fmt::format(
        "similarity graph: expected at most {} edges; raise the weight threshold, or use no graph",
        kMaxEdges));
  }
  graph.edges.push_back({static_cast<sim::AgentId>(a), static_cast<sim::AgentId>(b)});
  graph.weights.push_back(weight);
}

sim::WeightedEdges above(std::size_t owners, double smallest, const Closeness& weight) {
  sim::WeightedEdges graph;
  Eigen::VectorXd row(static_cast<Index>(owners));
  for (std::size_t a = 0; a < owners; ++a) {
    weight(a, row);
    for (std::size_t b = a + 1; b < owners; ++b) {
      const double w = row[static_cast<Index>(b)];
      if (w > 0 && w >= smallest) add(graph, a, b, w);
    }
  }
  return graph;
}

double connecting_threshold(std::size_t owners, const Closeness& weight, const std::string& option) {
  if (owners > ConnectedWeights::kMaxOwners) {
    throw DataError(fmt::format("connected is for at most {} owners, found {}: set a number",
                                ConnectedWeights::kMaxOwners, owners),
                    option);
  }
  const auto n = static_cast<Index>(owners);
  Eigen::MatrixXd w(n, n);
  Eigen::VectorXd row(n);
  for (Index a = 0; a < n; ++a) {
    weight(static_cast<std::size_t>(a), row);
    w.col(a) = row;
  }
  w.diagonal().setZero();
  const double largest = w.maxCoeff();
  for (int k = 1; largest > 0; ++k) {
    const double threshold = largest * std::pow(10.0, -k / 2.0);
    const Eigen::MatrixXd kept = (w.array() >= threshold).select(w, 0.0);
    if (algebraic_connectivity(kept) > ConnectedWeights::kConnected) return threshold;
    if (((w.array() > 0) == (kept.array() > 0)).all()) break;  // nothing is left to add
  }
  throw DataError(
      fmt::format("no threshold connects the owners so that the second eigenvalue of the Laplacian exceeds "
                  "{:g}; set a number instead of connected",
                  ConnectedWeights::kConnected),
      option);
}

}  // namespace

sim::WeightedEdges nearest_neighbours(std::size_t owners, std::size_t k, const Closeness& closeness) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  Eigen::VectorXd row(static_cast<Index>(owners));
  for (std::size_t i = 0; i < owners; ++i) {
    closeness(i, row);
    std::vector<std::pair<double, std::size_t>> others;  // farness, number
    for (std::size_t j = 0; j < owners; ++j) {
      if (j != i) others.emplace_back(-row[static_cast<Index>(j)], j);
    }
    const std::size_t near = std::min(k, others.size());
    std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(near), others.end());
    for (std::size_t n = 0; n < near; ++n) pairs.emplace_back(std::minmax(i, others[n].second));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  sim::WeightedEdges graph;
  for (const auto& [a, b] : pairs) add(graph, a, b, 1);
  return graph;
}

sim::WeightedEdges weighted_graph(std::size_t owners, const WeightThreshold& threshold,
                                  const Closeness& weight, const std::string& option) {
  if (owners < 2) return {};
  const auto* smallest = std::get_if<MinWeight>(&threshold);
  return above(owners, smallest ? smallest->value : connecting_threshold(owners, weight, option), weight);
}

double algebraic_connectivity(const Eigen::MatrixXd& weights) {
  Eigen::MatrixXd laplacian = -weights;
  laplacian.diagonal().setZero();
  laplacian.diagonal() = -laplacian.rowwise().sum();
  return symmetric_eigenvalues(laplacian)[1];
}

}  // namespace hearsay::models
