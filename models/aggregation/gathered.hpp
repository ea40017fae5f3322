#pragma once
// The vectors that a receiver aggregates, and what rules share. Rules but for `mean`, and those for graphs, count every vector
// once, whatever its weight. What they return does not depend on the order of the vectors, but for rounding: ties are decided
// by the vectors themselves, the lexicographically smaller first.
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "models/algebra/norm.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

struct Gathered {
  using Index = Eigen::Index;

  Eigen::MatrixXd x = {};       ///< p x (at least size): a column for each vector
  Eigen::VectorXd weight = {};  ///< of each, at least 0
  std::vector<char> hostile{};  ///< for rules with an oracle: who has sent it
  Index size = 0;
  Eigen::VectorXd centre = {};  ///< an agent's own model; of a server the last aggregate, 0 at first

  void clear() {
    size = 0;
    hostile.clear();
  }
  void add(double w, const Eigen::Ref<const Eigen::VectorXd>& vector, bool from_hostile = false) {
    if (size == x.cols()) {
      const Index room = 2 * size + 1;
      x.conservativeResizeLike(Eigen::MatrixXd::Zero(vector.size(), room));
      weight.conservativeResizeLike(Eigen::VectorXd::Zero(room));
    }
    x.col(size) = vector;
    weight[size++] = w;
    hostile.push_back(from_hostile);
  }
  auto state() { return std::tie(x, weight, hostile, size, centre); }
  auto columns() const { return x.leftCols(size); }
  auto weights() const { return weight.head(size); }
  /// The lexicographic order of two columns.
  bool less(Index a, Index b) const {
    return std::lexicographical_compare(x.col(a).begin(), x.col(a).end(), x.col(b).begin(), x.col(b).end());
  }
  /// 0, ..., size - 1 by ascending value, ties by vector.
  std::vector<Index> by(const Eigen::Ref<const Eigen::VectorXd>& value) const {
    std::vector<Index> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(
        order, [&](Index a, Index b) { return value[a] < value[b] || (value[a] == value[b] && less(a, b)); });
    return order;
  }
  Eigen::VectorXd mean_of(const std::vector<Index>& order, Index count) const {
    return mean_by(std::span(order).first(static_cast<std::size_t>(count)), [](Index) { return 1.0; });
  }
  /// The mean of columns with weights(column), whose sum is above 0. Finite if they are.
  template <class Weights>
  Eigen::VectorXd mean_by(std::span<const Index> columns, Weights&& weights) const {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(x.rows());
    double whole = 0;
    for (const Index k : columns) {
      mean += weights(k) * x.col(k);
      whole += weights(k);
    }
    mean /= whole;
    if (mean.allFinite()) return mean;
    mean.setZero();  // the sum was too large
    for (const Index k : columns) mean += weights(k) / whole * x.col(k);
    return mean;
  }
  /// norm_2(x_k - z) of all columns.
  Eigen::VectorXd distances_from(const Eigen::VectorXd& z) const {
    Eigen::VectorXd d = (columns().colwise() - z).colwise().norm();
    for (Index k = 0; k < size; ++k)
      if (!std::isfinite(d[k])) d[k] = length_of(x.col(k) - z);
    return d;
  }
  /// Squared distances of all pairs. O(size^2 p).
  Eigen::MatrixXd squared_distances() const {
    Eigen::MatrixXd d = Eigen::MatrixXd::Zero(size, size);
    for (Index a = 0; a < size; ++a)
      for (Index b = 0; b < a; ++b) d(a, b) = d(b, a) = (x.col(a) - x.col(b)).squaredNorm();
    return d;
  }
};

/// The number of hostile vectors that a rule is meant for. Fewer than 2 f + 1 vectors do not show which of them are: then there
/// is no aggregate, a server makes no step, and an agent keeps its model.
struct RuleTolerance {
  std::uint32_t f = 1;
  void describe(sim::Visitor& v) {
    v(f, {.name = "f",
          .help = "Number f of hostile vectors that it withstands. With fewer than 2 f + 1 vectors a server "
                  "makes no step, and an agent keeps its own model."});
  }
  bool enough(const Gathered& in) const { return in.size > 2 * static_cast<Gathered::Index>(f); }
  Gathered::Index honest(const Gathered& in) const { return in.size - static_cast<Gathered::Index>(f); }
};

}  // namespace hearsay::models
