#pragma once
// The geometric median, argmin_z sum_k norm_2(x_k - z), by smoothed Weiszfeld steps:
//
//   z <- sum_k a_k x_k / sum_k a_k,  a_k = 1/max(nu, norm_2(x_k - z))
//
// from z = 0: a number of steps, or until z moves by no more than `tolerance`. That is the minimiser of a smoothed sum, in which
// a distance d below nu counts as d^2/(2 nu) + nu/2. A few steps only approximate it: the first ones are drawn to vectors near
// 0, whose weights are the largest. Of vectors within nu of one another both are the mean.
//
// Source: Pillutla, Kakade, Harchaoui 2022, "Robust Aggregation for Federated Learning", Algorithm 2.
#include <optional>
#include <string_view>

#include "models/aggregation/gathered.hpp"

namespace hearsay::models {

struct GeometricMedianRule {
  static constexpr std::string_view kName = "geometric_median";
  static constexpr std::string_view kHelp =
      "The point with the least sum of distances to all vectors, approximately: by smoothed Weiszfeld steps from 0, of which "
      "the first are drawn to vectors near 0.";
  double nu = 0.1;
  std::uint32_t passes = 3;
  std::optional<double> tolerance;
  void describe(sim::Visitor& v) {
    v(nu,
      sim::positive(
          "nu",
          "Least distance that a Weiszfeld step divides by. The result for vectors within nu of one another is "
          "their mean."));
    v(passes,
      {.name = "passes",
       .help = "Number of Weiszfeld steps, from 0; after a few of them vectors near 0 can still count most.",
       .min = 1});
    v(tolerance,
      sim::positive("tolerance",
                    "Make steps until one is no longer than this instead, at most 1000: to the least sum, in "
                    "which distances below nu count by their squares."));
  }
  bool operator()(const Gathered& in, Eigen::VectorXd& out) const {
    constexpr std::uint32_t kMostSteps = 1000;
    out.setZero(in.x.rows());
    Eigen::VectorXd before, a;
    for (std::uint32_t step = 0; step < (tolerance ? kMostSteps : passes); ++step) {
      before = out;
      a = in.distances_from(before).cwiseMax(nu).cwiseInverse();
      if (a.sum() == 0) a.setConstant(1.0 / static_cast<double>(in.size));  // too far away for a double
      out = in.columns() * a / a.sum();
      if (tolerance && (out - before).norm() <= *tolerance) break;
    }
    return true;
  }
};

}  // namespace hearsay::models
