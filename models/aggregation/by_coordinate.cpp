#include "models/aggregation/by_coordinate.hpp"

#include <bit>

namespace hearsay::models {

using Eigen::Index;

namespace {

// The mean of `count` values from place `first` on in the order of each coordinate.
void mean_of_places(const Gathered& in, Index first, Index count, Eigen::VectorXd& out) {
  out.resize(in.x.rows());
  OrderedCoordinates(in.size, first, count).each(in, [&](const auto& block, Index from, Index lanes) {
    out.segment(from, lanes) = block.middleCols(first, count).rowwise().mean().head(lanes);
  });
}

}  // namespace

OrderedCoordinates::OrderedCoordinates(Index n) {
  const Index top = static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(n))) / 2;
  for (Index p = top; p > 0; p /= 2) {
    for (Index q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
      for (Index i = 0; i + d < n; ++i)
        if ((i & p) == r) compared_.emplace_back(i, i + d);
      if (q == p) break;
    }
  }
}

OrderedCoordinates::OrderedCoordinates(Index n, Index first, Index count) : OrderedCoordinates(n) {
  // From the last comparison back: two places that are both kept, or both not, need not be compared.
  enum Use : char { kNone, kKept, kCompared };
  std::vector<Use> use(static_cast<std::size_t>(n), kNone);
  std::fill_n(use.begin() + first, count, kKept);
  std::vector<std::pair<Index, Index>> needed;
  for (auto one = compared_.rbegin(); one != compared_.rend(); ++one) {
    Use &a = use[static_cast<std::size_t>(one->first)], &b = use[static_cast<std::size_t>(one->second)];
    if (a == b && a != kCompared) continue;
    a = b = kCompared;
    needed.push_back(*one);
  }
  compared_.assign(needed.rbegin(), needed.rend());
}

void OrderedCoordinates::order(Block& block) const {
  constexpr Index kTogether = 8;  // few enough for the registers
  using Lanes = Eigen::Array<double, kTogether, 1>;
  for (const auto& [a, b] : compared_) {
    double* const x = block.col(a).data();
    double* const y = block.col(b).data();
    for (Index lane = 0; lane < kLanes; lane += kTogether) {
      Eigen::Map<Lanes> first(x + lane), second(y + lane);
      const Lanes low = first, high = second;
      first = low.min(high);
      second = low.max(high);
    }
  }
}

bool MedianRule::operator()(const Gathered& in, Eigen::VectorXd& out) const {
  mean_of_places(in, (in.size - 1) / 2, 2 - in.size % 2, out);
  return true;
}

bool TrimmedMeanRule::operator()(const Gathered& in, Eigen::VectorXd& out) const {
  if (!enough(in)) return false;
  mean_of_places(in, f, in.size - 2 * static_cast<Index>(f), out);
  return true;
}

bool MeanAroundMedianRule::operator()(const Gathered& in, Eigen::VectorXd& out) const {
  if (!enough(in)) return false;
  out.resize(in.x.rows());
  const Index n = in.size;
  OrderedCoordinates(n).each(in, [&](const auto& block, Index first, Index lanes) {
    for (Index lane = 0; lane < lanes; ++lane) {
      const auto z = block.row(lane);
      const double median = (z[(n - 1) / 2] + z[n / 2]) / 2;
      Index low = 0, high = n;  // those that are left
      for (std::uint32_t k = 0; k < f; ++k) z[high - 1] - median >= median - z[low] ? --high : ++low;
      out[first + lane] = z.segment(low, high - low).mean();
    }
  });
  return true;
}

}  // namespace hearsay::models
