#pragma once
// A plain solver of the problem of multi-task learning with shared and own parts, to compare protocols with.
#include <utility>

#include "models/learning/problem.hpp"

namespace hearsay::test {

/// sum_t mean loss of task t at p_t + q_t, plus lambda norm_*(P) + (tau/2) norm_F(Q)^2. P, Q: p x tasks.
double joint_objective(const models::Problem& problem, const Eigen::MatrixXd& p, const Eigen::MatrixXd& q,
                       double lambda, double tau);

/// The minimiser over (P, Q), or over P alone with Q = 0, by 20 000 plain proximal gradient steps of this length on
/// both at a time. Squared loss, norm_2(x) <= 1.
std::pair<Eigen::MatrixXd, Eigen::MatrixXd> minimise_jointly(const models::Problem& problem, double lambda,
                                                             double tau, double step = 0.2);
Eigen::MatrixXd minimise_low_rank(const models::Problem& problem, double lambda, double step = 0.2);

}  // namespace hearsay::test
