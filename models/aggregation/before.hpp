#pragma once
// What is done with vectors before they are aggregated; several steps are made in their order.
//
//   nearest_neighbour_mixing   every vector becomes the mean of the n - f that are nearest to it, itself one of them
//                              Allouah, Farhadkhani, Guerraoui, Gupta, Pinot, Stephan 2023, "Fixing by Mixing"
//   bucketing                  vectors are dealt at random to buckets of s (the last may be smaller), whose weighted means
//                              with the sums of their weights take their place
//                              Karimireddy, He, Jaggi 2022, "Byzantine-Robust Learning on Heterogeneous Datasets via Bucketing"
//   clip                       vectors are scaled down to a norm of at most c
//   adaptive_clip              the floor(2 f (n - f)/n) longest are scaled down to the norm of the next one
//                              Allouah et al. 2025, "Adaptive Gradient Clipping for Robust Federated Learning"
//
// A step returns false where there are fewer vectors than it needs: then there is no aggregate.
// `clip` and `adaptive_clip` are of updates and gradients: of models they would measure the distance from 0.
#include <numeric>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "models/aggregation/gathered.hpp"
#include "models/algebra/norm.hpp"
#include "sim/random/random.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct NearestNeighbourMixing : RuleTolerance {
  static constexpr std::string_view kName = "nearest_neighbour_mixing";
  static constexpr std::string_view kHelp =
      "Every vector becomes the mean of the n - f vectors that are nearest to it.";
  bool operator()(Gathered& in) const {
    if (!enough(in)) return false;
    const Eigen::MatrixXd distances = in.squared_distances();
    Eigen::MatrixXd mixed(in.x.rows(), in.size);
    for (Eigen::Index k = 0; k < in.size; ++k) mixed.col(k) = in.mean_of(in.by(distances.col(k)), honest(in));
    in.x.leftCols(in.size) = mixed;
    return true;
  }
};

struct Bucketing {
  static constexpr std::string_view kName = "bucketing";
  static constexpr std::string_view kHelp = "Means of random buckets of vectors take the vectors' place.";
  std::uint32_t size = 2;
  void describe(sim::Visitor& v) {
    v(size, {.name = "size", .help = "Number s of vectors in a bucket.", .min = 1});
  }
  Eigen::Index buckets(Eigen::Index vectors) const { return (vectors + size - 1) / size; }
  void operator()(Gathered& in, sim::Stream& stream) const {
    std::vector<Eigen::Index> order(static_cast<std::size_t>(in.size));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = 0; k < order.size(); ++k)
      std::swap(order[k], order[k + sim::uniform_index(stream, order.size() - k)]);
    Gathered means;
    for (std::size_t first = 0; first < order.size(); first += size) {
      const std::size_t end = std::min(first + size, order.size());
      const std::span bucket(order.data() + first, end - first);
      double weight = 0;
      bool hostile = false;
      for (const Eigen::Index k : bucket) {
        weight += in.weight[k];
        hostile |= in.hostile[static_cast<std::size_t>(k)] != 0;
      }
      // An agent whose links have all the weight has none itself.
      means.add(weight, in.mean_by(bucket, [&](Eigen::Index k) { return weight > 0 ? in.weight[k] : 1; }),
                hostile);
    }
    in.x.leftCols(means.size) = means.columns();
    in.weight.head(means.size) = means.weights();
    in.hostile = means.hostile;
    in.size = means.size;
  }
};

struct ClipVectors {
  static constexpr std::string_view kName = "clip";
  static constexpr std::string_view kHelp = "Vectors are scaled down to a given norm.";
  double norm = 1;
  void describe(sim::Visitor& v) { v(norm, sim::positive("norm", "Largest norm c.")); }
  bool operator()(Gathered& in) const {
    for (Eigen::Index k = 0; k < in.size; ++k) in.x.col(k) *= shortening(length_of(in.x.col(k)), norm);
    return true;
  }
};

struct AdaptiveClip : RuleTolerance {
  static constexpr std::string_view kName = "adaptive_clip";
  static constexpr std::string_view kHelp =
      "The floor(2 f (n - f)/n) longest vectors are scaled down to the norm of the next one.";
  bool operator()(Gathered& in) const {
    if (!enough(in)) return false;
    Eigen::VectorXd norms = in.columns().colwise().norm();
    std::ranges::sort(norms, std::greater());
    const double largest = norms[2 * static_cast<Eigen::Index>(f) * honest(in) / in.size];
    for (Eigen::Index k = 0; k < in.size; ++k) in.x.col(k) *= shortening(length_of(in.x.col(k)), largest);
    return true;
  }
};

using BeforeAggregation = std::variant<NearestNeighbourMixing, Bucketing, ClipVectors, AdaptiveClip>;

}  // namespace hearsay::models
