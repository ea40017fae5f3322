#pragma once
// Whether the step of a central learner is stable, for squared loss.
//
// Owner i, n_i of n records, mean Hessian H_i; N parties (owners or groups); g = (sigma/2) norm_2^2; step a.
//
// central_async  A conversation with party i changes the differences between two runs with the same noise and no box
//                by
//                  theta_i <- (I - a K_i) bar,  theta_L <- (1 - c a sigma) bar,  K_i = N (n_i/n) H_i + (sigma/2) I
//                h_max is the largest eigenvalue of all K_i. If a h_max <= 2 (and c a sigma <= 2), the largest of the
//                differences in norm_2 never grows, in whatever order owners answer, as long as conversations do not
//                overlap. With N = 1 the sum of both is multiplied by 1 - a (h + (1/2 + c) sigma)/2: it diverges from
//                a (h + sigma/2) = 4 on for c = 0. With N equal parties the second moments diverge
//                (analysis/theory/central_moments.hpp) from a h = (2N + 1 + sqrt(12 N^2 + 12 N + 1))/(2N) on: 4 for
//                N = 1, and 1 + sqrt(3) for N -> infinity.
//                Clipping bounds the steps, and a record whose gradient is scaled down has no curvature along it: the
//                K_i of a few records then overstates. h_max is that of the pooled Hessian, plus sigma/2.
// central_sync   theta <- (I - (a/k^q) K) theta, K = the pooled Hessian + sigma I, q = 1 or 1/2: the rounds with
//                a h_max/k^q > 2 move the model away from the minimiser.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/protocols/central/parties.hpp"

namespace hearsay::models {

/// The step that a learner uses.
struct UsedStep {
  std::string_view key;              ///< option: "rho" or "c1"
  bool automatic = false;            ///< chosen by "auto"
  double value = 0;                  ///< of the option
  double a = 0;                      ///< the step; of central_sync, that of round 1
  std::optional<double> h_max = {};  ///< see above; nothing where it is not known

  /// Value of the option at which a h_max = 2.
  double largest_stable() const { return 2 * value / (a * *h_max); }
  bool stable() const { return !h_max || a * *h_max <= 2; }
};

/// Largest eigenvalue of all N (n_i/n) H_i. Nothing unless the loss is the squared one, and of
/// problems whose eigenvalues would take more than some seconds. O(N p^3), once for each problem and set of groups.
std::optional<double> largest_party_curvature(const Parties& parties, const Problem& problem);

/// Numbers of a point: step.rho (or step.c1), step.a and, if known, step.a_h_max.
std::vector<std::pair<std::string, double>> step_numbers(const UsedStep& step);

/// A note of the step chosen by "auto", and a warning of a step that is not stable; `effect`: a clause on what happens
/// then.
std::vector<std::string> step_notes(const UsedStep& step, std::string_view effect, const Study& study);

}  // namespace hearsay::models
