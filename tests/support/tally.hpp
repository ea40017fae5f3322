#pragma once
// That two runs have counted the same, to the bit.
#include <catch2/catch.hpp>

#include <bit>
#include <cstdint>

#include "models/run/world.hpp"

namespace hearsay::test {

inline void check_same(const models::Tally& a, const models::Tally& b) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };  // NaN is the same as NaN
  CHECK(a.projections == b.projections);
  CHECK(a.clipped == b.clipped);
  CHECK(a.gradients == b.gradients);
  CHECK(bits(a.clipped_records) == bits(b.clipped_records));
  CHECK(bits(a.noise) == bits(b.noise));
  CHECK(bits(a.expected_noise) == bits(b.expected_noise));
  CHECK(a.updates == b.updates);
  CHECK(bits(a.staleness_steps) == bits(b.staleness_steps));
  CHECK(bits(a.staleness_time) == bits(b.staleness_time));
}

}  // namespace hearsay::test
