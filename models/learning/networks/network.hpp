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

#include "models/algebra/norm.hpp"
#include "models/data/data_set.hpp"
#include "models/learning/networks/network_options.hpp"
#include "models/losses/loss.hpp"

namespace hearsay::models {

class Network {
 public:
  using In = const Eigen::Ref<const Eigen::VectorXd>&;
  using Out = Eigen::Ref<Eigen::VectorXd>;
  /// Records as rows.
  using Rows = Eigen::Ref<const Records>;
  using Targets = Eigen::Ref<const Eigen::VectorXd>;

  /// For d features and K scores.
  Network(const NetworkOptions& options, const Loss& loss, Eigen::Index features, Eigen::Index scores);

  Eigen::Index p() const { return p_; }
  Eigen::Index scores() const { return scores_; }
  bool hidden() const { return hidden_ > 0; }

  /// Number of inputs of the layer that theta_j belongs to.
  Eigen::Index inputs(Eigen::Index j) const {
    return hidden() && j >= hidden_ * features_ ? hidden_ : features_;
  }

  /// Sum over the records of a shard of their losses, and of their errors (Loss::error; softmax: 1 where the largest
  /// score is another class's; of equal scores the first counts). O(n_i p).
  double total_loss(const Shard& shard, In theta) const;
  double total_error(const Shard& shard, In theta) const;
  /// out = sum of the records' gradients, each scaled down to `norm` at most `bound`, which may be infinite, or left out
  /// where it is not finite; returns of how many. Of all records of a shard, or `factor` times that of some. Allocates
  /// nothing after the first calls. `out` must not overlap theta. O(p) a record.
  Eigen::Index sum_gradients(const Shard& shard, In theta, double bound, Norm norm, Out out) const;
  Eigen::Index sum_gradients(const Shard& shard, std::span<const Eigen::Index> records, In theta,
                             double factor, double bound, Norm norm, Out out) const;
  /// Largest norm of a record's gradient over a shard.
  double largest_gradient(const Shard& shard, In theta, Norm norm) const;

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
