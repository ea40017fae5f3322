#include "models/privacy/mechanisms/tree_noise.hpp"

#include <bit>
#include <cmath>
#include <span>

#include "models/privacy/mechanisms/mechanism.hpp"

namespace hearsay::models {

Eigen::VectorXd TreeNoise::drawn(double scale, sim::Stream& stream) const {
  Eigen::VectorXd w = Eigen::VectorXd::Zero(noise_.size());
  Gaussian::add_noise({w.data(), static_cast<std::size_t>(w.size())}, scale, stream);
  return w;
}

// Nodes below the one that remains are drawn only where they are used.
void TreeNoise::add_leaf(double scale, sim::Stream& stream) {
  ++prefix_;
  Node last;
  const int height = std::countr_zero(prefix_);
  if (estimate_ == TreeEstimate::kPlain) {
    nodes_.resize(nodes_.size() - static_cast<std::size_t>(height));
    last = {height, drawn(scale, stream)};
  } else {
    last = {0, drawn(scale, stream)};
    for (; last.height < height; ++last.height) {
      last.value = drawn(scale, stream) + (nodes_.back().value + last.value) / 2;
      nodes_.pop_back();
    }
  }
  nodes_.push_back(std::move(last));
}

void TreeNoise::sum_up() {
  noise_.setZero();
  for (const Node& node : nodes_) {
    const double below = estimate_ == TreeEstimate::kPlain ? 1 : 2 - std::ldexp(1.0, -node.height);
    noise_ += node.value / below;
  }
}

void TreeNoise::next(double scale, sim::Stream& stream) {
  add_leaf(scale, stream);
  sum_up();
}

void TreeNoise::complete(double scale, sim::Stream& stream) {
  const std::uint64_t target = std::bit_ceil(prefix_);
  if (estimate_ == TreeEstimate::kPlain && prefix_ < target) {
    nodes_ = {{std::countr_zero(target), drawn(scale, stream)}};
    prefix_ = target;
  }
  while (prefix_ < target) add_leaf(scale, stream);
  sum_up();
}

void TreeNoise::restart() {
  prefix_ = 0;
  nodes_.clear();
  noise_.setZero();
}

}  // namespace hearsay::models
