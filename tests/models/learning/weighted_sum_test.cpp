#include "models/learning/weighted_sum.hpp"

#include <catch2/catch.hpp>

#include "sim/random/random.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;

TEST_CASE("weighted sum: the bits of adding one vector after the other") {
  sim::Stream s = test::kStreams(sim::Purpose::kData, 0);
  for (Eigen::Index p = 1; p <= 101; p += p < 40 ? 1 : 20) {
    for (const int count : {0, 1, 39, 63, 64, 65, 130}) {
      Eigen::MatrixXd vectors(p, count);
      Eigen::VectorXd weights(count), sum(p);
      for (double& x : vectors.reshaped()) x = sim::normal(s);
      for (double& w : weights) w = sim::uniform(s);
      for (double& x : sum) x = sim::normal(s);
      Eigen::VectorXd expected = sum;
      models::WeightedSum weighted(sum.data(), p);
      for (int k = 0; k < count; ++k) {
        for (Eigen::Index j = 0; j < p; ++j) expected[j] += weights[k] * vectors(j, k);
        weighted.add(weights[k], vectors.col(k).data());
      }
      weighted.finish();
      CAPTURE(p, count);
      CHECK(sum == expected);
    }
  }
}
