#pragma once
// The regularised mean softmax loss of a linear model over some owners' records, for Newton's method:
//
//   f(W) = (1/n) sum over the records of [log(sum_k exp(s_k)) - s_y] + (ridge/2) norm_2(W)^2,   s = W x,  W in R^(K x d)
//   block (k, l) of the Hessian, d x d:   (1/n) sum q_k ([k = l] - q_l) x x^T + [k = l] ridge I,   q = softmax(s)
#include "models/learning/solvers/record_objective.hpp"

namespace hearsay::models {

/// O(n K d) a value, O(n K^2 d^2) the derivatives. The problem and the owners must outlive it.
SmoothFunction softmax_objective(const Problem& problem, Owners owners, double ridge);

}  // namespace hearsay::models
