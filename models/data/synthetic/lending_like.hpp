#pragma once
// A synthetic stand-in for loan records after their usual preprocessing: decorrelated features, linear
// target.
//
//   x in R^p:   coordinates independent, uniform on [-sqrt(3), sqrt(3)] (mean 0, variance 1)
//   theta in R^p: coordinates independent, uniform on [-1, 1], one for the study
//   theta_i = theta + heterogeneity * N(0, I), one for each owner
//   y = theta_i . x + noise * u,  u uniform on [-sqrt(3), sqrt(3)]
//
// So norm_1(x) <= sqrt(3) p and |y| <= sqrt(3) (max_i norm_1(theta_i) + noise): the declared bounds of the
// data set. The Hessian of an owner's mean squared loss, 2 X^T X / n_i, tends to 2 I. With `whiten` it is 2 I
// exactly: an owner's training features are multiplied by (X^T X / n_i)^(-1/2), its test features by the same
// matrix, and the target is made from the whitened features. Whitened features have no declared bound.
//
// Streams: theta from (kData, kWholeStudy, kParameters); owner i's size, theta_i, features and noise from
// (kData, i, ...). An owner's data are a function of its number alone: adding owners leaves them as they
// were; with more records its first ones stay (unless whitened). p changes them.
#include <cstddef>

#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "models/data/owner_sizes.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct LendingLike {
  static constexpr std::string_view kName = "lending_like";
  static constexpr std::string_view kHelp =
      "Synthetic regression: bounded decorrelated features, linear target, bounded noise.";

  std::size_t owners = 3;
  OwnerSizes records = 10000;
  std::size_t features = 10;  ///< p
  double noise = 1;           ///< standard deviation
  double heterogeneity = 0;
  std::size_t test_records = 0;  ///< of each owner
  bool whiten = false;
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// Cost O(n p), O(n p^2) whitened. Throws DataError when an owner to be whitened has too few records.
DataSet make_data(const LendingLike& options, const sim::Streams& streams);

}  // namespace hearsay::models
