// Record-features per second of a classifier's answer: one pass over an owner's records, hinge and logistic
// loss, plain and with every record's gradient clipped. One core; 3 000 records stay in the second-level
// cache, 250 000 do not fit into any.
#include <benchmark/benchmark.h>

#include <Eigen/Core>

#include "models/learning/problem.hpp"
#include "sim/random/random.hpp"
#include "sim/random/stream.hpp"

namespace {

using namespace hearsay;

models::Problem problem(Eigen::Index n, Eigen::Index p, models::Loss loss) {
  models::DataSet data;
  sim::Stream s = sim::Streams(1, 0)(sim::Purpose::kData, 0);
  models::Shard shard{models::Records(n, p), Eigen::VectorXd(n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index j = 0; j < p; ++j) shard.features(k, j) = 2 * sim::uniform(s) - 1;
    shard.target[k] = shard.features.row(k).sum() + sim::uniform(s) > 0.5 ? 1 : -1;
  }
  data.train = {shard};
  data.test = {{models::Records(0, p), Eigen::VectorXd(0)}};
  data.owner_names = {"owner"};
  data.feature_names.assign(static_cast<std::size_t>(p), "x");
  return {std::move(data), {.loss = loss}};
}

void gradient(benchmark::State& state, models::Loss loss, bool clipped) {
  const Eigen::Index n = state.range(0), p = state.range(1);
  const models::Problem one = problem(n, p, loss);
  // About half of the records lie within the margin.
  const Eigen::VectorXd theta = Eigen::VectorXd::Constant(p, 0.7);
  Eigen::VectorXd out(p);
  for (auto _ : state) {
    if (clipped) {
      one.mean_gradient_clipped(0, theta, 0.4 * static_cast<double>(p), models::Norm::kL1, out);
    } else {
      one.mean_gradient(0, theta, out);
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * n * p);
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int n : {3'000, 30'000, 250'000}) {
    for (const int p : {10, 31, 100}) b->Args({n, p});
  }
}
BENCHMARK_CAPTURE(gradient, hinge, models::HingeLoss{}, false)->Apply(sizes);
BENCHMARK_CAPTURE(gradient, hinge_clipped, models::HingeLoss{}, true)->Apply(sizes);
BENCHMARK_CAPTURE(gradient, smoothed_hinge, models::SmoothedHingeLoss{}, false)->Args({30'000, 31});
BENCHMARK_CAPTURE(gradient, logistic, models::LogisticLoss{}, false)->Args({30'000, 31});

}  // namespace

BENCHMARK_MAIN();
