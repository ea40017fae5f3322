// Server updates per second of async_mtl on one core, ledger and fingerprint on, metrics every 2000 updates, links
// U(0, 15 ms) towards the server.
//   noise: T = 20, d = 28, 60 training records, logistic loss, exponential_norm at epsilon_1 = epsilon_2 = 1, so that P
//          has full rank; 10 000 turns a task
//   many:  T = 1000, d = 100
// and the proximal operator alone, and of it Eigen's eigensolver, which sets the pace: figures of two machines compare
// by it.
#include <benchmark/benchmark.h>

#include <Eigen/Eigenvalues>

#include "models/data/synthetic/low_rank_tasks.hpp"
#include "models/protocols/multitask/async_mtl.hpp"
#include "models/solvers/singular_shrinkage.hpp"
#include "tests/support/study_fixture.hpp"

namespace {

using namespace hearsay;

void updates(benchmark::State& state, std::size_t tasks, std::size_t features, std::uint64_t turns) {
  models::LowRankTasks data;
  data.tasks = tasks;
  data.features = features;
  models::ModelOptions model;
  model.loss = models::LogisticLoss{};
  models::PrivacyOptions privacy;
  privacy.mechanism = models::ExponentialNorm{};
  privacy.epsilon_1 = privacy.epsilon_2 = 1;
  const std::uint64_t updates = tasks * turns;
  const test::StudyFixture fixture(make_data(data, sim::Streams(1, 0)), model, privacy, updates);
  sim::NetworkOptions network;
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  network.links.delayed_direction = sim::DelayedDirection::kToHub;
  models::AsyncMtl::Params params;
  params.column_update = static_cast<models::ColumnUpdate>(state.range(0));
  params.turns = turns;
  params.start = models::TaskStart::kZero;
  for (auto _ : state) {
    const auto world = fixture.world(fixture.engine(network));
    models::AsyncMtl protocol(params, fixture.study());
    double seen = 0;
    test::Watch watch(
        [&](const models::World& w) {
          double out = 0;
          protocol.measure(0, w, {&out, 1});
          seen += out;
        },
        2000);
    models::Driver<models::AsyncMtl>(protocol, *world, watch).run();
    benchmark::DoNotOptimize(seen);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(updates));
}

void noise(benchmark::State& state) {
  updates(state, 20, 28, 10'000);
}
void many(benchmark::State& state) {
  updates(state, 1000, 100, 2);
}

void prox(benchmark::State& state) {
  const Eigen::MatrixXd m = Eigen::MatrixXd::Random(state.range(0), state.range(1));
  models::SingularShrinkage shrinkage(m.rows(), m.cols());
  Eigen::MatrixXd out(m.rows(), m.cols());
  for (auto _ : state) {
    shrinkage.decompose(m, 1e-3);
    shrinkage.matrix(out);
    benchmark::DoNotOptimize(out.data());
  }
}

void eigensolver(benchmark::State& state) {
  const Eigen::MatrixXd m = Eigen::MatrixXd::Random(state.range(0) + 8, state.range(0));
  const Eigen::MatrixXd gram = m.transpose() * m;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram.rows());
  for (auto _ : state) {
    solver.compute(gram);
    benchmark::DoNotOptimize(solver.eigenvectors().data());
  }
}

BENCHMARK(noise)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(many)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(prox)->Args({28, 20})->Args({100, 1000})->Unit(benchmark::kMicrosecond);
BENCHMARK(eigensolver)->Arg(20)->Arg(100)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
