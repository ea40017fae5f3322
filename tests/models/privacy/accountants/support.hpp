#pragma once
// Random inputs of the accountants' tests.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/accountants/numerics.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"

namespace hearsay::test {

/// Seeded with `seed`, or freshly with HEARSAY_TEST_SEED=random, or with the number given there; the seed in
/// use is part of every failure's message (INFO).
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(chosen(seed)), engine_(seed_) {}
  std::uint64_t seed() const { return seed_; }

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::int64_t log_whole(std::int64_t low, std::int64_t high) {
    return std::llround(log_uniform(static_cast<double>(low), static_cast<double>(high)));
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  static std::uint64_t chosen(std::uint64_t seed) {
    const char* wish = std::getenv("HEARSAY_TEST_SEED");
    if (wish == nullptr || *wish == '\0') return seed;
    if (std::string(wish) != "random") return std::stoull(wish);
    const std::uint64_t fresh = std::random_device{}();
    WARN("HEARSAY_TEST_SEED=" << fresh);
    return fresh;
  }

  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

inline Approx near(double value, double relative) {
  return Approx(value).epsilon(relative).scale(0);
}

/// `steps` equal pure steps.
inline models::Releases pure_releases_of(double epsilon, std::int64_t steps) {
  return {models::Step{.epsilon = epsilon}, steps};
}

inline double epsilon(const models::Releases& releases, models::Accountant accountant, double delta,
                      models::Adjacency adjacency = models::Adjacency::kAddRemove) {
  return total_guarantee(releases, {accountant, delta, adjacency}).epsilon;
}

inline models::Releases shuffled(const models::Releases& releases, Random& random) {
  std::vector<models::StepRun> runs(releases.runs().begin(), releases.runs().end());
  models::Releases result;
  for (std::size_t left = runs.size(); left > 0; --left) {
    const auto k = static_cast<std::size_t>(random.whole(0, static_cast<std::int64_t>(left) - 1));
    result.add(runs[k].step, runs[k].count);
    runs[k] = runs[left - 1];
  }
  return result;
}

}  // namespace hearsay::test
