// Iterations per second of the asynchronous central learner: N = 3, p = 10, squared loss, Laplace noise, U(0,
// 15 ms) on all three messages, fingerprint and ledger on, metrics every 100 iterations.
#include <benchmark/benchmark.h>

#include "models/data/synthetic/lending_like.hpp"
#include "models/protocols/central/central_async.hpp"
#include "tests/support/study_fixture.hpp"

namespace {

using namespace hearsay;

void central_async(benchmark::State& state) {
  constexpr std::uint64_t kIterations = 1'000'000;
  models::LendingLike data;
  data.records = static_cast<std::size_t>(state.range(0));
  models::ModelOptions model;
  model.theta_max = 10;
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Laplace{};
  privacy.gradient_bound = 50;
  const test::StudyFixture fixture(make_data(data, sim::Streams(1, 0)), model, privacy, kIterations);
  sim::NetworkOptions network;
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  models::CentralAsync::Params params;
  params.rho = models::AutoRho{};
  double fitness = 0;
  for (auto _ : state) {
    const auto world = fixture.world(fixture.engine(network));
    models::CentralAsync protocol(params, fixture.study());
    test::Watch watch(
        [&](const models::World& w) {
          fitness += w.problem().objective(w.models.col(0)) / fixture.optimum().value - 1;
        },
        100);
    models::Driver<models::CentralAsync>(protocol, *world, watch).run();
    benchmark::DoNotOptimize(fitness);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kIterations));
}

BENCHMARK(central_async)->Arg(1000)->Arg(250'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
