#pragma once
// The noise of running sums by a binary tree (theorems/tree.hpp), prefix after prefix. Every node has independent noise
// N(0, s^2 I).
//
//   plain    prefix t is the sum of the nodes of the binary form of t:            variance s^2 (number of ones in t)
//   honaker  each of these is estimated from all noisy nodes below it as well. With own noise w,
//              v(leaf) = w,  v(node) = w + (v(left) + v(right))/2,  noise of a node of height h: v/(2 - 2^-h)
//            variance s^2 sum over the ones of t, at height h, of 1/(2 - 2^-h)
//
// Both are computed from the same noisy nodes, so that they cost the same.
//
// Source: Dwork, Naor, Pitassi, Rothblum 2010; Chan, Shi, Song 2011; Honaker 2015, "Efficient Use of Differentially Private
// Binary Trees", estimation from below; Kairouz et al. 2021, Algorithm 1 and Appendix B.
#include <Eigen/Core>

#include <cstdint>
#include <vector>

#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

enum class TreeEstimate { kPlain, kHonaker };
constexpr auto choices_of(TreeEstimate) {
  return std::to_array<sim::Choice>({
      {"plain", "A running sum is the sum of the fewest nodes that cover it."},
      {"honaker",
       "Each of these nodes is estimated from all nodes below it as well: up to half the variance."},
  });
}

class TreeNoise {
 public:
  TreeNoise(Eigen::Index p, TreeEstimate estimate) : estimate_(estimate), noise_(Eigen::VectorXd::Zero(p)) {}

  /// Moves on to the next prefix. `scale`: s. The noise is that of noise().
  void next(double scale, sim::Stream& stream);
  /// Moves on to the next power of two, if the tree is not there: its root's noise.
  void complete(double scale, sim::Stream& stream);
  /// Begins another tree.
  void restart();

  /// Of the present prefix; 0 before the first.
  const Eigen::VectorXd& noise() const { return noise_; }
  std::uint64_t prefix() const { return prefix_; }
  auto state() { return std::tie(prefix_, nodes_, noise_); }

 private:
  struct Node {
    int height = 0;
    Eigen::VectorXd value;  // v
    auto state() { return std::tie(height, value); }
  };

  Eigen::VectorXd drawn(double scale, sim::Stream& stream) const;
  void add_leaf(double scale, sim::Stream& stream);
  void sum_up();

  TreeEstimate estimate_;
  std::uint64_t prefix_ = 0;
  std::vector<Node> nodes_;  // of the binary form of the prefix, largest first
  Eigen::VectorXd noise_;
};

}  // namespace hearsay::models
