#pragma once
// Bounds and closed forms of the central learners' error, as functions of a study's settings.
//
// Symbols: N owners, epsilon_i as below, n records in all, p dimension, T horizon, rho step option, Xi
// bound of a record's gradient in the L1 norm, f = g + mean loss, sigma strong convexity of g, h_min and
// h_max extreme eigenvalues of the Hessian of the mean loss, L = h_min + sigma (sigma where h_min is unknown),
// lambda = h_max + sigma, s = sum_i 1/epsilon_i^2.
//
// The papers' answers have Laplace noise of scale 2 Xi T/(n_i epsilon_i). Whatever mechanism, accountant and plan set
// the noise, epsilon_i is the value for which that has the same variance: 8 Xi^2 T^2/(n_i epsilon_i)^2 for one
// coordinate. The closed forms depend on the noise by its variance alone.
//
// Farokhi, Wu, Smith, Kaafar, "The Cost of Privacy in Asynchronous Differentially-Private Machine Learning":
//   S = 1/T^2 + N sum_i (1/T + 2 sqrt(2)/(n epsilon_i))^2
//   (8) E norm_2(theta_L - theta*)^2 <= c1 sqrt(S) + c2 S,   (9) the same of f - f* with other constants
//   (10), (11) for large T: (c1/n) sqrt(s) + (c2/n^2) s
//   The proof omits the noise vector's dimension. With `dimension`: 2 sqrt(2 p) in S, and p s for s.
// Wu, Farokhi, Smith, Kaafar, "The Value of Collaboration in Convex Machine Learning with Differential
// Privacy":
//   (9)  min_k E f - f* <= 8 Xi^2 rho/(L n^2) s;  (10) of norm_2(theta - theta*)^2: 4/L times that
//   corrected: 4 p lambda Xi^2 rho/(L n^2) s, for rho <= T^2/lambda. The proof drops lambda/2 in front of the
//   squared step, and the dimension; as printed (9) can be below the true value where p lambda > 2.
//   (11) f(bar theta[T]) - f* <= c2 (Xi/n) sqrt(s);  (12) of the squared distance: 4/L times that. With
//   `dimension`: p s for s, in (9) to (12) as printed
//
// c1 and c2 are not published for any data set: they are given in a scenario or fitted to measured means.
// Closed forms have no constants; they hold for equal owners with Hessian h I, box and regulariser negligible:
//   asynchronous, rule of thumb for N (N + 1) << T (psi(0) the relative fitness of theta = 0, n_i = n/N):
//     psi(T) = psi(0) E + (1 - E) 2 p rho Xi^2/(sigma (N + 1) n_i^2 epsilon^2 f*),
//     E = exp(-2 h rho/(sigma (N + 1) T))
//   asynchronous, exact: analysis/theory/central_moments.hpp after T conversations
//   synchronous, Algorithm 1 with rho = T^2/lambda: psi = 4 p Xi^2 T^2 s/((T - 1) lambda n^2 f*). Its step knows the
//     Hessian of f, so the regulariser need not be negligible
#include <span>
#include <string_view>
#include <vector>

#include "analysis/store/study.hpp"
#include "models/learning/solvers/optimum.hpp"

namespace hearsay::analysis {

/// The update rule of a central learner; of a bound, the one that it is of.
enum class CentralRule { kAny, kAsynchronous, kStronglyConvex, kAveraged };

/// The arguments of a bound, of N parties. NaN where a study does not have one (rho of a protocol without it, Hessian of
/// another loss than squared).
struct CentralSetting {
  std::vector<double> epsilon{};  ///< by party; infinite without noise
  double records = 0;             ///< n
  double dimension = 1;           ///< p
  double horizon = 0;             ///< T
  double rho = 0, sigma = 0;
  double bound = 0;  ///< Xi
  double hessian_min = 0, hessian_max = 0;
  double f_star = 1, psi_start = 0;
  CentralRule rule = CentralRule::kAny;

  double owners() const { return static_cast<double>(epsilon.size()); }
  double inverse_squares() const;  ///< s
};

/// epsilon_i of an owner with n_i records whose answers have noise of that variance in each coordinate.
double epsilon_of_noise(double bound, double horizon, double records, double variance);
/// The scalars of a point that hold its setting, but for setting.epsilon of each owner: setting.records n,
/// setting.dimension p, setting.sigma, setting.start_fitness = f(0)/f* - 1, and for squared loss setting.hessian_min and
/// hessian_max of the pooled mean loss. O(p^3).
std::vector<Scalar> setting_scalars(const models::Problem& problem, const models::Optimum& optimum);
/// The setting of a point from its scalars; T and rho, which depend on the protocol, are NaN.
CentralSetting setting_of(const PointResult& point);

/// The bounded quantity: f - f* = psi f*, or norm_2(theta - theta*)^2.
enum class BoundOf { kCost, kDistance };

/// A row of the table of bounds: value = sum_j c_j terms_j.
struct Bound {
  std::string_view name, help;
  BoundOf of = BoundOf::kCost;
  int constants = 0;  ///< free constants: 0 (everything is known), 1 (c2) or 2 (c1, c2)
  /// One number for each constant, or the value itself. In units of f - f* or of the squared distance.
  void (*terms)(const CentralSetting&, bool dimension, std::span<double> out) = nullptr;

  /// Of closed forms: their value is wrong for any other rule. Fitted constants may be used to compare rules.
  CentralRule rule = CentralRule::kAny;

  bool applies_to(CentralRule other) const {
    return rule == CentralRule::kAny || other == CentralRule::kAny || rule == other;
  }
  std::size_t width() const { return constants == 0 ? 1 : static_cast<std::size_t>(constants); }
};

std::span<const Bound> bounds();

}  // namespace hearsay::analysis
