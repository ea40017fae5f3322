#pragma once
// Regularisers of multi-task learning, r(P) of the d x T matrix of shared parts, which couples the tasks, and g(Q) of
// that of own parts; and their proximal operators
//
//   prox_h(M) = argmin_W (1/2) norm_F(W - M)^2 + h r(W).
//
//                 regulariser                                                 prox_h
//   r   nuclear   sum of singular values: P of low rank                       singular values shrink by h
//       l21       sum over features (rows) of norm_2: few features for all    norm_2 of rows shrinks by h
//       l1        sum of |entries|                                            entries shrink by h
//       none      0                                                           identity: tasks are not coupled
//   g   ridge     (1/2) norm_F(Q)^2                                           (by its gradient, not by a prox)
//       l1        sum of |entries| (dirty model)                              entries shrink by h
//       l21       sum over tasks (columns) of norm_2 (robust multi-task)      norm_2 of columns shrinks by h
//
// Source: Xie, Baytas, Lin, Zhou, "Privacy-Preserving Distributed Multi-Task Learning with Asynchronous Updates",
// equations (2) and (5).
#include <Eigen/Core>

#include <array>

#include "models/learning/solvers/singular_shrinkage.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

enum class Coupling { kNuclear, kL21, kL1, kNone };
constexpr auto choices_of(Coupling) {
  return std::to_array<sim::Choice>({{"nuclear", "Sum of singular values: the shared part has low rank."},
                                     {"l21", "Sum of the norm_2 of the rows: tasks share few features."},
                                     {"l1", "Sum of absolute values."},
                                     {"none", "r = 0: tasks are not coupled."}});
}

enum class OwnPenalty { kRidge, kL1, kL21 };
constexpr auto choices_of(OwnPenalty) {
  return std::to_array<sim::Choice>(
      {{"ridge", "(tau/2) norm_F(Q)^2."},
       {"l1", "tau times the sum of absolute values (dirty model)."},
       {"l21", "tau times the sum of the norm_2 of the columns (robust multi-task)."}});
}

/// r(M). O(d T min(d, T)) for nuclear, else O(d T).
double penalty(Coupling coupling, const Eigen::MatrixXd& m);
/// g(Q).
double penalty(OwnPenalty kind, const Eigen::MatrixXd& q);
/// One column q_t <- prox_h of it; ridge leaves it alone.
void shrink_own(OwnPenalty kind, double h, Eigen::Ref<Eigen::VectorXd> q);
/// Singular values above 1e-9 of the largest.
Eigen::Index numerical_rank(const Eigen::MatrixXd& m);

/// prox_h of d x T matrices, decomposed once and then asked for by column or as a whole.
class CouplingProx {
 public:
  CouplingProx(Coupling coupling, Eigen::Index d, Eigen::Index tasks)
      : coupling_(coupling), shrinkage_(d, tasks), rows_(Eigen::VectorXd::Ones(d)) {}

  /// The next result is a function of the next matrix alone, not of earlier ones too.
  void reset() { shrinkage_.reset(); }
  /// m must stay as it is while the result is asked for.
  void decompose(const Eigen::MatrixXd& m, double h);
  /// The same of an m that differs from the last one in column t only.
  void decompose_changed(const Eigen::MatrixXd& m, Eigen::Index t, double h);
  void column(Eigen::Index t, Eigen::Ref<Eigen::VectorXd> out) const;
  void matrix(Eigen::MatrixXd& out) const;

  /// What the next result depends on; the last one is lost.
  template <class Archive>
  void serialize(Archive& archive) {
    if (coupling_ == Coupling::kNuclear) archive(shrinkage_);
  }

 private:
  void shrink_rows();

  Coupling coupling_;
  SingularShrinkage shrinkage_;
  Eigen::VectorXd rows_;  // l21: what is left of each row
  const Eigen::MatrixXd* m_ = nullptr;
  double h_ = 0;
};

}  // namespace hearsay::models
