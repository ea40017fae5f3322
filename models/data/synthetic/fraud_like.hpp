#pragma once
// A synthetic stand-in for card transactions: two classes, one of them rare.
//
//   y = +1 for a share `positives` of each owner's records, spread evenly: record k (from 0) is positive if
//       floor((k + 1) share + u) > floor(k share + u),   u uniform on [0, 1), one per owner;
//       an owner of n_i records has n_i share positive ones, to within one
//   d in R^(p-1): coordinates +-1/sqrt(p - 1), signs drawn once for the study
//   x = [z + separation d [y = +1], 1] in R^p: coordinates of z independent, uniform on [-sqrt(3), sqrt(3)]
//       (mean 0, variance 1); the last feature is the constant 1
//
// Along d both classes have standard deviation 1 and their means are `separation` apart. p = `features` + 1. Declared
// bound: norm_1(x) <= sqrt(3) (p - 1) + separation sqrt(p - 1) + 1.
//
// Streams: signs from (kData, kWholeStudy, kParameters); owner i's size, features and offset u from (kData, i, ...).
// An owner's records depend on its number alone; with more records its first ones are unchanged.
#include <cstddef>

#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "models/data/owner_sizes.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct FraudLike {
  static constexpr std::string_view kName = "fraud_like";
  static constexpr std::string_view kHelp =
      "Synthetic imbalanced classification: bounded decorrelated features, a constant feature, few "
      "positives.";

  std::size_t owners = 3;
  OwnerSizes records = 30000;
  std::size_t features = 10;     ///< without the constant
  double positives = 0.002;      ///< share
  double separation = 6;         ///< of the classes' means, in standard deviations
  std::size_t test_records = 0;  ///< of each owner
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// Cost O(n p).
DataSet make_data(const FraudLike& options, const sim::Streams& streams);

}  // namespace hearsay::models
