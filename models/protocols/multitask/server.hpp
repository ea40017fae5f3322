#pragma once
// The server of multi-task learning: it holds the shared parts P = [p_1 .. p_T] (d x T, 0 at the start), moves them by
// what tasks send, and shrinks them by the threshold h. S (d x T) holds the last gradient of each task.
//
//   all       S_t <- g_t;  P <- prox_h(P - alpha S)            Algorithm 1 as printed: every arrival applies all T
//                                                              stored columns again, noise included. Minimiser for
//                                                              lambda = h/alpha.
//   arrived   P <- prox_h(P with column t moved by -alpha g_t) every arrival shrinks the whole matrix, a column moves
//                                                              every T-th time: the effective threshold is T h
//   block     V_t <- p_t - alpha g_t, p_t where g_t was taken; backward-forward splitting (ARock): the fixed point of
//             P = prox_h(V)                                    `all`, and each noise enters once
//
// Source: Xie, Baytas, Lin, Zhou, KDD 2017, Algorithm 1; Baytas, Yan, Jain, Zhou, ICDM 2016 (block).
#include <Eigen/Core>

#include <array>
#include <optional>

#include "models/learning/columns.hpp"
#include "models/protocols/multitask/coupling.hpp"
#include "sim/check.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

enum class ColumnUpdate { kAll, kArrived, kBlock };
constexpr auto choices_of(ColumnUpdate) {
  return std::to_array<sim::Choice>(
      {{"all", "All stored gradients are applied at every arrival: Algorithm 1 as printed."},
       {"arrived", "Only the column that arrived is updated; all columns are shrunk."},
       {"block",
        "Backward-forward splitting: the column that arrived is replaced, then all columns are shrunk."}});
}

class MultitaskServer {
 public:
  MultitaskServer(const MultitaskServer&) = delete;
  MultitaskServer& operator=(const MultitaskServer&) = delete;
  /// `zero`: d x T.
  MultitaskServer(ColumnUpdate form, Coupling coupling, double alpha, double h, const Columns& zero)
      : form_(form), alpha_(alpha), h_(h), prox_(coupling, zero.rows(), zero.cols()), moved_(zero), p_(zero) {
    if (form_ == ColumnUpdate::kAll) s_ = zero;
  }

  /// Turns the gradient of a task, taken at p, into what it sends, in place: p - alpha g for block. It is a function
  /// of public p and a released gradient, so it reveals nothing more.
  void prepare(const Eigen::Ref<const Eigen::VectorXd>& p, Eigen::Ref<Eigen::VectorXd> gradient) const {
    if (form_ == ColumnUpdate::kBlock) gradient = p - alpha_ * gradient;
  }
  /// Stores the message of task t; of several tasks before one step only in form block. P is undefined between this
  /// and the step.
  void put(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& message) {
    switch (form_) {
      case ColumnUpdate::kAll:
        s_[t] = message;
        moved_ = p_ - alpha_ * s_;
        return;
      case ColumnUpdate::kArrived:
        moved_ = p_;
        moved_[t] -= alpha_ * message;
        return;
      case ColumnUpdate::kBlock:
        moved_[t] = message;
        note_change(t);
        return;
    }
  }
  /// P = S = V = 0, as at the start.
  void clear() {
    s_.setZero();
    moved_.setZero();
    p_.setZero();
    known_ = true;
    changed_ = kMuch;
    prox_.reset();
  }
  /// V of block as it is at the start, and P = prox_h(V).
  void start_at(const Columns& v) {
    moved_ = v;
    changed_ = kMuch;
    prox_.reset();
    step();
  }
  /// block: V_t <- V_t + weight (message - V_t).
  void relax(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& message, double weight) {
    moved_[t] += weight * (message - moved_[t]);
    note_change(t);
  }
  /// The new P. O(k^3 + k d T) for nuclear, k = min(d, T).
  void step() {
    if (changed_ >= 0) {
      prox_.decompose_changed(moved_, changed_, h_);
    } else {
      prox_.decompose(moved_, h_);
    }
    changed_ = form_ == ColumnUpdate::kBlock ? kNothing : kMuch;
    known_ = form_ != ColumnUpdate::kBlock;
    if (known_) prox_.matrix(p_);
  }
  /// p_t.
  void column(std::size_t t, Eigen::Ref<Eigen::VectorXd> out) const {
    sim::check(known_ || changed_ == kNothing, "P is read between an arrival and its step");
    if (known_) {
      out = p_[t];
    } else {
      prox_.column(static_cast<Eigen::Index>(t), out);
    }
  }
  const Columns& p() const {
    sim::check(known_ || changed_ == kNothing, "P is read between an arrival and its step");
    if (!known_) prox_.matrix(p_);
    known_ = true;
    return p_;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    p();  // known from now on, here and where it is loaded: the last result of prox_ is not asked for again
    archive(s_, moved_, changed_, p_, prox_);
  }

 private:
  static constexpr Eigen::Index kNothing = -1, kMuch = -2;
  void note_change(std::size_t t) {
    const auto column = static_cast<Eigen::Index>(t);
    changed_ = changed_ == kNothing || changed_ == column ? column : kMuch;
  }

  ColumnUpdate form_;
  double alpha_, h_;
  CouplingProx prox_;
  Columns s_;                     // all: S
  Columns moved_;                 // what is shrunk; block: V
  Eigen::Index changed_ = kMuch;  // the only column of V that has changed since the last step
  mutable Columns p_;
  mutable bool known_ = true;  // p_ is the P of the last step; block computes it on demand
};

/// Whether the last update has moved P + Q by at most a tolerance in Frobenius norm; costs nothing without one.
class Tolerance {
 public:
  explicit Tolerance(std::optional<double> tolerance) : tolerance_(tolerance) {}

  void start(const MultitaskServer& server, const Eigen::MatrixXd& q) {
    if (tolerance_) last_ = server.p() + q;
  }
  void note_update(const MultitaskServer& server, const Eigen::MatrixXd& q) {
    if (!tolerance_) return;
    const Eigen::MatrixXd w = server.p() + q;
    reached_ = (w - last_).norm() <= *tolerance_;
    last_ = w;
  }
  bool reached() const { return reached_; }
  auto state() { return std::tie(last_, reached_); }

 private:
  std::optional<double> tolerance_;
  Eigen::MatrixXd last_;  // P + Q at the last update, d x T
  bool reached_ = false;
};

}  // namespace hearsay::models
