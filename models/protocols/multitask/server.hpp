#pragma once
// The server of multi-task learning: it holds the shared parts P = [p_1 .. p_T] (d x T, 0 at the start) and moves
// them by what tasks send, then shrinks them by the threshold h. S holds the last gradient of each task.
//
//   all      S_t <- g_t;  P <- prox_h(P - alpha S)                   Algorithm 1 as printed: every arrival applies
//                                                                    all T stored columns again, noise included.
//                                                                    Minimiser for lambda = h/alpha.
//   arrived  P <- prox_h(P with column t moved by -alpha g_t)        every arrival shrinks the whole matrix, a column
//                                                                    moves every T-th time: threshold T h in effect
//   block    V_t <- p_t - alpha g_t, p_t where g_t was taken;        backward-forward splitting (ARock): the fixed
//            P = prox_h(V)                                           point of `all`, and each noise enters once
#include <Eigen/Core>

#include <array>

#include "models/protocols/multitask/coupling.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

enum class ColumnUpdate { kAll, kArrived, kBlock };

class MultitaskServer {
 public:
  MultitaskServer(const MultitaskServer&) = delete;
  MultitaskServer& operator=(const MultitaskServer&) = delete;
  MultitaskServer(ColumnUpdate form, Coupling coupling, double alpha, double h, Eigen::Index d,
                  Eigen::Index tasks);

  /// Turns the gradient of a task, taken at p, into what it sends, in place: p - alpha g for block. From public p
  /// and a gradient that has been released nothing new is learnt by it.
  void prepare(const Eigen::Ref<const Eigen::VectorXd>& p, Eigen::Ref<Eigen::VectorXd> gradient) const;
  /// Takes what task t has sent; of several tasks before one step, in form block only. P is not to be asked
  /// for between this and the step.
  void put(Eigen::Index t, const Eigen::Ref<const Eigen::VectorXd>& message);
  /// P = S = V = 0, as at the start.
  void clear();
  /// V of block as it is at the start, and P = prox_h(V).
  void start_at(const Eigen::MatrixXd& v);
  /// block: V_t <- V_t + weight (message - V_t).
  void relax(Eigen::Index t, const Eigen::Ref<const Eigen::VectorXd>& message, double weight) {
    moved_.col(t) += weight * (message - moved_.col(t));
    note_change(t);
  }
  /// The new P. O(k^3 + k d T) for nuclear, k = min(d, T).
  void step();
  /// p_t.
  void column(Eigen::Index t, Eigen::Ref<Eigen::VectorXd> out) const;
  const Eigen::MatrixXd& p() const;

 private:
  static constexpr Eigen::Index kNothing = -1, kMuch = -2;
  void note_change(Eigen::Index t) { changed_ = changed_ == kNothing || changed_ == t ? t : kMuch; }

  ColumnUpdate form_;
  double alpha_, h_;
  CouplingProx prox_;
  Eigen::MatrixXd s_;             // all: S
  Eigen::MatrixXd moved_;         // what is shrunk; block: V
  Eigen::Index changed_ = kMuch;  // column of V that has changed since the last step, if it is one alone
  mutable Eigen::MatrixXd p_;
  mutable bool known_ = true;  // p_ is the P of the last step; block works it out when asked
};

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::ColumnUpdate> {
  static constexpr std::array kValues{
      Choice{"all", "All stored gradients are applied at every arrival: Algorithm 1 as printed."},
      Choice{"arrived", "Only the column that arrived moves, all are shrunk."},
      Choice{"block",
             "Backward-forward splitting: the column that arrived is replaced, then all are shrunk."}};
};
}  // namespace hearsay::sim
