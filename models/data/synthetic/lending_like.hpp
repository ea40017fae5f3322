#pragma once
// Synthetic regression data, lending_like and hospital_like: decorrelated features, linear target.
//
//   x in R^p:   coordinates independent, uniform on [-sqrt(3), sqrt(3)] (mean 0, variance 1)
//   theta in R^p: coordinates independent, uniform on [-1, 1], one for the study
//   theta_i = theta + heterogeneity * N(0, I), one for each owner
//   y = theta_i . x + noise * u,  u uniform on [-sqrt(3), sqrt(3)]
//
// So norm_1(x) <= sqrt(3) p and |y| <= sqrt(3) (max_i norm_1(theta_i) + noise): the declared bounds of the
// data set. The Hessian of an owner's mean squared loss, 2 X^T X / n_i, tends to 2 I. With `whiten` it is 2 I
// exactly: an owner's training features are multiplied by (X^T X / n_i)^(-1/2), its test features by the same
// matrix, and the target is computed from the whitened features. Whitened features have no declared bound.
//
// `heterogeneity` determines how much owners gain from each other: f(theta*_i) - f* is about
// norm_2(theta_i - mean theta)^2, on average p heterogeneity^2.
//
// Streams: theta from (kData, kWholeStudy, kParameters); owner i's size, theta_i, features and noise from
// (kData, i, ...). An owner's data depend on its number only: adding owners does not change them, and adding
// records keeps the first ones (unless whitened). Changing p changes them.
#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"

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

/// The same with the defaults of 86 hospitals that predict lengths of stay, of 10 000 to 80 000 records each.
struct HospitalLike {
  static constexpr std::string_view kName = "hospital_like";
  static constexpr std::string_view kHelp =
      "Synthetic regression: many owners with very different numbers of records and heterogeneous "
      "parameters.";

  std::size_t owners = 86;
  OwnerSizes records = OwnerSizes(sim::Uniform{10000, 80000});
  std::size_t features = 10;
  double noise = 1;
  double heterogeneity = 0.1;
  std::size_t test_records = 0;
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// Cost O(n p), O(n p^2) whitened. Throws DataError when an owner has too few records to be whitened.
DataSet make_data(const LendingLike& options, const sim::Streams& streams);
DataSet make_data(const HospitalLike& options, const sim::Streams& streams);

}  // namespace hearsay::models
