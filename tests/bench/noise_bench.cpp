// Nanoseconds a coordinate of noise vectors: one stream a vector, as for releases.
#include <benchmark/benchmark.h>

#include <vector>

#include "models/privacy/mechanisms/mechanism.hpp"

namespace {

using namespace hearsay;

void noise(benchmark::State& state, const models::Mechanism& mechanism) {
  std::vector<double> x(static_cast<std::size_t>(state.range(0)));
  const sim::Streams streams(1, 0);
  std::uint32_t release = 0;
  for (auto _ : state) {
    sim::Stream s = streams(sim::Purpose::kNoise, 1, 0, release++);
    models::add_noise(models::shape_of(mechanism, 1).kind, x, 2, s);
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  // Processor time by coordinate; printed with its SI prefix, "8n" for 8 ns.
  state.counters["coordinate"] =
      benchmark::Counter(static_cast<double>(state.range(0)),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(noise, laplace, models::Laplace{})->Arg(10)->Arg(20)->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(noise, gaussian, models::Gaussian{})->Arg(10)->Arg(20)->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(noise, exponential_norm, models::ExponentialNorm{})->Arg(10)->Arg(20)->Arg(100)->Arg(1000);

}  // namespace

BENCHMARK_MAIN();
