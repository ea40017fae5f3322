#pragma once
// Exact minimisers: theta* of a problem, and of each owner alone.
//
//   squared, logistic, smoothed_hinge, softmax   projected Newton
//   hinge   the same on smoothed hinges of width 0.1, 0.01, ..., 1e-8, each started at the last one's
//           minimiser, until the gap is 1e-10 of the value: their slopes are a feasible point of the dual
//           problem and bound the distance to f*, in an active box too. Where that stalls, with features of
//           very different sizes, an interior-point method
//
// Dual coordinate descent (liblinear) is no substitute: with l2 of 1e-5 it stops far from the minimum.
#include <Eigen/Core>

#include <mutex>
#include <span>
#include <string>

#include "models/learning/problem.hpp"

namespace hearsay::models {

struct Optimum {
  Eigen::VectorXd theta = {};
  double value = 0;  ///< f(theta); 0 where that is rounding and squared loss may reach 0
  double gap = 0;    ///< f(theta) - f* is at most this; infinite where nothing certifies it
  /// Smooth losses: norm_inf(theta - Pi(theta - grad f(theta))) / norm_inf(grad f(0)).
  double kkt_residual = 0;
  bool box_active = false;  ///< some |theta_j| = theta_max
  std::string method = {};
};

/// psi = value/optimum - 1; 0 where the optimum is reached, and infinite where it is 0 and is not.
inline double relative_excess(double value, double optimum) {
  return value == optimum ? 0 : value / optimum - 1;
}

/// Throws std::runtime_error where the model alone says that there is no minimiser: a hidden layer, or softmax or hinge
/// that nothing holds.
void require_minimiser(const ModelOptions& model);
/// The minimiser of f_S over the box. Squared and smooth losses: to a KKT residual of 1e-10; hinge: to the
/// gap it reports, at most 1e-6 of the value. Draws nothing, keeps no state. Throws std::runtime_error where
/// there is no minimiser (separable classes without l2 and box, softmax without l2, a hidden layer) or the iteration does not get there.
Optimum minimise(const Problem& problem, std::span<const std::size_t> owners);
/// The minimiser of f: all owners.
Optimum minimise(const Problem& problem);
/// The minimiser of one owner's own f.
Optimum minimise_isolated(const Problem& problem, std::size_t owner);

/// The minimiser of f, found when it is first asked for and kept: personalised protocols never ask. Any number
/// of threads may ask. The problem must outlive it.
class LazyOptimum {
 public:
  explicit LazyOptimum(const Problem& problem) : problem_(problem) {}
  /// Throws what minimise() throws.
  const Optimum& get() const {
    std::call_once(once_, [this] { optimum_ = minimise(problem_); });
    return optimum_;
  }

 private:
  const Problem& problem_;
  mutable std::once_flag once_;
  mutable Optimum optimum_;
};

}  // namespace hearsay::models
