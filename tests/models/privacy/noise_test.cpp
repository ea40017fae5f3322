// The noise of every mechanism has the right law, and samplers with likely errors are detected. n = 1e6
// numbers or radii for a right sampler, alpha = 1e-9 per check.
#include <algorithm>

#include "models/privacy/mechanisms/mechanism.hpp"
#include "sim/random/random.hpp"
#include "tests/models/privacy/accountants/support.hpp"
#include "tests/models/privacy/noise_laws.hpp"
#include "tests/support/cases.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

constexpr std::size_t kDraws = 1'000'000;
constexpr std::size_t kFewer = 200'000;  // enough to detect a wrong law
const std::vector<std::string> kNone;

/// One stream per release, as in a run.
class Streamed {
 public:
  explicit Streamed(std::uint64_t seed) : random_(seed), streams_(random_.seed(), 0) {}
  sim::Stream operator()(std::uint32_t release) const {
    return streams_(sim::Purpose::kNoise, 1, 0, release);
  }
  Sampler of(const Mechanism& mechanism, double scale) const {
    return [=, *this](std::span<double> x, std::uint32_t release) {
      sim::Stream s = (*this)(release);
      add_noise(shape_of(mechanism, 1).kind, x, scale, s);
    };
  }

 private:
  Random random_;
  sim::Streams streams_;
};

bool contains(const std::vector<std::string>& faults, const std::string& name) {
  return std::find(faults.begin(), faults.end(), name) != faults.end();
}

double norm(std::span<const double> x) {
  double square = 0;
  for (const double v : x) square += v * v;
  return std::sqrt(square);
}

void scale_to(std::span<double> x, double length) {
  const double factor = length / norm(x);
  for (double& v : x) v *= factor;
}

}  // namespace

TEST_CASE("noise: that of the negative scale is the negative, bit by bit") {
  const Streamed streams(1);
  for_each_mechanism([&](const auto& mechanism) {
    if (!is_private(mechanism)) return;
    INFO(mechanism.kName);
    for (const std::size_t dimension : {1U, 5U, 64U, 65U, 200U}) {
      for (std::uint32_t release = 0; release < 20; ++release) {
        std::vector<double> plus(dimension), minus(dimension);
        sim::Stream a = streams(release), b = streams(release);
        mechanism.add_noise(plus, 2.5, a);
        mechanism.add_noise(minus, -2.5, b);
        bool nonzero = false;
        for (std::size_t j = 0; j < dimension; ++j) {
          CHECK(minus[j] == -plus[j]);
          nonzero = nonzero || plus[j] != 0;
        }
        CHECK(nonzero);
        CHECK(a() == b());
      }
    }
  });
}

TEST_CASE("noise: laplace") {
  const Streamed streams(1);
  CHECK(laplace_faults(draw(streams.of(Laplace{}, 2.5), 1, kDraws), 2.5) == kNone);
  CHECK(laplace_faults(draw(streams.of(Laplace{}, 0.01), 20, kDraws / 20), 0.01) == kNone);
  // Longer than one word of signs.
  CHECK(laplace_faults(draw(streams.of(Laplace{}, 1), 100, kDraws / 100), 1) == kNone);
}

TEST_CASE("noise: gaussian") {
  const Streamed streams(2);
  CHECK(gaussian_faults(draw(streams.of(Gaussian{}, 2.5), 1, kDraws), 2.5) == kNone);
  CHECK(gaussian_faults(draw(streams.of(Gaussian{}, 0.01), 100, kDraws / 100), 0.01) == kNone);
}

TEST_CASE("noise: exponential_norm") {
  const Streamed streams(3);
  for (const std::size_t d : cases({2U, 1U, 3U})) {
    CHECK(exponential_norm_faults(draw(streams.of(ExponentialNorm{}, 0.5), d, kDraws), 0.5) == kNone);
  }
  CHECK(exponential_norm_faults(draw(streams.of(ExponentialNorm{}, 3), 10, kDraws / 10), 3) == kNone);
}

TEST_CASE("noise: a scale of 0 adds nothing") {
  const Streamed streams(4);
  for (const Mechanism& m : {Mechanism(Laplace{}), Mechanism(Gaussian{}), Mechanism(ExponentialNorm{})}) {
    INFO(name_of(m));
    const Sample sample = draw(streams.of(m, 0), 7, 3);
    CHECK(std::all_of(sample.values.begin(), sample.values.end(), [](double x) { return x == 0; }));
  }
}

TEST_CASE("noise: exponential_norm advances its stream, so that two draws from it differ") {
  sim::Stream s = sim::Streams(1, 0)(sim::Purpose::kNoise, 1);
  std::vector<double> a(5, 0.0), b(5, 0.0);
  ExponentialNorm::add_noise(a, 1, s);
  ExponentialNorm::add_noise(b, 1, s);
  CHECK(a != b);
}

TEST_CASE("noise: a scale 1 % off is detected by the sums") {
  const Streamed streams(5);
  for (const double factor : cases({0.99, 1.01})) {
    INFO(factor);
    CHECK(contains(laplace_faults(draw(streams.of(Laplace{}, factor), 1, kDraws), 1), "sum of magnitudes"));
    CHECK(contains(gaussian_faults(draw(streams.of(Gaussian{}, factor), 1, kDraws), 1), "energy"));
    for (const std::size_t d : cases({2U, 3U})) {
      const auto faults = exponential_norm_faults(draw(streams.of(ExponentialNorm{}, factor), d, kDraws), 1);
      CHECK(contains(faults, "sum of radii"));
    }
  }
}

TEST_CASE("noise: Laplace on every coordinate is not taken for exponential_norm") {
  const Streamed streams(6);
  for (const std::size_t d : {2U, 3U}) {
    const auto faults = exponential_norm_faults(draw(streams.of(Laplace{}, 1), d, kFewer), 1);
    CHECK(contains(faults, "sum of radii"));
    CHECK(contains(faults, "radius"));
    CHECK(contains(faults, "direction along an axis"));
  }
}

TEST_CASE("noise: a radius of shape d - 1 is not taken for exponential_norm") {
  const Streamed streams(7);
  for (const std::size_t d : {2U, 3U}) {
    const Sampler sampler = [&](std::span<double> x, std::uint32_t release) {
      sim::Stream s = streams(release);
      Gaussian::add_noise(x, 1, s);
      scale_to(x, sim::gamma(s, static_cast<double>(x.size() - 1)));
    };
    const auto faults = exponential_norm_faults(draw(sampler, d, kFewer), 1);
    CHECK(contains(faults, "sum of radii"));
    CHECK(contains(faults, "radius"));
  }
}

TEST_CASE("noise: a direction from a cube is not taken for exponential_norm") {
  const Streamed streams(8);
  for (const std::size_t d : {2U, 3U}) {
    const Sampler sampler = [&](std::span<double> x, std::uint32_t release) {
      sim::Stream s = streams(release);
      for (double& v : x) v = sim::uniform(s, -1, 1);
      scale_to(x, sim::gamma(s, static_cast<double>(x.size())));
    };
    const auto faults = exponential_norm_faults(draw(sampler, d, kFewer), 1);
    CHECK(faults == std::vector<std::string>{"direction along an axis", "direction along the diagonal"});
  }
}

TEST_CASE("noise: a stream used for two releases is detected in the next release") {
  const Streamed streams(9);
  const auto reused = [&](const Mechanism& m) {
    const Sampler fresh = streams.of(m, 1);
    return Sampler([fresh](std::span<double> x, std::uint32_t release) { fresh(x, release / 2); });
  };
  CHECK(contains(laplace_faults(draw(reused(Laplace{}), 20, kFewer / 20), 1), "signs, next release"));
  CHECK(contains(gaussian_faults(draw(reused(Gaussian{}), 20, kFewer / 20), 1), "signs, next release"));
  const auto faults = exponential_norm_faults(draw(reused(ExponentialNorm{}), 2, kFewer), 1);
  CHECK(contains(faults, "direction, next release"));
  CHECK(contains(faults, "radius, next release"));
}

TEST_CASE("noise: unfair signs, and signs that depend on the magnitude, are detected") {
  const Streamed streams(10);
  const Sampler fair = streams.of(Laplace{}, 1);
  const Sampler leaning = [&](std::span<double> x, std::uint32_t release) {
    fair(x, release);
    if (release % 50 == 0) x[0] = std::abs(x[0]);
  };
  CHECK(contains(laplace_faults(draw(leaning, 1, kFewer), 1), "signs fair"));
  const Sampler tied = [&](std::span<double> x, std::uint32_t release) {
    fair(x, release);
    const bool large = std::abs(x[0]) > std::log(2.0);
    if (release % 10 == 0) x[0] = large ? std::abs(x[0]) : -std::abs(x[0]);
  };
  CHECK(contains(laplace_faults(draw(tied, 1, kFewer), 1), "sign and magnitude"));
}
