// Ticks per second of peer-to-peer protocols: Laplace noise with a uniform budget, U(0, 15 ms) links, Poisson
// clocks, fingerprint and ledger on, no trace.
//   coordinate descent  n = 100 on a graph of mean degree 39, logistic loss, m_i in 10..100, Q every 100 ticks
//   admm                the same, 10 local steps, without noise
//   crowd               n = 100 000 on a random 10-regular graph, p = 20, m_i in 5..15, 1e7 ticks; reports the bytes
//                       of an agent beside its data
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <malloc.h>

#include "models/protocols/peer_to_peer/p2p_admm.hpp"
#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"
#include "tests/support/personal_fixture.hpp"

namespace {

using namespace hearsay;

models::PrivacyOptions laplace(double steps) {
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Laplace{};
  privacy.epsilon = 1e9;  // so little noise that no model leaves the range in which exp is quick or slow
  privacy.gradient_bound = 1;
  privacy.steps = sim::PerAgent(steps);
  return privacy;
}

sim::NetworkOptions links() {
  sim::NetworkOptions network;
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  return network;
}

models::DataSet hundred(Eigen::Index p) {
  return test::random_agents({.agents = 100, .features = p, .fewest = 10, .most = 100, .reach = 0.38});
}

void coordinate_descent(benchmark::State& state) {
  constexpr std::uint64_t kTicks = 200'000;
  const test::PersonalFixture fixture(hundred(state.range(0)), models::LogisticLoss{}, laplace(4000), kTicks,
                                      {"objective_q"});
  double q = 0;
  for (auto _ : state) {
    sim::Engine::Options options = fixture.engine(links());
    options.publications_only = models::P2pCoordinateDescent::kEntry.broadcasts;
    const auto world = fixture.world(options);
    models::P2pCoordinateDescent protocol({}, fixture.study());
    test::Watch watch([&](const models::World& w) { protocol.measure(0, w, {&q, 1}); }, 100);
    models::Driver<models::P2pCoordinateDescent>(protocol, *world, watch).run();
    benchmark::DoNotOptimize(q);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kTicks));
  state.counters["degree"] = 2.0 * static_cast<double>(fixture.topology().edges()) / 100;
}

void admm(benchmark::State& state) {
  constexpr std::uint64_t kTicks = 20'000;
  const test::PersonalFixture fixture(hundred(state.range(0)), models::LogisticLoss{}, {}, kTicks,
                                      {"objective_q"});
  double q = 0;
  for (auto _ : state) {
    const auto world = fixture.world(fixture.engine(links(), {}, 4));
    models::P2pAdmm protocol({}, fixture.study());
    test::Watch watch([&](const models::World& w) { protocol.measure(0, w, {&q, 1}); }, 100);
    models::Driver<models::P2pAdmm>(protocol, *world, watch).run();
    benchmark::DoNotOptimize(q);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kTicks));
}

void crowd(benchmark::State& state) {
  constexpr std::size_t kAgents = 100'000;
  const auto ticks = static_cast<std::uint64_t>(state.range(0));
  models::DataSet data;
  for (int j = 0; j < 20; ++j) data.feature_names.push_back("x");
  const sim::Streams streams(7, 0);
  for (std::uint32_t i = 0; i < kAgents; ++i) {
    sim::Stream s = streams(sim::Purpose::kData, i);
    const auto m = static_cast<Eigen::Index>(5 + sim::uniform_index(s, 11));
    models::Shard shard{models::Records(m, 20), Eigen::VectorXd(m)};
    for (double& x : shard.features.reshaped()) x = sim::uniform(s, -1, 1);
    for (double& y : shard.target) y = sim::bernoulli(s, 0.5) ? 1 : -1;
    data.train.push_back(std::move(shard));
    data.test.push_back({models::Records(0, 20), Eigen::VectorXd(0)});
  }
  const sim::Topology graph = sim::make_topology(sim::RandomRegular{10}, kAgents, streams);
  const models::Problem problem(std::move(data), {.loss = models::LogisticLoss{}});
  const models::LazyOptimum reference(problem);
  const models::Privacy privacy = models::resolve_privacy(laplace(200), problem, reference, 0, streams);
  const models::Study study{problem, graph, privacy, reference, {.iterations = ticks}, {}};
  sim::Engine::Options options;
  options.network = links();
  options.vector_length = options.payload_width = 20;
  options.publications_only = models::P2pCoordinateDescent::kEntry.broadcasts;
  for (auto _ : state) {
    const auto before = mallinfo2();
    models::World world(study, options, streams);
    models::P2pCoordinateDescent protocol({}, study);
    test::Watch watch([](const models::World&) {}, 0);
    models::Driver<models::P2pCoordinateDescent>(protocol, world, watch).run();
    const auto after = mallinfo2();
    state.counters["bytes_per_agent"] =
        static_cast<double>(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / kAgents;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(ticks));
}

BENCHMARK(coordinate_descent)->Arg(20)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(admm)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(crowd)->Arg(10'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
