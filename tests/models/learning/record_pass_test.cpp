#include "models/learning/record_pass.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "sim/random/random.hpp"
#include "sim/random/stream.hpp"

using namespace hearsay;

TEST_CASE(
    "record pass: sums weight times record at the record's score, for any number of features and records") {
  sim::Stream s = sim::Streams(1, 0)(sim::Purpose::kData, 0);
  std::vector<Eigen::Index> widths{63, 64, 65, 253, 255, 256, 257, 258, 260, 513};
  for (Eigen::Index p = 1; p <= 40; ++p) widths.push_back(p);
  for (const Eigen::Index p : widths) {
    for (const Eigen::Index n : {1, 2, 3, 4, 63, 64, 65, 130}) {
      models::Shard shard{models::Records(n, p), Eigen::VectorXd(n)};
      for (Eigen::Index k = 0; k < n; ++k) {
        for (Eigen::Index j = 0; j < p; ++j) shard.features(k, j) = sim::uniform(s, -1, 1);
        shard.target[k] = sim::uniform(s, -1, 1);
      }
      Eigen::VectorXd theta(p), out = Eigen::VectorXd::Constant(p, 7);
      for (double& x : theta) x = sim::uniform(s, -1, 1);
      // About a third of the records weigh nothing, as beyond a margin.
      const auto weight = [](double score, double y, Eigen::Index k) {
        return k % 3 == 1 ? 0 : score * y + 0.25 * static_cast<double>(k);
      };
      models::sum_gradients(shard, theta, {}, out, weight);
      using Wide = Eigen::Array<long double, 1, Eigen::Dynamic>;
      Wide expected = Wide::Zero(p), size = Wide::Ones(p);
      for (Eigen::Index k = 0; k < n; ++k) {
        const Wide x = shard.features.row(k).cast<long double>();
        long double score = 0;
        for (Eigen::Index i = 0; i < p; ++i) score += x[i] * theta[i];
        const Wide term =
            static_cast<long double>(weight(static_cast<double>(score), shard.target[k], k)) * x;
        expected += term;
        size += term.abs();
      }
      double worst = 0;
      for (Eigen::Index j = 0; j < p; ++j)
        worst = std::max(worst, static_cast<double>(std::abs(out[j] - expected[j]) / size[j]));
      INFO(p << " features, " << n << " records");
      CHECK(worst < 1e-13);
    }
  }
}
