#include "models/learning/networks/network.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "models/learning/networks/row_product.hpp"
#include "models/learning/record_pass.hpp"

namespace hearsay::models {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

using Weights = Map<const Records>;  // a layer: outputs x inputs, row after row

constexpr Index kRecords = 64;  // of a block

// f(first, count) for the blocks begin, ..., end - 1 of n records.
template <class F>
void for_blocks(Index n, std::size_t begin, std::size_t end, F&& f) {
  for (std::size_t b = begin; b < end; ++b) {
    const Index first = static_cast<Index>(b) * kRecords;
    f(first, std::min(kRecords, n - first));
  }
}

std::size_t blocks_of(Index n) {
  return static_cast<std::size_t>((n + kRecords - 1) / kRecords);
}

}  // namespace

// What a thread needs for a block of records, a column each.
struct Network::Pass {
  MatrixXd scores;  // K x records, then d loss/d s
  MatrixXd hidden;  // h x records: f(V x)
  MatrixXd back;    // h x records: d loss/d(V x)
  VectorXd norms, targets, sum;
  Records records;  // of a batch
};

Network::Pass& Network::pass() {
  static thread_local Pass pass;
  return pass;
}

Network::Network(const NetworkOptions& options, const Loss& loss, Index features, Index scores)
    : loss_(loss), features_(features), scores_(scores), p_(scores * features) {
  const auto* mlp = std::get_if<Mlp>(&options);
  if (mlp == nullptr) return;
  hidden_ = static_cast<Index>(mlp->hidden);
  activation_ = mlp->activation;
  p_ = hidden_ * features_ + scores_ * (hidden_ + 1);
}

void Network::forward(const Rows& x, const double* theta, Pass& pass) const {
  // out = W x^T, a column for each record: faster as x W^T into the same places, with the same bits.
  const auto multiply = [&](Index outputs, MatrixXd& out) {
    out.resize(outputs, x.rows());
    Map<Records>(out.data(), x.rows(), outputs).noalias() =
        x * Weights(theta, outputs, features_).transpose();
  };
  if (!hidden()) return multiply(scores_, pass.scores);
  multiply(hidden_, pass.hidden);
  if (activation_ == HiddenFunction::kRelu) {
    pass.hidden = pass.hidden.cwiseMax(0);
  } else {
    pass.hidden = pass.hidden.array().tanh();
  }
  const double* const w = theta + hidden_ * features_;
  pass.scores.noalias() = Weights(w, scores_, hidden_) * pass.hidden;
  pass.scores.colwise() += Map<const VectorXd>(w + scores_ * hidden_, scores_);
}

void Network::backward(const Targets& y, const double* theta, Pass& pass) const {
  MatrixXd& s = pass.scores;
  if (loss_.scalar()) {
    loss_.visit([&](const auto& l) {
      for (Index k = 0; k < y.size(); ++k) s(0, k) = l.slope(s(0, k), y[k]);
    });
  } else {
    // Plain loops: for ten classes a library's reductions cost more than the products of a small batch.
    const Index classes = s.rows();
    double* own = s.data();
    for (Index k = 0; k < y.size(); ++k, own += classes) {
      double most = own[0];  // without a branch that depends on the numbers
      for (Index c = 1; c < classes; ++c) most = std::max(most, own[c]);
      for (Index c = 0; c < classes; ++c) own[c] -= most;
    }
    s = s.array().exp();
    own = s.data();
    for (Index k = 0; k < y.size(); ++k, own += classes) {
      double sum = 0;
      for (Index c = 0; c < classes; ++c) sum += own[c];
      const double factor = 1 / sum;
      for (Index c = 0; c < classes; ++c) own[c] *= factor;
      own[static_cast<Index>(y[k])] -= 1;
    }
  }
  if (!hidden()) return;
  pass.back.resize(hidden_, y.size());
  row_product<false>(s.data(), {scores_, 1}, theta + hidden_ * features_, pass.back.data(), y.size(), scores_,
                     hidden_);
  // f'(z) as a function of f(z).
  if (activation_ == HiddenFunction::kRelu) {
    pass.back.array() *= (pass.hidden.array() > 0).cast<double>();
  } else {
    pass.back.array() *= 1 - pass.hidden.array().square();
  }
}

void Network::norms(const Rows& x, Norm norm, Pass& pass) const {
  // The norm, or its square.
  const auto length = [&](const auto& v) {
    return norm == Norm::kL1 ? v.template lpNorm<1>() : v.squaredNorm();
  };
  pass.norms.resize(x.rows());
  for (Index k = 0; k < x.rows(); ++k) {
    const double delta = length(pass.scores.col(k)), features = length(x.row(k));
    const double own = hidden()
                           ? length(pass.back.col(k)) * features + delta * (length(pass.hidden.col(k)) + 1)
                           : delta * features;
    pass.norms[k] = norm == Norm::kL1 ? own : std::sqrt(own);
  }
}

template <bool add>
Index Network::gradients(const Rows& x, const Targets& y, const double* theta, double factor, double bound,
                         Norm norm, double* to) const {
  Pass& own = pass();
  forward(x, theta, own);
  backward(y, theta, own);
  Index scaled = 0;
  if (std::isfinite(bound)) {
    norms(x, norm, own);
    for (Index k = 0; k < y.size(); ++k) {
      const double shorter = shortening(own.norms[k], bound);
      scaled += shorter < 1 ? 1 : 0;
      if (shorter > 0) {
        own.scores.col(k) *= factor * shorter;
        if (hidden()) own.back.col(k) *= factor * shorter;
      } else {
        own.scores.col(k).setZero();
        if (!hidden()) continue;
        own.back.col(k).setZero();
        own.hidden.col(k).setZero();  // it need not be finite
      }
    }
  } else if (factor != 1) {
    own.scores *= factor;
    if (hidden()) own.back *= factor;
  }
  // delta^T x and the like: sums over the records.
  const auto outer = [&](const MatrixXd& slopes, const double* inputs, Index columns) {
    row_product<add>(slopes.data(), {1, slopes.rows()}, inputs, to, slopes.rows(), y.size(), columns);
    to += slopes.rows() * columns;
  };
  if (!hidden()) {
    outer(own.scores, x.data(), features_);
    return scaled;
  }
  outer(own.back, x.data(), features_);
  outer(own.scores, own.hidden.data(), hidden_);
  Map<VectorXd> constants(to, scores_);
  if (!add) constants.setZero();
  constants += own.scores.rowwise().sum();
  return scaled;
}

Index Network::sum_gradients(const Shard& shard, In theta, double bound, Norm norm, Out out) const {
  out.setZero();
  std::atomic<Index> scaled = 0;
  const Index n = shard.target.size();
  sim::Crew::sum_in_order(blocks_of(n), static_cast<std::size_t>(p_),
                          static_cast<double>(n) * static_cast<double>(p_), out.data(),
                          [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                            for_blocks(n, begin, end, [&](Index first, Index count) {
                              // A block's sum is rounded before it is added, as with several threads.
                              VectorXd& sum = pass().sum;
                              sum.resize(p_);
                              scaled += gradients<false>(shard.features.middleRows(first, count),
                                                         shard.target.segment(first, count), theta.data(), 1,
                                                         bound, norm, sum.data());
                              Map<VectorXd>(to, p_) += sum;
                              to += stride;
                            });
                          });
  return scaled;
}

Index Network::sum_gradients(const Shard& shard, std::span<const Index> records, In theta, double factor,
                             double bound, Norm norm, Out out) const {
  if (records.empty()) out.setZero();
  Pass& own = pass();
  Index scaled = 0;
  for (std::size_t first = 0; first < records.size(); first += kRecords) {
    const auto some = records.subspan(first, std::min<std::size_t>(kRecords, records.size() - first));
    const auto count = static_cast<Index>(some.size());
    own.records.resize(count, features_);
    own.targets.resize(count);
    for (Index k = 0; k < count; ++k) {
      own.records.row(k) = shard.features.row(some[static_cast<std::size_t>(k)]);
      own.targets[k] = shard.target[some[static_cast<std::size_t>(k)]];
    }
    const auto block = [&](auto adds) {
      return gradients<decltype(adds)::value>(own.records, own.targets, theta.data(), factor, bound, norm,
                                              out.data());
    };
    scaled += first == 0 ? block(std::false_type{}) : block(std::true_type{});
  }
  return scaled;
}

template <class F>
double Network::total(const Shard& shard, In theta, F&& f) const {
  const Index n = shard.target.size();
  double sum = 0;
  sim::Crew::sum_in_order(blocks_of(n), 1, static_cast<double>(n) * static_cast<double>(p_) / 2, &sum,
                          [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                            for_blocks(n, begin, end, [&](Index first, Index count) {
                              Pass& own = pass();
                              forward(shard.features.middleRows(first, count), theta.data(), own);
                              *to += f(shard.target.segment(first, count), own);
                              to += stride;
                            });
                          });
  return sum;
}

double Network::total_loss(const Shard& shard, In theta) const {
  return total(shard, theta, [&](const auto& y, const Pass& own) {
    double sum = 0;
    if (loss_.scalar()) {
      for (Index k = 0; k < y.size(); ++k) sum += loss_.value(own.scores(0, k), y[k]);
      return sum;
    }
    for (Index k = 0; k < y.size(); ++k) {
      const auto s = own.scores.col(k).array();
      const double most = s.maxCoeff();
      sum += most - s[static_cast<Index>(y[k])] + std::log((s - most).exp().sum());
    }
    return sum;
  });
}

double Network::total_error(const Shard& shard, In theta) const {
  return total(shard, theta, [&](const auto& y, const Pass& own) {
    double sum = 0;
    for (Index k = 0; k < y.size(); ++k) {
      Index best = 0;
      if (loss_.scalar()) {
        sum += loss_.error(own.scores(0, k), y[k]);
      } else {
        own.scores.col(k).maxCoeff(&best);
        sum += best == static_cast<Index>(y[k]) ? 0 : 1;
      }
    }
    return sum;
  });
}

double Network::largest_gradient(const Shard& shard, In theta, Norm norm) const {
  double largest = 0;
  Pass& own = pass();
  for_blocks(shard.target.size(), 0, blocks_of(shard.target.size()), [&](Index first, Index count) {
    const auto x = shard.features.middleRows(first, count);
    forward(x, theta.data(), own);
    backward(shard.target.segment(first, count), theta.data(), own);
    norms(x, norm, own);
    largest = std::max(largest, own.norms.maxCoeff());
  });
  return largest;
}

}  // namespace hearsay::models
