#pragma once
// The distributions that hearsay draws from, over a Stream; of Boost.Random, whose output, unlike the
// standard library's, is the same everywhere. uniform has the numbers of Boost's, which branches on a word's first bit:
// half of these branches are mispredicted.
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include <cmath>
#include <cstdint>

#include "sim/random/stream.hpp"

namespace hearsay::sim {

/// The number nearest to word/2^64: its halves are exact, and their sum is rounded once.
inline double fraction_of(std::uint64_t word) {
  return static_cast<double>(static_cast<std::int64_t>(word >> 32)) * 0x1p-32 +
         static_cast<double>(static_cast<std::int64_t>(word & 0xFFFF'FFFF)) * 0x1p-64;
}
/// Uniform on [low, high); low unless it is less than high.
inline double uniform(Stream& s, double low = 0, double high = 1) {
  if (!(low < high)) return low;
  const double width = high - low;
  if (std::isinf(width)) return 2 * uniform(s, low / 2, high / 2);
  for (;;) {
    const double x = fraction_of(s()) * width + low;
    if (x < high) return x;
  }
}
/// Uniform on {0, ..., count - 1}; count > 0.
inline std::uint64_t uniform_index(Stream& s, std::uint64_t count) {
  return boost::random::uniform_int_distribution<std::uint64_t>(0, count - 1)(s);
}
/// Exponential of the given mean.
inline double exponential(Stream& s, double mean = 1) {
  return mean * boost::random::exponential_distribution<double>()(s);
}
/// Normal.
inline double normal(Stream& s, double mean = 0, double deviation = 1) {
  return mean + deviation * boost::random::normal_distribution<double>()(s);
}
/// Gamma of the given shape and scale (mean shape * scale).
inline double gamma(Stream& s, double shape, double scale = 1) {
  return boost::random::gamma_distribution<double>(shape, scale)(s);
}
/// True with probability p.
inline bool bernoulli(Stream& s, double p) {
  return uniform(s) < p;
}

}  // namespace hearsay::sim
