#pragma once
// Whether a run that goes on from its state at random times is the run without a pause, bit for bit: its events, its models,
// what was recorded.
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <sstream>

#include "analysis/metrics/recorder.hpp"
#include "scenarios/execution/experiment.hpp"
#include "sim/state/archive.hpp"

namespace hearsay::test {

// What is the same of equal runs.
struct Whole {
  std::uint64_t fingerprint;
  std::vector<double> models, values;
  std::vector<std::string> samples;
};

// Keeps the state of a run before the first event after a time, or after the one that completes an iteration; or goes on
// from one, after an iteration as a branch does.
struct Kept final : models::StateKeeper {
  explicit Kept(sim::Time time, std::uint64_t count = kNone) : at(time), iteration(count) {}
  sim::Time pause_after() override { return at; }
  std::uint64_t pause_at_iteration() override { return state.empty() ? iteration : kNone; }
  void keep(const models::World&, const models::RunState& run) override {
    std::ostringstream out;
    cereal::BinaryOutputArchive archive(out);
    archive(*recorder);
    run.save(out);
    state = std::move(out).str();
    stop = true;
  }
  void resume(const models::World& world, models::RunState& run) override {
    if (state.empty()) return;
    std::istringstream in(state);
    cereal::BinaryInputArchive archive(in);
    archive(*recorder);
    run.load(in);
    CHECK(in.peek() == std::char_traits<char>::eof());
    if (iteration == kNone) return;
    CHECK(world.iterations >= iteration);
    run.branch(world.engine.now());
  }
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  sim::Time at;
  std::uint64_t iteration;
  std::string state;
  std::atomic<bool> stop = false;
  analysis::Recorder* recorder = nullptr;
};

inline Whole run_with(const scenarios::Scenario& scenario, const scenarios::Experiment& experiment,
                      Kept& kept) {
  std::vector<const analysis::Metric*> metrics;
  for (const auto& m : scenario.record.metrics) metrics.push_back(&*m);
  analysis::Recorder recorder(metrics, experiment.problem().owners(), {}, &kept.stop);
  recorder.every_iterations = 7;
  recorder.keeper = &kept;
  kept.recorder = &recorder;
  models::World world = experiment.prepare(0);
  scenario.protocol->run(world, recorder);
  Whole whole{world.fingerprint(), {world.models.data(), world.models.data() + world.models.size()}, {}, {}};
  whole.values = recorder.series().values;
  for (const analysis::Sample& s : recorder.series().samples)
    whole.samples.push_back(
        fmt::format("{} {} {} {} {}", s.iteration, s.time, s.vectors, s.bytes, s.messages));
  return whole;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Of a run that ends at `end` (s) after so many iterations, which also records what its protocol alone can measure.
inline void check_states(scenarios::Scenario scenario, sim::Time end, std::uint64_t iterations) {
  for (const models::ProtocolMetric& m : scenario.protocol->metrics())
    if (!m.needs_test) scenario.record.metrics.emplace_back(m.name);
  const scenarios::Experiment experiment(scenario, scenarios::solve(scenario, 0));
  Kept none(sim::kNever);
  const Whole whole = run_with(scenario, experiment, none);
  std::mt19937_64 random(std::hash<std::string_view>()(scenario.protocol->entry().name));
  std::uniform_real_distribution<double> times(0, end);
  std::uniform_int_distribution<std::uint64_t> counts(1, std::max<std::uint64_t>(iterations, 2) - 1);
  for (int k = 0; k < 18; ++k) {
    const bool by_time = k < 12 || iterations < 2;
    const std::uint64_t count = by_time ? Kept::kNone : counts(random);
    Kept first(by_time ? times(random) : sim::kNever, count), second(sim::kNever, count);
    INFO(fmt::format("{} from {:.17g} s of {:.17g} s or iteration {}", scenario.protocol->entry().name,
                     first.at, end, count));
    run_with(scenario, experiment, first);
    REQUIRE_FALSE(first.state.empty());
    second.state = first.state;
    const Whole later = run_with(scenario, experiment, second);
    CHECK(later.fingerprint == whole.fingerprint);
    CHECK(same_bits(later.models, whole.models));
    CHECK(same_bits(later.values, whole.values));
    CHECK(later.samples == whole.samples);
  }
}

}  // namespace hearsay::test
