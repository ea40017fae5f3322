#pragma once
// What one run certifies about epsilon: Steinke, Nasr and Jagielski, "Privacy Auditing with One (1) Training Run",
// NeurIPS 2023, Theorem 5.2 and the program of appendix D.
//
// Each of m canaries is in the data with probability 1/2, independently. Of r canaries an adversary guesses whether they
// are in, and v guesses are right. With W binomial (r, q), q = 1/(1 + e^-epsilon), an (epsilon, delta) private mechanism
// has
//
//   P(v or more are right) <= p = min(1, beta + 2 m delta alpha)
//   beta = P(W >= v),   alpha = max_{1 <= i <= v} P(v > W >= v - i)/i
//
// Canaries that are not guessed count in m alone. r is chosen before the scores are seen.
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::analysis {

struct Guesses {
  std::uint64_t canaries = 0;  ///< m
  std::uint64_t guessed = 0;   ///< r, at most m
  std::uint64_t right = 0;     ///< v, at most r
};

/// Guesses the `guessed` canaries of the most extreme scores: the upper half is in, of an odd number the larger one, the
/// lower half is out. Equal scores count in the order of the canaries, which tells nothing about their presence.
Guesses guess_extremes(std::span<const double> scores, const std::vector<bool>& present,
                       std::uint64_t guessed);

/// p. O(r).
double one_run_p_value(const Guesses& guesses, double epsilon, double delta);

/// The epsilon up to which every value has p < level; 0 if none has. An (epsilon, delta) private mechanism is certified to
/// have more than its epsilon with probability below `level`, in (0, 1).
double one_run_epsilon(const Guesses& guesses, double delta, double level = 0.05);

}  // namespace hearsay::analysis
