#pragma once
// Exact expectation of the relative fitness of the synchronous central learner by its strongly_convex
// algorithm with rho = T^2/h, where every eigenvalue of the Hessian of f is h.
//
// Per coordinate the error e obeys e[k+1] = (1 - 1/k) e[k] - w[k]/(h k), whose solution e[k+1] = -(1/(h k))
// sum_{j <= k} w[j] forgets the start in the first round. The noise of the gradient is that of all owners'
// answers, E w^2 = sum_l (n_l/n)^2 8 Xi^2 T^2/(n_l eps_l)^2 = (8 Xi^2 T^2/n^2) sum_l 1/eps_l^2. So
//
//   psi(k) = p h E e[k]^2/(2 f*) = 4 p Xi^2 T^2 sum_l (1/eps_l^2)/((k - 1) h n^2 f*),   k = 2, ..., T
//
// Where eigenvalues differ, with h the largest of them, the smaller ones have not forgotten the start.
#include <cstdint>
#include <vector>

namespace hearsay::analysis {

struct SyncMoments {
  int p = 1;                         ///< dimension
  double horizon = 2;                ///< T
  double hessian = 1;                ///< h
  double bound = 1;                  ///< Xi
  double records = 1;                ///< n, of all owners
  std::vector<double> epsilon = {};  ///< total budget, by owner
  double f_star = 1;                 ///< f(theta*)

  /// Expected relative fitness of theta[k], k from 2 to T.
  double psi(std::uint64_t k) const;
};

}  // namespace hearsay::analysis
