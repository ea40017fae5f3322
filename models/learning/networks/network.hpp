#pragma once
// Models that give a record several scores, or pass it through a hidden layer, with their loss. By hand on Eigen.
//
//   x in R^d, the features; scores s in R^K: K classes with the softmax loss, else K = 1
//   linear   s = W x                                     theta = W                  p = K d
//   mlp      a = f(V x),  s = W a + b                    theta = (V, W, b)          p = h d + K h + K
//
// V is h x d, W is K x d or K x h, row after row; f is relu(z) = max(0, z) with f'(0) = 0, or tanh. The first layer has
// no constant: that is the data's (option `bias` of the data). The gradient of a record's loss is
//
//   delta = d loss/d s in R^K,  eta = f'(V x) * (W^T delta) in R^h (entry by entry)
//   linear   delta x^T                                   norm_2^2 = norm_2(delta)^2 norm_2(x)^2
//   mlp      (eta x^T, delta a^T, delta)                 norm_2^2 = norm_2(eta)^2 norm_2(x)^2 + norm_2(delta)^2 (norm_2(a)^2 + 1)
//
// and likewise with norm_1, where norms take the place of their squares: a record's gradient is clipped without being
// computed. softmax: delta = q - e_y, q_k = exp(s_k)/sum_l exp(s_l).
#include <span>

#include "models/learning/networks/network_options.hpp"
#include "models/learning/networks/record_model.hpp"
#include "models/losses/loss.hpp"

namespace hearsay::models {

class Network final : public RecordModel {
 public:
  /// Records as rows.
  using Rows = Eigen::Ref<const Records>;
  using Targets = Eigen::Ref<const Eigen::VectorXd>;

  /// For d features and K scores.
  Network(const NetworkOptions& options, const Loss& loss, Eigen::Index features, Eigen::Index scores);

  Eigen::Index p() const override { return p_; }
  Eigen::Index scores() const override { return scores_; }
  bool hidden() const { return hidden_ > 0; }

  Eigen::Index inputs(Eigen::Index j) const override {
    return hidden() && j >= hidden_ * features_ ? hidden_ : features_;
  }

  /// Errors are those of Loss::error; softmax: 1 where the largest score is another class's; of equal scores the first
  /// counts. O(n_i p).
  double total_loss(const Shard& shard, In theta) const override;
  double total_error(const Shard& shard, In theta) const override;
  /// Allocate nothing after the first calls. O(p) a record.
  Eigen::Index sum_gradients(const Shard& shard, In theta, double bound, Norm norm, Out out) const override;
  Eigen::Index sum_gradients(const Shard& shard, std::span<const Eigen::Index> records, In theta,
                             double factor, double bound, Norm norm, Out out) const override;
  double largest_gradient(const Shard& shard, In theta, Norm norm) const override;

 private:
  struct Pass;
  static Pass& pass();

  // The scores of the records x, in the pass.
  void forward(const Rows& x, const double* theta, Pass& pass) const;
  // Turns the scores into d loss/d s, and where there is a hidden layer goes back through it.
  void backward(const Targets& y, const double* theta, Pass& pass) const;
  // Norms of the records' gradients, after backward().
  void norms(const Rows& x, Norm norm, Pass& pass) const;
  // to = factor times the sum of the gradients, or to += that; returns how many were scaled down.
  template <bool add>
  Eigen::Index gradients(const Rows& x, const Targets& y, const double* theta, double factor, double bound,
                         Norm norm, double* to) const;
  // Sum of f over a shard, block by block: f(targets, pass) after forward().
  template <class F>
  double total(const Shard& shard, In theta, F&& f) const;

  Loss loss_;
  Eigen::Index features_, scores_, hidden_ = 0, p_;
  HiddenFunction activation_ = HiddenFunction::kRelu;
};

}  // namespace hearsay::models
