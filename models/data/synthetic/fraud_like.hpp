#pragma once
// Synthetic classification data like card transactions: two classes, one of them rare.
//
//   y = +1 for a fraction q = `positives` of each owner's records, spread evenly: record k (from 0) is
//       positive if floor((k + 1) q + u) > floor(k q + u),   u uniform on [0, 1), one per owner;
//       an owner with n_i records has n_i q positive ones, to within one
//   d in R^(p-1): coordinates +-1/sqrt(p - 1), signs drawn once for the study
//   x = [z + separation d [y = +1], 1] in R^p: coordinates of z independent, uniform on [-sqrt(3), sqrt(3)]
//       (mean 0, variance 1); the last feature is the constant 1
//
// Along d both classes have standard deviation 1 and their means are `separation` apart. p = `features` + 1. Declared
// bound: norm_1(x) <= sqrt(3) (p - 1) + separation sqrt(p - 1) + 1.
//
// Streams: signs from (kData, kWholeStudy, kParameters); owner i's size, features and offset u from (kData, i, ...).
// An owner's records depend on its number only; adding records keeps the first ones.
#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"

namespace hearsay::models {

struct FraudLike {
  static constexpr std::string_view kName = "fraud_like";
  static constexpr std::string_view kHelp =
      "Synthetic imbalanced classification: bounded decorrelated features, a constant feature, few "
      "positives.";

  std::size_t owners = 3;
  OwnerSizes records = 30000;
  std::size_t features = 10;     ///< without the constant
  double positives = 0.002;      ///< fraction
  double separation = 6;         ///< of the classes' means, in standard deviations
  std::size_t test_records = 0;  ///< of each owner
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// Cost O(n p).
DataSet make_data(const FraudLike& options, const sim::Streams& streams);

}  // namespace hearsay::models
