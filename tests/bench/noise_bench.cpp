// Nanoseconds a coordinate of noise vectors: one stream a vector, as for releases.
#include <benchmark/benchmark.h>

#include <vector>

#include "models/privacy/mechanism.hpp"

namespace {

using namespace hearsay;

void laplace(benchmark::State& state) {
  const auto length = static_cast<std::size_t>(state.range(0));
  std::vector<double> x(length);
  const sim::Streams streams(1, 0);
  std::uint32_t release = 0;
  for (auto _ : state) {
    sim::Stream s = streams(sim::Purpose::kNoise, 1, 0, release++);
    models::add_laplace(x, 2, s);
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["ns_per_coordinate"] =
      benchmark::Counter(static_cast<double>(state.range(0)) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(laplace)->Arg(1)->Arg(10)->Arg(20)->Arg(100)->Arg(1000);

}  // namespace

BENCHMARK_MAIN();
