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

// Keeps the state of a run before the first event after a time, or goes on from one.
struct Kept final : models::StateKeeper {
  explicit Kept(sim::Time time) : at(time) {}
  sim::Time pause_after() override { return at; }
  void keep(const models::World&, const models::RunState& run) override {
    std::ostringstream out;
    cereal::BinaryOutputArchive archive(out);
    archive(*recorder);
    run.save(out);
    state = std::move(out).str();
    stop = true;
  }
  void resume(const models::World&, models::RunState& run) override {
    if (state.empty()) return;
    std::istringstream in(state);
    cereal::BinaryInputArchive archive(in);
    archive(*recorder);
    run.load(in);
    CHECK(in.peek() == std::char_traits<char>::eof());
  }
  sim::Time at;
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

/// Of a run that ends at `end` (s), which also records what its protocol alone can measure.
inline void check_states(scenarios::Scenario scenario, sim::Time end) {
  for (const models::ProtocolMetric& m : scenario.protocol->metrics())
    if (!m.needs_test) scenario.record.metrics.emplace_back(m.name);
  const scenarios::Experiment experiment(scenario, scenarios::solve(scenario, 0));
  Kept none(sim::kNever);
  const Whole whole = run_with(scenario, experiment, none);
  std::mt19937_64 random(std::hash<std::string_view>()(scenario.protocol->entry().name));
  std::uniform_real_distribution<double> times(0, end);
  for (int k = 0; k < 12; ++k) {
    Kept first(times(random)), second(sim::kNever);
    INFO(fmt::format("{} from {:.17g} s of {:.17g} s", scenario.protocol->entry().name, first.at, end));
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
