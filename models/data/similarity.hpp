#pragma once
// Graphs of owners that are alike, from a weight or closeness of every two of them.
#include <Eigen/Core>

#include <functional>
#include <variant>

#include "models/data/data_set.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

/// Writes the closeness of owner i to all owners; what it writes at i itself does not matter.
using Closeness = std::function<void(std::size_t i, Eigen::VectorXd& to)>;

/// An edge of weight 1 between two owners if one is among the k nearest (those of the largest closeness) of
/// the other; of equally near ones those of the smaller number. Edges (a, b) with a < b, in that order. With
/// k >= owners - 1 every two are linked. O(owners) memory beside the edges, O(owners^2 log owners) time.
sim::WeightedEdges nearest_neighbours(std::size_t owners, std::size_t k, const Closeness& closeness);

/// Weights under a number are dropped.
struct LeastWeight {
  static constexpr std::string_view kName = "least";
  static constexpr std::string_view kHelp =
      "Fixed threshold: edges with a smaller weight are dropped. Short form: the number.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 1e-3;
  void describe(sim::Visitor& v);
};

/// As many edges are dropped as the graph can do without: the threshold is the largest max(W) 10^(-k/2), k =
/// 1, 2, ..., for which the second smallest eigenvalue of the Laplacian D - W of what is left, the weights
/// unscaled, exceeds kConnected.
struct ConnectedWeights {
  static constexpr std::string_view kName = "connected";
  static constexpr std::string_view kHelp =
      "Largest threshold max(W) * 10^(-k/2), k = 1, 2, ..., for which the second eigenvalue of the Laplacian "
      "exceeds 1e-3.";
  static constexpr double kConnected = 1e-3;
  static constexpr std::size_t kMostOwners = 5000;
  void describe(sim::Visitor&) {}
};
using WeightThreshold = std::variant<ConnectedWeights, LeastWeight>;

/// The edges of a symmetric weight whose weight is positive and at least the threshold, (a, b) with a < b in
/// that order. A number: O(owners^2) time, and memory of the edges; `connected`: O(owners^2) memory and
/// O(owners^3) time. Throws DataError where no threshold is right, or there are over 1e8 edges or, for
/// `connected`, over kMostOwners owners.
sim::WeightedEdges weighted_graph(std::size_t owners, const WeightThreshold& threshold,
                                  const Closeness& weight);

/// Second smallest eigenvalue of the Laplacian D - W, for W symmetric and not negative; what stands on its
/// diagonal does not matter. O(owners^3).
double algebraic_connectivity(const Eigen::MatrixXd& weights);

}  // namespace hearsay::models
