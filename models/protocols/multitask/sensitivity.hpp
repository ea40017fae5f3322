#pragma once
// How far the two releases of a turn, q_t + z_1 and the gradient g_t, may move between neighbouring data sets
// of task t: S_1 and S_2, in the L2 norm. With B_1 and B_2 bounds on a record's gradient where q_t moves and
// at the released point, C_1 >= norm_2(x), under adjacency replace_one (half of them under add_remove):
//
//   paper         S_1 = 2 alpha_1 B_1/n_t,  S_2 = 2 B_2/n_t                              Lemmas 1 and 2
//     classification        B_1 = B_2 = C_1 C_2,  C_2 = 1 >= |slope|
//     regression, |y| <= 1  B_1 = 2 C_1 (C_1 c_3 + 1),  B_2 = 2 C_1 (C_1 c_4 + 1);  c_3 >= norm_2(p + q) and
//                           c_4 >= norm_2(p + q + z_1) are declared: the guarantee holds where they do
//     Lemma 1 takes q_t before the turn as the same on neighbouring data. It is not: see accumulated.
//   released      S_1 = released_1,  S_2 = released_2                                    the paper's published code
//   accumulated   S_1 = Delta_k in turn k, or max(Delta_(k-1), Delta_k) where it releases the q_t before its step
//                 (gradient_at old_q); S_2 as in paper
//     Delta_k   = (1 - alpha_1 tau)^k Delta_0 + s (1 - (1 - alpha_1 tau)^k)/(alpha_1 tau),  s = S_1 of paper
//     bounds the difference of q_t after k turns: for alpha_1 (L + 2 tau) <= 2 a step shrinks a difference by
//     1 - alpha_1 tau and adds s. Delta_0 = 0 from a zero start, 2 B_1/(n_t start_ridge) from a single-task one.
//
// With q_update exact q_t is a function of the data and p_t alone: S_1 = 2 B_1/(n_t tau), and nothing accumulates; a
// first turn that releases the start (old_q) accounts for that too. B_1 must hold without clipping there: clipped
// steps do not bound the sensitivity of a minimiser, so that clip is allowed neither with exact nor with Delta_0 of a
// single-task start. With batch_fraction q, S_1 and S_2 are divided by q.
//
// Source: Xie, Baytas, Lin, Zhou, KDD 2017, Lemmas 1 and 2, Theorems 3.5 and 3.6; accumulated is our own, by the
// contraction of a gradient step on a strongly convex function.
#include <cstddef>
#include <vector>

#include "models/protocols/multitask/options.hpp"

namespace hearsay::models {

class TurnSensitivities {
 public:
  /// Without privacy: all are 0.
  TurnSensitivities() = default;
  /// Throws std::invalid_argument where bounds are needed and unknown, where targets exceed theirs, or for steps too
  /// long for accumulated.
  TurnSensitivities(const MultitaskOptions& options, const Study& study);

  /// S_1 and S_2 of the next turn of task t.
  double s_1(std::size_t t) const;
  double s_2(std::size_t t) const { return tasks_.empty() ? 0 : tasks_[t].s_2; }
  /// Of a column that a trusted server sends: alpha_2 times the largest S_2, as every column may enter it.
  double column() const { return column_; }
  /// Task t has made a turn.
  void count_turn(std::size_t t);
  /// q_t is that of the start again.
  void reset(std::size_t t);
  template <class Archive>
  void serialize(Archive& archive) {
    for (Task& task : tasks_) archive(task.apart);
  }

 private:
  struct Task {
    double s_2 = 0;
    double step = 0;   // what a turn adds to the difference of q_t: s
    double apart = 0;  // difference of q_t now, where it is followed
    double start = 0;  // and at the start
  };
  // A start without a ridge has no bound, and counts only where a turn keeps some of it.
  double after_turn(const Task& task) const {
    return keeps_ == 0 ? task.step : keeps_ * task.apart + task.step;
  }

  bool follows_ = false;  // whether the difference of q_t is followed
  bool before_ = false;   // whether the q_t before the turn's update is released
  double keeps_ = 0;      // factor of an old difference in a turn: 1 - alpha_1 tau; 0 for exact updates
  double column_ = 0;
  std::vector<Task> tasks_;
};

/// How many times the sensitivities of `paper` are those of `released`, for the worst release of the task with the
/// fewest records; 0 where the proof's are unknown (regression).
double released_shortfall(const MultitaskOptions& options, const Study& study);
/// Throws OptionError and std::invalid_argument where the options do not bound a record's gradient.
void require_turn_bounds(const MultitaskOptions& options, const Setting& setting);

/// Lipschitz constant of the gradient of a mean loss: max_curvature C_1^2. Throws std::invalid_argument for a loss
/// that is not smooth. C_1 is the declared bound on norm_2(x), or the largest norm of a training record where none is, and
/// without privacy.
double smoothness(const Study& study);
/// The same as a limit of an option, which is listed where it is from private data.
double smoothness_for(std::string_view option, const Study& study);

}  // namespace hearsay::models
