// Seconds that the exact solver takes for a support vector machine: three owners, 31 features, the last of
// them the bias, one record in 500 positive, as for fraud.
#include <benchmark/benchmark.h>

#include "models/learning/solvers/optimum.hpp"
#include "sim/random/random.hpp"
#include "sim/random/stream.hpp"

namespace {

using namespace hearsay;

void hinge_optimum(benchmark::State& state) {
  constexpr Eigen::Index kFeatures = 31;
  const Eigen::Index n = state.range(0);
  models::DataSet data;
  for (std::uint32_t owner = 0; owner < 3; ++owner) {
    sim::Stream s = sim::Streams(1, 0)(sim::Purpose::kData, owner);
    models::Shard shard{models::Records(n, kFeatures), Eigen::VectorXd(n)};
    for (Eigen::Index k = 0; k < n; ++k) {
      shard.target[k] = sim::uniform(s) < 0.002 ? 1 : -1;
      for (Eigen::Index j = 0; j < kFeatures; ++j)
        shard.features(k, j) = sim::uniform(s, -1, 1) + (shard.target[k] > 0 ? 0.5 : 0.0);
      shard.features(k, kFeatures - 1) = 1;
    }
    data.train.push_back(std::move(shard));
    data.test.push_back({models::Records(0, kFeatures), Eigen::VectorXd(0)});
    data.owner_names.emplace_back("owner");
  }
  data.feature_names.assign(kFeatures, "x");
  data.bias = true;
  const double l2 = state.range(1) == 1 ? 1 : 1e-5;
  const models::Problem problem(std::move(data),
                                {.loss = models::HingeLoss{}, .l2 = l2, .l2_half = true, .theta_max = 10.0});
  models::Optimum best;
  for (auto _ : state) best = models::minimise(problem);
  state.counters["relative_gap"] = best.gap / best.value;
}
BENCHMARK(hinge_optimum)->Args({30'000, 1})->Args({30'000, 0})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
