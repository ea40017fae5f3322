#pragma once
// Model propagation: smooths models that agents have learned alone. The minimiser of
//
//   Q_MP(Theta) = 1/2 ( sum_{i<j} W_ij norm_2(Theta_i - Theta_j)^2
//                       + mu sum_i D_ii c_i norm_2(Theta_i - Theta_i^loc)^2 )
//
// solves (D (I + mu C) - W) Theta = mu D C Theta^loc, C = diag(c_i); its i-th block alone is
//
//   Theta_i = ( sum_j (W_ij/D_ii) Theta_j + mu c_i Theta_i^loc ) / (1 + mu c_i)                          (16)
//
// Source: Bellet, Guerraoui, Taziki, Tommasi 2018, appendix C; Vanhaesebrouck, Bellet, Tommasi 2017.
#include <Eigen/Core>

#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

namespace hearsay::models {

/// The minimiser (p x n) of Q_MP for `local` (p x n). Sparse Cholesky up to 2000 agents, beyond that conjugate
/// gradients to a residual of 1e-14. Throws std::runtime_error if they do not get there.
Eigen::MatrixXd propagate(const PersonalProblem& problem, const Eigen::MatrixXd& local);

}  // namespace hearsay::models
