#pragma once
// The norm in which a vector's size, and with it a sensitivity, is measured.
#include <cmath>
#include <string_view>

namespace hearsay::models {

enum class Norm { kL1, kL2 };

/// norm_2, also where its square is too large for a double.
template <class V>
double length_of(const V& x) {
  const double length = x.norm();
  return std::isfinite(length) ? length : x.stableNorm();
}

/// What a vector of that length is multiplied by so that its length is at most `bound`: 1, bound/length, or 0 where the
/// length is not finite. Then the vector must be left out, since 0 times it is no number: no noise would hide it.
inline double shortening(double length, double bound) {
  const double factor = bound / length;
  return length <= bound ? 1.0 : factor > 0 ? factor : 0.0;
}

constexpr std::string_view name_of(Norm norm) {
  return norm == Norm::kL1 ? "L1" : "L2";
}

}  // namespace hearsay::models
