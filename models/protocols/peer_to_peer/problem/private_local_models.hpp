#pragma once
// Models in R^p that each agent learns alone and publishes once. m = m_i, lambda = lambda_i, Delta: sensitivity of the
// mean of the agent's loss gradients, 2 L0/m where a record is replaced and the bound is L0.
//
//   noisy_gradient   -(grad L_i(0) + w)/Lloc_i   w_j ~ Laplace(0, Delta/eps); where the mechanism's bound is of the L2
//                                                norm, density of w prop. to exp(-eps norm_2(w)/Delta)
//   output           argmin L_i + w              density of w prop. to exp(-eps norm_2(w) 2 lambda/Delta): the L2
//                                                sensitivity of the minimiser is L0/(m lambda). With lambda = 1/m
//                                                that is L0 for all m: the mean norm of the noise, p L0/eps, exceeds
//                                                that of the model
//   objective        objective perturbation (objective_perturbation.hpp), Lambda = 2 lambda, c = 1/4; for a loss of one
//                    score
//
// noisy_gradient and output hold for softmax as they stand: L0 bounds the norm of a record's gradient (q - e_y) x^T in R^(K d),
// and L_i is 2 lambda strongly convex. norm_1 of it is norm_1(q - e_y) norm_1(x) <= 2 norm_1(x), norm_2 at most
// sqrt(2) norm_2(x).
//
// One release of epsilon `epsilon_warm` each; without privacy all are exact. An agent without records gives 0.
//
// Source: Bellet, Guerraoui, Taziki, Tommasi 2018, appendix C; Chaudhuri, Monteleoni, Sarwate 2011. The one
// noisy gradient step is not in the papers.
#include <Eigen/Core>

#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"
#include "models/run/context.hpp"

namespace hearsay::models {

enum class LocalRelease { kNoisyGradient, kOutput, kObjective };
constexpr auto choices_of(LocalRelease) {
  return std::to_array<sim::Choice>({
      {"noisy_gradient", "One step from 0 along a noisy gradient."},
      {"output", "The exact local minimiser plus noise; the noise exceeds the minimiser if lambda is 1/m."},
      {"objective",
       "The minimiser of a randomly perturbed objective; requires logistic loss and norm_2(x) <= 1."},
  });
}

/// Throws std::invalid_argument where the bound does not serve: output and objective need one that holds of itself, not
/// one that clipping enforces, and objective the logistic loss, a bound of at most 1 and adjacency replace_one.
void require_bound(LocalRelease kind, const Setting& setting);
/// The release as its accountant sees it; nothing without privacy. Throws as require_bound.
std::optional<Step> local_release_step(LocalRelease kind, double epsilon, const Study& study);

/// Makes every agent's release, in the order of agents, as the next of its account; writes them to `out` (p x n).
void release_local_models(LocalRelease kind, const PersonalProblem& personal, Context& context,
                          Eigen::MatrixXd& out);

}  // namespace hearsay::models
