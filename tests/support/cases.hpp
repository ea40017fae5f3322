#pragma once
// Cases of tests that compute long: fewer under sanitizers, which take twenty times as long.
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace hearsay::test {

/// One of so many cases is tried.
#ifdef HEARSAY_SANITIZED
inline constexpr std::size_t kOneOf = 8;
#else
inline constexpr std::size_t kOneOf = 1;
#endif

/// All cases; under sanitizers the first alone.
template <class T>
std::vector<T> cases(std::initializer_list<T> all) {
  if constexpr (kOneOf == 1) return all;
  return {*all.begin()};
}

}  // namespace hearsay::test
