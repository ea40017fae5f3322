#pragma once
// Synthetic(alpha, beta), the classification task of Li et al., "Federated optimization in heterogeneous networks" (2020),
// section 5.1: every owner has a model of its classes and a distribution of its features.
//
//   u_i ~ N(0, alpha^2)     W_i in R^(K x d), b_i in R^K: independent N(u_i, 1)
//   B_i ~ N(0, beta^2)      v_i in R^d: independent N(B_i, 1)
//   x ~ N(v_i, Sigma), Sigma diagonal with Sigma_jj = j^-1.2, j = 1, ..., d;   y = argmax_k (W_i x + b_i)_k
//   iid:  W and b the same for all owners, independent N(0, 1), and v_i = 0; alpha and beta have no effect
//
// K = `classes`, d = `features`; a feature 1 is appended, so that p = d + 1 and W x + b is a linear model.
//
// alpha and beta are standard deviations, as in the authors' code (numpy.random.normal(0, alpha)), with which the published
// curves were made. The paper writes N(0, alpha), which usually gives the variance; the two agree for 0 and 1. In the code
// b_i has the same u_i as W_i, and sizes are floor(exp(N(4, 2^2))) + 50, the default of `records`.
//
// u_i adds the same number, u_i (1 + sum_j x_j), to the scores of all classes. It changes neither the targets nor the
// loss of any model: alpha has no effect on this task. Owners differ by their W_i, at alpha = 0 too, and by v_i.
//
// Streams: owner i's from (kData, i, ...), with u_i, W_i, b_i, B_i, v_i from kParameters; the common model of `iid` from
// (kData, kWholeStudy, kParameters). An owner's data depend on its number only; adding records keeps the first ones.
#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"

namespace hearsay::models {

struct SyntheticClasses {
  static constexpr std::string_view kName = "synthetic";
  static constexpr std::string_view kHelp =
      "Synthetic(alpha, beta) of Li et al. (2020): classification, every owner with a model and distribution "
      "of features.";

  std::size_t owners = 30;
  OwnerSizes records = OwnerSizes(OwnerSizes::Law(ShiftedLognormal{}));
  double alpha = 1, beta = 1;
  bool iid = false;
  std::size_t features = 60;  ///< d, without the constant
  std::size_t classes = 10;   ///< K
  std::size_t test_records = 100;
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// W_i (K x d), b_i and v_i of owner i.
struct OwnerClasses {
  Records weights;
  Eigen::VectorXd offsets, mean;
};
OwnerClasses draw_owner_classes(const SyntheticClasses& options, std::size_t owner,
                                const sim::Streams& streams);

/// Cost O(n K d).
DataSet make_data(const SyntheticClasses& options, const sim::Streams& streams);

}  // namespace hearsay::models
