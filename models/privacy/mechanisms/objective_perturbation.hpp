#pragma once
// Objective perturbation: the minimiser of a randomly tilted objective is differentially private.
//
//   J(theta) = (1/m) sum_k loss(theta; x_k, y_k) + (Lambda/2) norm_2(theta)^2,   norm_2(x) <= 1,
//   |slope of the loss| <= 1, its second derivative in the score at most c
//
//   eps' = eps - ln(1 + 2 c/(m Lambda) + c^2/(m Lambda)^2);  if eps' > 0 then Delta = 0,
//   else Delta = c/(m (e^(eps/4) - 1)) - Lambda and eps' = eps/2
//   released: argmin J(theta) + b . theta/m + (Delta/2) norm_2(theta)^2,
//             density of b proportional to exp(-eps' norm_2(b)/2)
//
// is eps-differentially private under replacement of a record. The proof needs a loss of one score, whose Hessian has rank
// 1 in a record: it does not hold for softmax, where the rank is up to K - 1 (Kifer, Smith, Thakurta 2012 bound the
// determinants by the rank).
//
// Source: Chaudhuri, Monteleoni, Sarwate 2011, "Differentially Private Empirical Risk Minimization",
// Algorithm 2, Theorem 9.
#include <cmath>

namespace hearsay::models {

struct ObjectiveNoise {
  double scale = 0;  ///< 2/eps': of the norm of b
  double ridge = 0;  ///< Delta
};

/// eps, m, Lambda, c > 0.
inline ObjectiveNoise objective_noise(double epsilon, double records, double strong_convexity,
                                      double curvature) {
  // 1 + 2 r + r^2 = (1 + r)^2
  const double left = epsilon - 2 * std::log1p(curvature / (records * strong_convexity));
  if (left > 0) return {2 / left, 0};
  return {4 / epsilon, curvature / (records * std::expm1(epsilon / 4)) - strong_convexity};
}

}  // namespace hearsay::models
