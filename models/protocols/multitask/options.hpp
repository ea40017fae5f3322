#pragma once
// Options of multi-task learning.
//
//   min over P, Q in R^(d x T) of  sum_t (1/n_t) sum_i loss(x_ti . (p_t + q_t), y_ti) + lambda r(P) + tau g(Q)
//
// T tasks, one an owner, with n_t records each; P is the server's, q_t its task's alone. lambda = h/alpha_2, h the
// threshold of the server's proximal step.
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/learning/columns.hpp"
#include "models/protocols/multitask/coupling.hpp"
#include "models/run/setting.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

enum class OwnUpdate { kStep, kExact };
constexpr auto choices_of(OwnUpdate) {
  return std::to_array<sim::Choice>({{"step", "One gradient step per turn: Algorithm 1."},
                                     {"exact", "Exact minimisation for the given p_t: equation (8)."}});
}

enum class GradientAt { kNewQ, kOldQ };
constexpr auto choices_of(GradientAt) {
  return std::to_array<sim::Choice>({{"new_q", "At the q_t just updated: Algorithm 1."},
                                     {"old_q", "At the q_t before the update: equations (6) and (7)."}});
}

enum class TaskStart { kSingleTask, kZero };
constexpr auto choices_of(TaskStart) {
  return std::to_array<sim::Choice>(
      {{"single_task", "Each task's own minimiser, with start_ridge."}, {"zero", "All models are 0."}});
}

enum class TurnSensitivity { kPaper, kReleased, kAccumulated };
constexpr auto choices_of(TurnSensitivity) {
  return std::to_array<sim::Choice>(
      {{"paper", "Sensitivity of one turn, with the preceding q_t held fixed: Lemmas 1 and 2."},
       {"released", "The constants released_1 and released_2 of the published code."},
       {"accumulated",
        "Sensitivity of the turn's release, including what q_t has accumulated in earlier turns."}});
}

/// Penalties of the objective metrics: lambda r(P) + tau g(Q), or mu r(P + Q).
struct MultitaskObjective {
  Coupling shared;
  double lambda, mu;
  OwnPenalty own = OwnPenalty::kRidge;
  double tau = 0;
};

/// What all multi-task protocols have: the coupling, the start and the number of turns.
struct CouplingOptions {
  std::optional<double> threshold, lambda;  ///< h; by default 1.5e-3
  Coupling regulariser = Coupling::kNuclear;
  TaskStart start = TaskStart::kSingleTask;
  std::optional<double> start_ridge;
  std::uint64_t turns = 10000;
  std::optional<double> objective_lambda;

  void describe(sim::Visitor& v);
  /// Throws std::invalid_argument for a box, which the updates ignore.
  static void require_no_box(const Setting& setting);
  /// h, for a server whose step is alpha.
  double h(double alpha) const { return threshold ? *threshold : lambda ? alpha * *lambda : 1.5e-3; }
  MultitaskObjective objective(double alpha) const {
    return {.shared = regulariser,
            .lambda = objective_lambda.value_or(h(alpha) / alpha),
            .mu = objective_lambda.value_or(h(alpha))};
  }
};

struct MultitaskOptions : CouplingOptions {
  double alpha_1 = 0.1, alpha_2 = 0.1, tau = 1e-3;
  OwnPenalty own_regulariser = OwnPenalty::kRidge;
  OwnUpdate q_update = OwnUpdate::kStep;
  GradientAt gradient_at = GradientAt::kNewQ;
  std::optional<double> tolerance;
  TurnSensitivity sensitivity = TurnSensitivity::kPaper;
  double released_1 = 1e-3 / 1.2, released_2 = 1e-2 / 1.2;
  std::optional<double> c_3, c_4;
  bool q_noise = true, trusted_server = false;
  double batch_fraction = 1;

  void describe(sim::Visitor& v);
  void require(const Setting& setting) const;
  /// What the stated epsilon does not cover, a sentence each; empty without privacy.
  std::vector<std::string> notes(const Study& study) const;
  double h() const { return CouplingOptions::h(alpha_2); }
  MultitaskObjective objective() const;
  double ridge_of_start() const { return start_ridge.value_or(tau); }
  /// Whether a turn releases q_t + z_1 too, at epsilon_1.
  bool releases_q() const { return q_noise && !trusted_server; }
  /// Epsilon of one turn, amplified by subsampling; 0 without privacy.
  double epsilon_turn(const Study& study) const;
};

/// 0, d x T: P or Q at the start.
inline Columns zero_columns(const Study& study) {
  return {study.problem.p(), study.problem.owners()};
}

}  // namespace hearsay::models
