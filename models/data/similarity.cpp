#include "models/data/similarity.hpp"

#include "models/solvers/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hearsay::models {
namespace {

using Eigen::Index;
constexpr std::size_t kMostEdges = 100'000'000;

// The k largest entries other than the one at `self`.
std::vector<std::size_t> nearest(const Eigen::VectorXd& closeness, std::size_t self, std::size_t k) {
  std::vector<std::size_t> others(static_cast<std::size_t>(closeness.size()));
  std::iota(others.begin(), others.end(), std::size_t{0});
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(self));
  k = std::min(k, others.size());
  const auto nearer = [&](std::size_t a, std::size_t b) {
    const double of_a = closeness[static_cast<Index>(a)], of_b = closeness[static_cast<Index>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(k), others.end(), nearer);
  others.resize(k);
  return others;
}

void add(sim::WeightedEdges& graph, std::size_t a, std::size_t b, double weight) {
  if (graph.edges.size() == kMostEdges) {
    throw DataError(fmt::format(
        "the similarity graph has over {} edges: raise the least weight, or do without", kMostEdges));
  }
  graph.edges.push_back({static_cast<sim::AgentId>(a), static_cast<sim::AgentId>(b)});
  graph.weights.push_back(weight);
}

sim::WeightedEdges above(std::size_t owners, double least, const Closeness& weight) {
  sim::WeightedEdges graph;
  Eigen::VectorXd row(static_cast<Index>(owners));
  for (std::size_t a = 0; a < owners; ++a) {
    weight(a, row);
    for (std::size_t b = a + 1; b < owners; ++b) {
      const double w = row[static_cast<Index>(b)];
      if (w > 0 && w >= least) add(graph, a, b, w);
    }
  }
  return graph;
}

double connecting_threshold(std::size_t owners, const Closeness& weight) {
  if (owners > ConnectedWeights::kMostOwners) {
    throw DataError(
        fmt::format("weight threshold connected: expected at most {} owners, found {}: give a number",
                    ConnectedWeights::kMostOwners, owners));
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
      "weight threshold connected: the similarities do not connect the owners, whatever the threshold");
}

}  // namespace

void LeastWeight::describe(sim::Visitor& v) {
  v(value, {.name = "value", .help = "Threshold.", .min = 0, .required = true});
}

sim::WeightedEdges nearest_neighbours(std::size_t owners, std::size_t k, const Closeness& closeness) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  Eigen::VectorXd row(static_cast<Index>(owners));
  for (std::size_t i = 0; i < owners; ++i) {
    closeness(i, row);
    for (const std::size_t j : nearest(row, i, k)) pairs.emplace_back(std::minmax(i, j));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  sim::WeightedEdges graph;
  for (const auto& [a, b] : pairs) add(graph, a, b, 1);
  return graph;
}

sim::WeightedEdges weighted_graph(std::size_t owners, const WeightThreshold& threshold,
                                  const Closeness& weight) {
  if (owners < 2) return {};
  if (const auto* least = std::get_if<LeastWeight>(&threshold)) return above(owners, least->value, weight);
  return above(owners, connecting_threshold(owners, weight), weight);
}

double algebraic_connectivity(const Eigen::MatrixXd& weights) {
  Eigen::MatrixXd laplacian = -weights;
  laplacian.diagonal().setZero();
  laplacian.diagonal() = -laplacian.rowwise().sum();
  return symmetric_eigenvalues(laplacian)[1];
}

}  // namespace hearsay::models
