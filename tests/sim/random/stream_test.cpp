#include "sim/random/stream.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "sim/laws/distribution.hpp"
#include "sim/random/elementary.hpp"
#include "sim/random/random.hpp"
#include "sim/random/words_ahead.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay::sim;
using hearsay::test::kStreams;

// Random123 1.14, tests/kat_vectors.
TEST_CASE("philox4x32-10: known answers") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) ==
        std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
        std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox4x32-10: many counters at once have the bits that each has alone") {
  const PhiloxKey key{0xa4093822, 0x299f31d0}, mirrored{key.first, key.second, ~0u};
  for (std::uint32_t count = 0; count < 40; ++count) {
    std::vector<PhiloxBlock> counters, expected, complements;
    for (std::uint32_t k = 0; k < count; ++k) {
      counters.push_back({k * 0x9e3779b9u, ~k, k << 28, 0xffff0000u + k});
      expected.push_back(philox4x32(counters.back(), key));
      complements.push_back(expected.back());
      for (std::uint32_t& word : complements.back()) word = ~word;
      CHECK(philox4x32(counters.back(), mirrored) == complements.back());
    }
    std::vector<PhiloxBlock> blocks = counters;
    philox4x32(std::span(blocks), key);
    CHECK(blocks == expected);
    philox4x32(std::span(counters), mirrored);
    CHECK(counters == complements);
  }
  std::vector<PhiloxBlock> known(8, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344});
  philox4x32(std::span(known), key);
  CHECK(known == std::vector<PhiloxBlock>(8, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_CASE("stream: words are the blocks of its counter, two words a block") {
  const Stream::Key key{0xa4093822, 0x299f31d0};
  Stream s(key, 7, 9, 5);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const auto expected = philox4x32({block, 5, 7, 9}, key);
    CHECK(s() == (expected[0] | std::uint64_t{expected[1]} << 32));
    CHECK(s() == (expected[2] | std::uint64_t{expected[3]} << 32));
  }
}

TEST_CASE("stream: words that are skipped are those that would have been drawn") {
  for (const std::uint64_t before : {0U, 1U, 2U, 3U}) {
    for (const std::uint64_t skipped : {0U, 1U, 2U, 3U, 8U, 1001U}) {
      Stream drawn({1, 2}, 7, 9, 5), other = drawn;
      for (std::uint64_t k = 0; k < before + skipped; ++k) drawn();
      for (std::uint64_t k = 0; k < before; ++k) other();
      other.skip(skipped);
      CHECK(other.drawn() == before + skipped);
      CHECK(drawn.drawn() == before + skipped);
      for (int k = 0; k < 3; ++k) CHECK(other() == drawn());
    }
  }
}

TEST_CASE("stream: blocks are those that its words are taken from") {
  const Stream::Key key{0xa4093822, 0x299f31d0};
  Stream s(key, 7, 9, 5);
  s();
  std::array<Stream::Block, 5> blocks{};
  s.blocks(3, blocks);
  for (std::uint32_t k = 0; k < blocks.size(); ++k) CHECK(blocks[k] == philox4x32({3 + k, 5, 7, 9}, key));
  CHECK(s.drawn() == 1);
}

TEST_CASE("words ahead: those of the stream, which continues after the last word that was taken") {
  for (const std::uint64_t before : {0U, 1U, 2U, 3U}) {
    for (const std::size_t expected : {0U, 1U, 3U, 4U, 7U, 20U, 33U, 100U}) {
      for (const std::uint64_t taken : {0U, 1U, 2U, 5U, 32U, 33U, 34U, 101U}) {
        CAPTURE(before, expected, taken);
        Stream one_by_one({1, 2}, 7, 9, 5), other = one_by_one;
        for (std::uint64_t k = 0; k < before; ++k) CHECK(one_by_one() == other());
        {
          WordsAhead words(other, expected);
          for (std::uint64_t k = 0; k < taken; ++k) CHECK(words() == one_by_one());
        }
        CHECK(other.drawn() == before + taken);
        for (int k = 0; k < 3; ++k) CHECK(other() == one_by_one());
      }
    }
  }
}

TEST_CASE("streams: the key of a purpose is Philox of seed, repetition and purpose") {
  const Streams streams(0x299f31d0a4093822ull, 3);
  const auto expected = philox4x32({3, 7, 0, 0}, {0xa4093822, 0x299f31d0});
  CHECK(streams.key(Purpose::kNoise) == Stream::Key{expected[0], expected[1]});
}

TEST_CASE("streams: seed, repetition, purpose, entity and index each select another stream") {
  const Streams a(1, 0), b(2, 0), c(1, 1);
  const auto first = a(Purpose::kClock, 4, 0, 2)();
  CHECK(a(Purpose::kClock, 4, 0, 2)() == first);
  CHECK(b(Purpose::kClock, 4, 0, 2)() != first);
  CHECK(c(Purpose::kClock, 4, 0, 2)() != first);
  CHECK(a(Purpose::kLatency, 4, 0, 2)() != first);
  CHECK(a(Purpose::kClock, 5, 0, 2)() != first);
  CHECK(a(Purpose::kClock, 4, 1, 2)() != first);
  CHECK(a(Purpose::kClock, 4, 0, 3)() != first);
  CHECK(a.protocol(1, 4, 0, 2)() != a.protocol(2, 4, 0, 2)());
}

namespace {

constexpr std::array kNetwork{Purpose::kClock,        Purpose::kLatency,    Purpose::kLoss,
                              Purpose::kAvailability, Purpose::kOnlineTick, Purpose::kOnlineMessage,
                              Purpose::kCompute};

// The second repetition of an antithetic pair, the first, and the second as it is without the option.
const Streams kMirrored(5, 7, true), kFirst(5, 6, true), kPlainFirst(5, 6), kPlainSecond(5, 7);

}  // namespace

TEST_CASE("antithetic: the network of the second repetition of a pair draws 1 - u where the first draws u") {
  for (const Purpose purpose : kNetwork) {
    for (std::uint32_t index = 0; index < 200; ++index) {
      Stream first = kFirst(purpose, 3, 4, index), mirrored = kMirrored(purpose, 3, 4, index);
      CHECK(std::abs(uniform(first) + uniform(mirrored) - 1) <= std::numeric_limits<double>::epsilon());
      CHECK(first() == ~mirrored());
      // Also where words are drawn ahead.
      Stream other = kMirrored(purpose, 3, 4, index);
      WordsAhead ahead(other, 20);
      Stream one_by_one = kMirrored(purpose, 3, 4, index);
      for (int k = 0; k < 40; ++k) CHECK(ahead() == one_by_one());
    }
  }
}

TEST_CASE(
    "antithetic: the first of a pair draws what it draws alone, of the second only network and noise differ") {
  for (std::uint32_t p = 1; p < 16; ++p) {
    const auto purpose = static_cast<Purpose>(p);
    CHECK(kFirst(purpose, 3, 4, 5)() == kPlainFirst(purpose, 3, 4, 5)());
    const bool network = std::ranges::count(kNetwork, purpose) == 1;
    CHECK(is_of_network(purpose) == network);
    if (network || purpose == Purpose::kNoise) continue;
    CHECK(kMirrored(purpose, 3, 4, 5)() == kPlainSecond(purpose, 3, 4, 5)());
  }
  CHECK(kMirrored(Purpose::kNoise, 3, 0, 5)() == kPlainFirst(Purpose::kNoise, 3, 0, 5)());
  CHECK(kMirrored.own_noise(3, 0, 5)() == kPlainSecond(Purpose::kNoise, 3, 0, 5)());
  CHECK(kMirrored.protocol(2, 3)() == kPlainSecond.protocol(2, 3)());
  CHECK(kMirrored.mirrored());
  CHECK_FALSE(kFirst.mirrored());
  CHECK_FALSE(kPlainSecond.mirrored());
  CHECK(sizeof(Stream) == 48);
}

TEST_CASE("antithetic: mirrored draws have the law of any others, and are negatively correlated with them") {
  // Each distance fails with probability kAlpha. A correlation of 20,000 pairs has a standard deviation below 0.0071.
  constexpr std::uint32_t kCount = 20'000;
  const auto check = [](auto&& draw, const auto& law, double correlation) {
    std::vector<double> mirrored;
    double product = 0;
    for (std::uint32_t k = 0; k < kCount; ++k) {
      Stream first = kFirst(Purpose::kLatency, 1, 2, k), second = kMirrored(Purpose::kLatency, 1, 2, k);
      mirrored.push_back(draw(second));
      product += (draw(first) - mean(law)) * (mirrored.back() - mean(law)) / variance(law);
    }
    CHECK(hearsay::test::ks_distance(mirrored, [&](double x) {
            return x <= 0 && mean(law) > 0 ? 0 : cdf(law, x);
          }) < hearsay::test::dkw_threshold(kCount));
    CHECK(product / kCount < correlation);
  };
  check([](Stream& s) { return exponential(s, 2); }, boost::math::exponential(0.5), -0.5);
  check([](Stream& s) { return normal(s, 0, 1); }, boost::math::normal(0, 1), -0.3);
  check([](Stream& s) { return gamma(s, 3); }, boost::math::gamma_distribution(3.0, 1.0), 0);
}

// The elementary functions that times are drawn with, against those of the standard library with 64-bit mantissas.
namespace {

double ulps(double value, long double exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return static_cast<double>(std::abs(value - exact) / ulp);
}

// tan(pi u): u - 1/2 and u - 1 are exact, pi u is not.
long double tangent(double u) {
  constexpr long double kPi = std::numbers::pi_v<long double>;
  if (u < 0.25) return std::tan(kPi * u);
  return u < 0.75 ? -1 / std::tan(kPi * (u - 0.5)) : std::tan(kPi * (u - 1));
}

constexpr int kDraws = 300'000;

}  // namespace

TEST_CASE("elementary: e^x and ln x are within 2 units in the last place, tan(pi u) within 5") {
  Stream s = kStreams(Purpose::kLatency, 1, 2);
  double exponential_error = 0, logarithm_error = 0, near_one_error = 0, tangent_error = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double x = uniform(s, -700, 700), small = uniform(s, -2, 2), near = uniform(s, 0.5, 2),
                 u = uniform(s);
    for (const double argument : {x, small})
      exponential_error = std::max(
          exponential_error, ulps(exponential_of(argument), std::exp(static_cast<long double>(argument))));
    const double wide = exponential_of(x);
    logarithm_error =
        std::max(logarithm_error, ulps(logarithm_of(wide), std::log(static_cast<long double>(wide))));
    near_one_error =
        std::max(near_one_error, ulps(logarithm_of(near), std::log(static_cast<long double>(near))));
    tangent_error = std::max(tangent_error, ulps(tangent_of_pi(u), tangent(u)));
  }
  CHECK(exponential_error < 2);
  CHECK(logarithm_error < 2);
  CHECK(near_one_error < 2);
  CHECK(tangent_error < 5);
}

TEST_CASE("elementary: exact at simple points, and at the ends of their ranges") {
  CHECK(exponential_of(0) == 1);
  CHECK(exponential_of(1) == Approx(std::numbers::e).epsilon(4e-16));
  CHECK(exponential_of(-800) == 0);
  CHECK(std::isinf(exponential_of(710)));
  CHECK(exponential_of(709.7) == Approx(std::exp(709.7)).epsilon(1e-15));
  CHECK(exponential_of(-740) == std::exp(-740.0));  // subnormal
  CHECK(logarithm_of(1) == 0);
  CHECK(logarithm_of(2) == std::numbers::ln2);
  CHECK(logarithm_of(std::numeric_limits<double>::min()) == Approx(-1022 * std::numbers::ln2).epsilon(1e-15));
  CHECK(tangent_of_pi(0) == 0);
  CHECK(tangent_of_pi(0.25) == Approx(1).epsilon(1e-15));
  CHECK(tangent_of_pi(0.75) == Approx(-1).epsilon(1e-15));
  CHECK(power_of(4, 0.5) == Approx(2).epsilon(1e-15));
}

TEST_CASE("elementary: gamma variables are those of Boost.Random, up to rounding") {
  for (const double shape : {0.3, 0.9, 1.0, 1.5, 2.0, 40.0}) {
    CAPTURE(shape);
    const Gamma law{shape, 3};
    for (std::uint32_t k = 0; k < 2000; ++k) {
      Stream ours = kStreams(Purpose::kLatency, 3, 4, k), boosts = kStreams(Purpose::kLatency, 3, 4, k);
      CHECK(law.sample(ours) == Approx(gamma(boosts, shape, 3 / shape)).epsilon(1e-12));
      CHECK(ours() == boosts());  // after as many draws
    }
  }
}

TEST_CASE("streams: with the noise of another repetition, all else is drawn as before") {
  const Streams own(5, 2), other(5, 9), mixed = own.with_noise_of(9);
  for (std::uint32_t purpose = 1; purpose < 16; ++purpose) {
    const bool noise = purpose == static_cast<std::uint32_t>(Purpose::kNoise);
    Stream expected = (noise ? other : own)(static_cast<Purpose>(purpose), 3),
           drawn = mixed(static_cast<Purpose>(purpose), 3);
    CHECK(drawn() == expected());
  }
  Stream protocol = mixed.protocol(4, 1), of_own = own.protocol(4, 1);
  CHECK(protocol() == of_own());
  Stream noise = mixed.own_noise(1, 0, 7), of_other = other.own_noise(1, 0, 7);
  CHECK(noise() == of_other());
  // It is no second of a pair: what a mechanism draws besides noise goes on, rather than begins again.
  CHECK(Streams(5, 3, true).mirrored());
  CHECK_FALSE(Streams(5, 3, true).with_noise_of(9).mirrored());
}

TEST_CASE(
    "streams: those of a continuation draw others for what happens in a run, and the same for what lasts") {
  const Streams run(5, 3, true), continued = run.continued(7);
  const auto word = [](const Streams& streams, std::uint32_t purpose) {
    return streams(static_cast<Purpose>(purpose), 1, 2, 3)();
  };
  for (std::uint32_t p = 1; p < 16; ++p) {
    const auto purpose = static_cast<Purpose>(p);
    INFO(p);
    const bool drawn = is_of_network(purpose) || purpose == Purpose::kNoise || purpose == Purpose::kHostile;
    CHECK((word(run, p) != word(continued, p)) == drawn);
    CHECK(word(run, p) == word(run.continued(0), p));
    CHECK((word(continued, p) != word(run.continued(8), p)) == drawn);
    CHECK(word(continued, p) == word(run.continued(8).continued(7), p));
  }
  CHECK(run.protocol(4, 1)() != continued.protocol(4, 1)());
  CHECK(run.protocol(Streams::kOfWholeRun, 1)() == continued.protocol(Streams::kOfWholeRun, 1)());
  CHECK(run.own_noise(1, 0, 7)() != continued.own_noise(1, 0, 7)());
  CHECK(run.mirrored());
  CHECK_FALSE(continued.mirrored());
}
