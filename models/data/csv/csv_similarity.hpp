#pragma once
// Which owners of a csv data set are alike, from what is known of them or from their records.
//
// Every owner i has a vector z_i of k numbers: a profile (columns that are the same in all of its rows; a 0/1
// number for each value of a text column), or the means of its training features and target. Each coordinate
// is scaled to mean 0 and variance 1 over the owners (a constant one to 0), and
//   d_ij^2 = norm_2(z_i - z_j)^2 / k
// Weights: 1 between nearest neighbours, or exp(-d^2/(2 h^2)).
#include <string>
#include <variant>
#include <vector>

#include "models/data/similarity.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

struct ProfileColumns {
  static constexpr std::string_view kName = "profile";
  static constexpr std::string_view kHelp =
      "Public columns that describe an owner, constant over the owner's rows.";
  static constexpr sim::Shorthand kShorthand{"columns", sim::Shorthand::kList};
  std::vector<std::string> columns = {};
  void describe(sim::Visitor& v);
};
struct RecordMeans {
  static constexpr std::string_view kName = "data";
  static constexpr std::string_view kHelp =
      "Means of an owner's training features and target: private data, used without accounting.";
  void describe(sim::Visitor&) {}
};

struct NearestWeights {
  static constexpr std::string_view kName = "nearest";
  static constexpr std::string_view kHelp =
      "Edge of weight 1 between two owners if one is among the nearest neighbours of the other.";
  std::size_t neighbours = 5;
  void describe(sim::Visitor& v);
};
struct GaussianWeights {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kHelp =
      "Weight exp(-d^2/(2 h^2)) at distance d; edges with a small weight are dropped.";
  double bandwidth = 1;  ///< h
  WeightThreshold weight_threshold = {};
  void describe(sim::Visitor& v);
};

struct CsvSimilarity {
  std::variant<RecordMeans, ProfileColumns> from = {};
  std::variant<NearestWeights, GaussianWeights> weights = {};
  void describe(sim::Visitor& v);
};

}  // namespace hearsay::models
