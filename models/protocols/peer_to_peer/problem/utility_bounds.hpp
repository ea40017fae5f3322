#pragma once
// How far coordinate descent with noise can be from the minimum of Q (personal_problem.hpp) after T ticks, in
// expectation, with zero latency, while every agent that ticks updates.
//
//   C = 1 - sigma/(n L_max),  gap = Q(Theta(0)) - Q*,  V(t) = sum_i (mu D_ii c_i s_i(t))^2
//   s_i(t): scale of the Laplace noise on agent i's gradient, were it to tick at t
//
//   Proposition 1        C^T gap
//   Theorem 2, printed   C^T gap + 1/(n L_min) sum_{t<T} C^t V(t)
//   corrected            C^T gap + p/(n L_min) sum_{t<T} C^(T-1-t) V(t)
//   appendix B           b (1 - r)^T + (a/r) (1 - (1 - r)^T),  r = sigma/(n L_max), b = gap, a = V/(n L_min)
//
// What the correction mends: unrolling P(t+1) <= C P(t) + (1/(2 n L_min)) E norm_2(noise)^2 gives C^(T-1-t), as
// the noise of the last tick is not yet contracted; and the energy of p Laplace numbers is 2 p s^2, not 2 s^2.
//
// Source: Bellet, Guerraoui, Taziki, Tommasi 2018, Proposition 1, Theorem 2, appendix B.
#include <cstdint>
#include <functional>

namespace hearsay::models {

struct UtilityBounds {
  double contraction = 1;    ///< C
  double gap = 0;            ///< Q(Theta(0)) - Q*
  double agents = 1;         ///< n
  double min_lipschitz = 1;  ///< L_min

  double proposition_1(std::uint64_t ticks) const;
  /// `noise(round)`: V(t) for t in [round n, (round + 1) n), while every agent has made `round` releases in
  /// expectation. O(ticks/n) calls.
  double theorem_2(std::uint64_t ticks, const std::function<double(std::uint64_t round)>& noise) const;
  /// The same with half the expected energy of the noise, sum_i (mu D_ii c_i)^2 E norm_2(eta_i)^2/2: p V(t) for
  /// Laplace noise.
  double theorem_2_corrected(std::uint64_t ticks,
                             const std::function<double(std::uint64_t round)>& half_energy) const;
  /// appendix B with V(t) = `noise` for all t.
  double appendix_b(std::uint64_t ticks, double noise) const;
};

/// Where the budget is spread over T_i = k releases, so that the noise grows with k: the k in 1..most for which
/// appendix B's bound at T = n k is smallest. `noise(k)` is V for k releases. The first of equals.
std::uint64_t best_steps(const UtilityBounds& bounds, std::uint64_t most,
                         const std::function<double(std::uint64_t steps)>& noise);

}  // namespace hearsay::models
