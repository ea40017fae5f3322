#pragma once
// One pass over an owner's records that sums their gradients, in blocks that stay in the first-level cache:
// first the scores of a block, then the weighted sum of those of its records whose weight is not 0.
//
// Features go four at a time; where p is no multiple of 4 the last four overlap those before them and theta
// is 0 on the overlap. So the order in which numbers are added, and with it every bit of the result, is the
// same whatever the machine and the compiler make of it. Several threads take a block each and add the blocks' sums
// in their order (sim/parallel/crew.hpp), which changes no bit either.
#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <span>

#include "models/data/data_set.hpp"
#include "sim/parallel/crew.hpp"

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace hearsay::models {

namespace record_pass {

using Eigen::Index;
using Four = Eigen::Array4d;
constexpr Index kBlock = 64;  // records
constexpr Index kMost = 256;  // features whose sums are kept on the stack at a time

inline std::size_t blocks_of(Index records) {
  return static_cast<std::size_t>((records + kBlock - 1) / kBlock);
}
/// About what a pass over a shard takes one thread, ns.
inline double time_of(const Shard& shard) {
  return static_cast<double>(shard.features.size());
}

inline Four load(const double* x) {
  return Eigen::Map<const Four>(x);
}
inline double sum(const Four& x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}
/// The four sums of four fours.
inline Four sums(const Four& a, const Four& b, const Four& c, const Four& d) {
#ifdef __AVX__
  const auto wide = [](const Four& x) { return _mm256_loadu_pd(x.data()); };
  const __m256d ab = _mm256_hadd_pd(wide(a), wide(b));  // a0 + a1, b0 + b1, a2 + a3, b2 + b3
  const __m256d cd = _mm256_hadd_pd(wide(c), wide(d));
  Four all;
  _mm256_storeu_pd(all.data(),
                   _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31)));
  return all;
#else
  return {sum(a), sum(b), sum(c), sum(d)};
#endif
}

/// Where the i-th four of p >= 4 features begin, i < (p + 3)/4.
inline Index begin_of(Index i, Index p) {
  return std::min(4 * i, p - 4);
}

/// The last four of theta, 0 where the four before them have been already.
inline Four last_of(const double* theta, Index p) {
  Four last = load(theta + p - 4);
  for (Index j = 0; j < (4 - p % 4) % 4; ++j) last[j] = 0;
  return last;
}

/// f(begin, end) for ranges of the records of a shard, on several threads.
template <class F>
void for_ranges(const Shard& shard, F&& f) {
  sim::Crew::divide(
      static_cast<std::size_t>(shard.target.size()), time_of(shard),
      [&](std::size_t begin, std::size_t end) { f(static_cast<Index>(begin), static_cast<Index>(end)); });
}

/// scores[k] = x_k . theta for `count` records at x, p numbers each.
inline void scores(const double* x, Index count, Index p, const double* theta, double* out) {
  if (p < 4) {
    for (Index k = 0; k < count; ++k, x += p) {
      out[k] = 0;
      for (Index j = 0; j < p; ++j) out[k] += x[j] * theta[j];
    }
    return;
  }
  const Index whole = (p - 1) / 4;  // fours but for the last
  const Four last = last_of(theta, p);
  Index k = 0;
  for (; k + 4 <= count; k += 4, x += 4 * p) {
    const double *x0 = x, *x1 = x + p, *x2 = x + 2 * p, *x3 = x + 3 * p;
    Four s0 = load(x0 + p - 4) * last, s1 = load(x1 + p - 4) * last, s2 = load(x2 + p - 4) * last,
         s3 = load(x3 + p - 4) * last;
    for (Index j = 0; j < 4 * whole; j += 4) {
      const Four t = load(theta + j);
      s0 += load(x0 + j) * t;
      s1 += load(x1 + j) * t;
      s2 += load(x2 + j) * t;
      s3 += load(x3 + j) * t;
    }
    Eigen::Map<Four>(out + k) = sums(s0, s1, s2, s3);
  }
  for (; k < count; ++k, x += p) {
    Four s = load(x + p - 4) * last;
    for (Index j = 0; j < 4 * whole; j += 4) s += load(x + j) * load(theta + j);
    out[k] = sum(s);
  }
}

/// out[j] += sum of weights[k] row_k[j] over `count` rows, for `width` features, at most kMost.
inline void add_rows(const double* const* rows, const double* weights, Index count, Index first, Index width,
                     double* out) {
  if (width < 4) {
    for (Index j = first; j < first + width; ++j) {
      double total = 0;
      for (Index k = 0; k < count; ++k) total += weights[k] * rows[k][j];
      out[j] += total;
    }
    return;
  }
  const Index fours = (width + 3) / 4;
  Four sums[kMost / 4];
  for (Index i = 0; i < fours; ++i) sums[i].setZero();
  Index k = 0;
  for (; k + 4 <= count; k += 4) {
    const double *x0 = rows[k] + first, *x1 = rows[k + 1] + first, *x2 = rows[k + 2] + first,
                 *x3 = rows[k + 3] + first;
    const double w0 = weights[k], w1 = weights[k + 1], w2 = weights[k + 2], w3 = weights[k + 3];
    for (Index i = 0; i < fours; ++i) {
      const Index j = begin_of(i, width);
      sums[i] += (load(x0 + j) * w0 + load(x1 + j) * w1) + (load(x2 + j) * w2 + load(x3 + j) * w3);
    }
  }
  for (; k < count; ++k) {
    for (Index i = 0; i < fours; ++i) sums[i] += load(rows[k] + first + begin_of(i, width)) * weights[k];
  }
  for (Index j = 0; j < width; ++j) {
    const Index i = j / 4;
    out[first + j] += sums[i][j - begin_of(i, width)];
  }
}

}  // namespace record_pass

/// out = sum_k w_k x_k over the records of a shard. `weigh(block, targets, first)` turns the scores theta . x_k of
/// records first, first + 1, ..., at most 64, into their w_k in place, on any thread; what it returns, a number of
/// records, is summed. `known`: the scores of all records at theta, where total_loss has kept them, which saves half
/// of the pass; else empty. Allocates nothing, except when several threads do it first. O(n_i p): about 1e9
/// records times features a second from memory, 2e9 to 5e9 from the caches (tests/bench/gradient_bench.cpp).
template <class Weigh>
Eigen::Index sum_weighted(const Shard& shard, const Eigen::Ref<const Eigen::VectorXd>& theta,
                          std::span<const double> known, Eigen::Ref<Eigen::VectorXd> out, Weigh&& weigh) {
  using namespace record_pass;
  out.setZero();
  const Index n = shard.target.size(), p = shard.features.cols();
  // Adds the sum over a block.
  const auto add_block = [&](Index first, double* to) -> Index {
    double weights[kBlock];
    const double* rows[kBlock];
    const Index count = std::min(kBlock, n - first);
    const double* const block = shard.features.data() + first * p;
    if (known.empty()) {
      scores(block, count, p, theta.data(), weights);
    } else {
      std::copy_n(known.data() + first, count, weights);
    }
    const Index counted = weigh(Eigen::Map<Eigen::ArrayXd>(weights, count),
                                Eigen::Map<const Eigen::ArrayXd>(shard.target.data() + first, count), first);
    Index used = 0;
    for (Index k = 0; k < count; ++k) {
      const double w = weights[k];
      weights[used] = w;
      rows[used] = block + k * p;
      used += w != 0 ? 1 : 0;
    }
    for (Index j = 0; j < p; j += kMost) add_rows(rows, weights, used, j, std::min(kMost, p - j), to);
    return counted;
  };
  std::atomic<Index> counted = 0;
  sim::Crew::sum_in_order(blocks_of(n), static_cast<std::size_t>(p), time_of(shard), out.data(),
                          [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                            Index own = 0;
                            for (std::size_t b = begin; b < end; ++b, to += stride)
                              own += add_block(static_cast<Index>(b) * kBlock, to);
                            if (own != 0) counted += own;
                          });
  return counted;
}

/// The same with w_k = weight(s_k, y_k, k), one record at a time.
template <class Weight>
void sum_gradients(const Shard& shard, const Eigen::Ref<const Eigen::VectorXd>& theta,
                   std::span<const double> known, Eigen::Ref<Eigen::VectorXd> out, Weight&& weight) {
  sum_weighted(shard, theta, known, out, [&](auto block, const auto& targets, Eigen::Index first) {
    for (Eigen::Index k = 0; k < block.size(); ++k) block[k] = weight(block[k], targets[k], first + k);
    return Eigen::Index{0};
  });
}

/// Sum of a loss over the records of a shard. The scores of all records are left in `keep` unless it is empty. O(n_i p).
template <class L>
double total_loss(const Shard& shard, const Eigen::Ref<const Eigen::VectorXd>& theta, const L& loss,
                  std::span<double> keep = {}) {
  using namespace record_pass;
  constexpr bool kBlockwise = requires(Eigen::Map<const Eigen::ArrayXd> s) {
    loss.total(s, s);
  };
  const Index n = shard.target.size(), p = shard.features.cols();
  double sum = 0;
  // A term is the sum over a block for a loss that has one, else a record's.
  const Index size = kBlockwise ? kBlock : 1;
  sim::Crew::sum_in_order(kBlockwise ? blocks_of(n) : static_cast<std::size_t>(n), 1, time_of(shard), &sum,
                          [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                            double passing[kBlock];
                            const Index last = std::min(static_cast<Index>(end) * size, n);
                            for (Index first = static_cast<Index>(begin) * size; first < last;
                                 first += kBlock) {
                              const Index count = std::min(kBlock, last - first);
                              double* const block = keep.empty() ? passing : keep.data() + first;
                              scores(shard.features.data() + first * p, count, p, theta.data(), block);
                              const Eigen::Map<const Eigen::ArrayXd> s(block, count);
                              const Eigen::Map<const Eigen::ArrayXd> y(shard.target.data() + first, count);
                              if constexpr (kBlockwise) {
                                *to += loss.total(s, y);
                                to += stride;
                              } else {
                                for (Index k = 0; k < count; ++k, to += stride) *to += loss.value(s[k], y[k]);
                              }
                            }
                          });
  return sum;
}

}  // namespace hearsay::models
