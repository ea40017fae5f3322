#pragma once
// Exact expectations of the relative fitness psi of the central learners.
//
// Asynchronous, for owners of equal size whose Hessian is h I, with the box and the regulariser negligible. Per
// coordinate let A = E L^2, B = E th_i^2, C = E L th_i, D = E th_i th_j (i != j), L and th_i the errors of the
// learner's model and of its copy for owner i. With a = rho/(T^2 sigma), b = 1 - a h, noise variance v = 8 Xi^2 T^2/(n_i eps)^2
// of one coordinate of an answer, G = (A + B + 2C)/4 = E bar^2 and X = (C + D)/2 = E bar th_j, one conversation with an
// owner drawn uniformly from N is
//
//   A <- G
//   B <- (b^2 G + a^2 v)/N + (1 - 1/N) B
//   C <- b G/N + (1 - 1/N) X
//   D <- (2/N) b X + (1 - 2/N) D
//
// since the chosen owner's new error is b bar - a w (N rho/(T^2 sigma) n_i/n = a for equal owners). Being
// linear, the recursion is run once from A = B = C = D = 1 without noise and once from 0 with it: psi(k) =
// psi(0) A_k + p h/(2 f*) A_k'.
//
// Synchronous, by the strongly_convex algorithm with rho = T^2/h, where every eigenvalue of the Hessian of f is h. Per
// coordinate the error e obeys e[k+1] = (1 - 1/k) e[k] - w[k]/(h k); its solution e[k+1] = -(1/(h k)) sum_{j <= k} w[j]
// does not depend on the start. The noise of the gradient is that of all owners' answers, E w^2 = sum_l (n_l/n)^2
// 8 Xi^2 T^2/(n_l eps_l)^2 = (8 Xi^2 T^2/n^2) sum_l 1/eps_l^2. So
//
//   psi(k) = p h E e[k]^2/(2 f*) = 4 p Xi^2 T^2 sum_l (1/eps_l^2)/((k - 1) h n^2 f*),   k = 2, ..., T
//
// The bound synchronous_closed_form is psi(T) f*, with h = lambda.
#include <cstdint>

#include "analysis/theory/central_bounds.hpp"

namespace hearsay::analysis {

/// Expected relative fitness of the asynchronous learner after k conversations. O(k). Owners that differ have the same mean
/// Hessian and mean of 1/epsilon^2 instead.
double expected_psi(const CentralSetting& setting, std::uint64_t k);
/// Its limit for large k, which noise alone determines:
/// 4 p rho Xi^2 (1 + N x)/(sigma n_i^2 eps^2 f* (2(N+1) + (2N+1) x - N x^2)), x = a h.
double stationary_noise(const CentralSetting& setting);

}  // namespace hearsay::analysis
