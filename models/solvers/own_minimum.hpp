#pragma once
#include <Eigen/Core>

#include "models/core/problem.hpp"

namespace hearsay::models {

/// argmin over q in R^p of (1/n_i) sum_k loss(x_ik . (offset + q), y_ik) + (ridge/2) norm_2(q)^2 for one owner: the
/// best model of its own beside a given one. By Newton's method, to rounding; smooth losses only (else throws
/// std::invalid_argument), and separable classes need ridge > 0 (else throws std::runtime_error). O(n_i p^2 + p^3)
/// an iteration.
Eigen::VectorXd minimise_own(const Problem& problem, std::size_t owner,
                             const Eigen::Ref<const Eigen::VectorXd>& offset, double ridge);

/// The same from offset 0, kept with the problem: worked out once for an owner and ridge.
const Eigen::VectorXd& minimise_alone(const Problem& problem, std::size_t owner, double ridge);

}  // namespace hearsay::models
