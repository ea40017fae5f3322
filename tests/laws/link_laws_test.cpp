#include <catch2/catch.hpp>

#include <cmath>

#include "sim/network/links.hpp"
#include "sim/network/network.hpp"
#include "sim/random/random.hpp"
#include "tests/support/distribution_functions.hpp"
#include "tests/support/script.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kPair;

namespace {

constexpr std::uint32_t kMessages = 200'000;
// Latencies of the messages that arrive, out of kMessages from 0 to 1, or back.
std::vector<double> latencies(const Distribution& law, double loss, bool back = false,
                              std::uint64_t seed = 21) {
  Links links(LinkOptions{.latency = law, .loss = BernoulliLoss{loss}}, kPair, Streams(seed, 0), kNoAgent,
              {});
  std::vector<double> all;
  for (std::uint32_t n = 0; n < kMessages; ++n) {
    if (const Fate fate = links.transmit(back ? 1 : 0, back ? 0 : 1, back ? 1 : 0); !fate.lost)
      all.push_back(fate.latency);
  }
  return all;
}

}  // namespace

TEST_CASE("latency: draws follow the configured law") {
  for (const auto& known : test::known_laws()) {
    INFO(known.name);
    CHECK(known.law.mean() == Approx(known.mean));
    const auto all = latencies(known.law, 0);
    REQUIRE(all.size() == kMessages);
    CHECK(test::ks_distance(all, known.cdf) < test::dkw_threshold(kMessages));
    for (const double x : all) {
      if (x < known.law.lower() || x > known.law.upper()) FAIL("a draw lies outside the support");
    }
  }
}

TEST_CASE("distribution: size-biased draws follow the density x f(x) / mean") {
  for (const auto& known : test::known_laws()) {
    INFO(known.name);
    const Streams streams(22, 0);
    std::vector<double> all(kMessages);
    for (std::uint32_t n = 0; n < kMessages; ++n) {
      Stream s = streams(Purpose::kAvailability, 0, 0, n);
      all[n] = known.law.sample_size_biased(s);
    }
    CHECK(test::ks_distance(all, known.size_biased) < test::dkw_threshold(kMessages));
  }
}

TEST_CASE("loss: messages are lost with the configured probability, whatever their latency") {
  for (const double p : {0.001, 0.1, 0.5, 0.98}) {
    const auto arrived = latencies(Uniform{0, 1}, p);
    CHECK(test::binomial_plausible(kMessages - arrived.size(), kMessages, p));
    CHECK(test::ks_distance(arrived, [](double x) { return x; }) < test::dkw_threshold(arrived.size()));
  }
}

TEST_CASE("loss: the losses of successive messages are independent") {
  const double p = 0.3;
  Links links(LinkOptions{.latency = 0.0, .loss = BernoulliLoss{p}}, kPair, Streams(23, 0), kNoAgent, {});
  std::uint64_t pairs = 0;
  for (std::uint32_t n = 0; n < kMessages; ++n) {
    const bool first = links.transmit(0, 1, 0).lost.has_value(),
               second = links.transmit(0, 1, 0).lost.has_value();
    pairs += first && second ? 1u : 0u;
  }
  CHECK(test::binomial_plausible(pairs, kMessages, p * p));
}

TEST_CASE("latency: the two directions of an edge, and messages on one, are independent") {
  const auto there = latencies(Uniform{0, 1}, 0), back = latencies(Uniform{0, 1}, 0, true);
  const double threshold = test::centred_product_threshold(kMessages - 1);
  CHECK(std::abs(test::centred_product(there, back)) < threshold);
  CHECK(std::abs(test::centred_product({there.begin(), there.end() - 1}, {there.begin() + 1, there.end()})) <
        threshold);
}
