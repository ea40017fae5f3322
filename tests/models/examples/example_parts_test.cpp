// The parts of docs/example-parts.
#include <catch2/catch.hpp>

#include <cmath>

#include "docs/example-parts/huber_loss.hpp"
#include "docs/example-parts/two_blobs.hpp"
#include "docs/example-parts/weibull.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;

TEST_CASE("example parts: the Huber loss by hand, its slope by differences, its bounds reached") {
  const models::HuberLoss loss{.width = 0.5};
  CHECK(loss.value(1.25, 1) == 0.0625);
  CHECK(loss.value(1, 3) == 1.75);  // 2 * 0.5 * 2 - 0.25
  CHECK(loss.slope(1, 3) == -1);
  CHECK(loss.error(1, 3) == 4);
  CHECK(loss.gradient_l1_bound(3, 100, 100) == 3);
  double slope = 0, curvature = 0;
  for (int k = -300; k <= 300; ++k) {
    const double s = k / 100.0 + 0.005, h = 1e-6;
    CHECK((loss.value(s + h, 0.2) - loss.value(s - h, 0.2)) / (2 * h) ==
          Approx(loss.slope(s, 0.2)).margin(1e-5));
    slope = std::max(slope, std::abs(loss.slope(s, 0.2)));
    curvature = std::max(curvature, loss.curvature(s, 0.2));
  }
  CHECK(slope == loss.max_slope());
  CHECK(curvature == loss.max_curvature());
}

TEST_CASE("example parts: the blobs' classes are equally likely, and the best classifier errs with Phi(-1)") {
  const models::DataSet d = make_data(
      models::TwoBlobs{.owners = 2, .records = 20000, .features = 3, .separation = 2}, test::kStreams);
  const models::Shard& s = d.train[1];
  CHECK(test::binomial_plausible(static_cast<std::uint64_t>((s.target.array() > 0).count()), 20000, 0.5));
  const auto wrong = (s.features.rowwise().sum().array() * s.target.array() < 0).count();
  CHECK(
      test::binomial_plausible(static_cast<std::uint64_t>(wrong), 20000, std::erfc(1 / std::sqrt(2.0)) / 2));
  const models::DataSet fewer =
      make_data(models::TwoBlobs{.owners = 3, .records = 10, .features = 3, .separation = 2}, test::kStreams);
  CHECK(fewer.train[1].features == s.features.topRows(10));
  CHECK(fewer.train[1].target == s.target.head(10));
}

TEST_CASE("example parts: Weibull draws have their distribution function, mean and size-biased mean") {
  const sim::Weibull law{.shape = 2, .average = 3};
  std::vector<double> draws;
  test::Mean mean, biased;
  sim::Stream stream = test::kStreams(sim::Purpose::kLatency, 1),
              other = test::kStreams(sim::Purpose::kLatency, 2);
  for (int k = 0; k < 20000; ++k) {
    draws.push_back(law.sample(stream));
    mean.add(draws.back());
    biased.add(law.sample_size_biased(other));
  }
  // Gamma(3/2) = sqrt(pi)/2, so that E X^2/E X = scale^2/3 with scale = 6/sqrt(pi): 12/pi.
  const double scale = 6 / std::sqrt(M_PI);
  CHECK(law.scale() == Approx(scale));
  CHECK(test::ks_distance(draws, [&](double x) { return 1 - std::exp(-x * x / (scale * scale)); }) <
        test::dkw_threshold(20000));
  CHECK(std::abs(mean.mean() - 3) < 6.2 * mean.standard_error());
  CHECK(std::abs(biased.mean() - 12 / M_PI) < 6.2 * biased.standard_error());
}
