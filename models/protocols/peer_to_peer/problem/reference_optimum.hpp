#pragma once
// The minimiser of Q (personal_problem.hpp) by Newton's method on all n p numbers together, so by another way
// than coordinate descent or ADMM. The Newton equations
//
//   [ (D - W) x I_p + mu diag_i( D_ii c_i hess L_i ) ] V = -grad Q
//
// are solved by conjugate gradients (Eigen's, without forming the matrix; preconditioned by the diagonal),
// ever more exactly as the gradient falls; steps are shortened until Q falls as it should (Armijo). Stops at
// norm_inf(grad Q) <= 1e-10 of that at 0, or where mu is so small that rounding does not allow it, at what
// rounding allows.
#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

namespace hearsay::models {

/// Throws std::runtime_error if the iteration does not get there. Draws nothing. Newton steps of a few hundred
/// products with the Hessian at most, each O(edges p + n m p).
PersonalOptimum minimise(const PersonalProblem& problem);

}  // namespace hearsay::models
