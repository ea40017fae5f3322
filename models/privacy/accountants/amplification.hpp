#pragma once
// Amplification by subsampling, in closed form. An epsilon-differentially private release of a random part of
// the data is epsilon'-differentially private for the whole, with
//   epsilon' = ln(1 + q (e^epsilon - 1)).
// Valid for add_remove when each record takes part independently with probability q (Poisson), and for
// replace_one when a share q is drawn without replacement; the step must be private under that adjacency.
// With Poisson sampling and replace_one it must be epsilon-private under both.
//
// Source: Balle, Barthe, Gaboardi 2018, "Privacy Amplification by Subsampling", Theorems 8 and 9.

#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

/// epsilon' above, for any epsilon in (0, 700] without loss of digits at small q or epsilon; epsilon itself
/// when q = 1. Throws std::invalid_argument unless epsilon > 0 and 0 < q <= 1.
double amplified_epsilon(double epsilon, double q);

/// Its inverse: the epsilon of a step that sampling brings down to `amplified`.
double epsilon_before_sampling(double amplified, double q);

/// Epsilon of a turn of releases, `epsilon` together before sampling, all computed from one Poisson subsample
/// with probability q and a fixed public divisor. add_remove: epsilon' above. replace_one: of two neighbours each
/// has its own record in the sample with probability q and is else alike; a release with and without one record
/// is epsilon/2-private, its sensitivity being half of that for a replacement, so that with e = epsilon/2
///   ln[ (1 - q + q e^e)/(1 - q + q e^-e) ].
/// Throws as amplified_epsilon does.
double amplified_turn(double epsilon, double q, Adjacency adjacency);

}  // namespace hearsay::models
