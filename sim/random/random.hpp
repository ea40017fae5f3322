#pragma once
// The distributions that hearsay draws from, over a Stream; of Boost.Random, whose output, unlike the
// standard library's, is the same everywhere.
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <boost/random/uniform_real_distribution.hpp>

#include <cstdint>

#include "sim/random/stream.hpp"

namespace hearsay::sim {

/// Uniform on [low, high).
inline double uniform(Stream& s, double low = 0, double high = 1) {
  return low < high ? boost::random::uniform_real_distribution<double>(low, high)(s) : low;
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
