#pragma once
// Similarity graphs of owners, from a weight or closeness of every pair.
#include "models/data/data_set.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

/// Writes the closeness of owner i to all owners; the entry at i is ignored.
using Closeness = std::function<void(std::size_t i, Eigen::VectorXd& to)>;

/// An edge of weight 1 between two owners if one is among the k nearest (of largest closeness) of the other;
/// ties go to the smaller number. Edges (a, b) with a < b, sorted. With k >= owners - 1 the graph is complete.
/// O(owners) memory in addition to the edges, O(owners^2 log owners) time.
sim::WeightedEdges nearest_neighbours(std::size_t owners, std::size_t k, const Closeness& closeness);

/// Smaller weights are dropped.
struct MinWeight {
  static constexpr std::string_view kName = "least";
  static constexpr std::string_view kHelp =
      "Fixed threshold: edges with a smaller weight are dropped. Short form: the number.";
  static constexpr sim::Shorthand kShorthand{"value", sim::Shorthand::kNumber};
  double value = 1e-3;
  void describe(sim::Visitor& v) {
    v(value, {.name = "value", .help = "Weight below which an edge is dropped.", .min = 0, .required = true});
  }
};

/// The largest threshold max(W) 10^(-k/2), k = 1, 2, ..., for which the second smallest eigenvalue of the
/// Laplacian D - W of the remaining graph, its weights unscaled, exceeds kConnected.
struct ConnectedWeights {
  static constexpr std::string_view kName = "connected";
  static constexpr std::string_view kHelp =
      "Largest threshold max(W) * 10^(-k/2), k = 1, 2, ..., for which the second eigenvalue of the Laplacian "
      "exceeds 1e-3.";
  static constexpr double kConnected = 1e-3;
  static constexpr std::size_t kMaxOwners = 5000;
  void describe(sim::Visitor&) {}
};
using WeightThreshold = std::variant<ConnectedWeights, MinWeight>;

/// The edges of a symmetric weight that is positive and at least the threshold, (a, b) with a < b, sorted. A
/// number: O(owners^2) time, memory of the edges; `connected`: O(owners^2) memory, O(owners^3) time. Throws
/// DataError, of the `option` (a path), if no threshold connects the owners, or for over 1e8 edges or, for `connected`, over kMaxOwners
/// owners.
sim::WeightedEdges weighted_graph(std::size_t owners, const WeightThreshold& threshold,
                                  const Closeness& weight, const std::string& option = "weight_threshold");

/// Second smallest eigenvalue of the Laplacian D - W, for W symmetric and not negative; its diagonal is
/// ignored. O(owners^3).
double algebraic_connectivity(const Eigen::MatrixXd& weights);

}  // namespace hearsay::models
