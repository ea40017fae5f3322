#pragma once
// What depends on the data of an owner alone: the largest eigenvalue of its records, and the minimiser of its
// own loss.
#include <Eigen/Core>

#include <vector>

#include "models/core/problem.hpp"

namespace hearsay::models {

/// lambda_max(X_i^T X_i)/m_i of every owner; 0 without records. O(sum min(m_i, p)^3 + m_i p min(m_i, p)).
std::vector<double> spectral_norms(const Problem& problem);

/// argmin over R^p of the owner's mean loss + lambda norm_2(theta)^2 + shift . theta, to a gradient of at most
/// 1e-10 in norm_inf; lambda > 0. An empty `shift` is 0. Throws std::runtime_error where the iteration does
/// not get there. O(p^3 + m_i p^2) an iteration.
Eigen::VectorXd local_minimiser(const Problem& problem, std::size_t owner, double lambda,
                                const Eigen::VectorXd& shift = {});

/// argmin of the mean loss over all records + lambda norm_2(theta)^2, likewise.
Eigen::VectorXd pooled_minimiser(const Problem& problem, double lambda);

}  // namespace hearsay::models
