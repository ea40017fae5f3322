#pragma once
// A study with everything it refers to, for tests and benchmarks that run a protocol without a scenario.
#include <concepts>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "models/learning/problem.hpp"
#include "models/learning/solvers/optimum.hpp"
#include "models/run/driver.hpp"
#include "models/run/privacy.hpp"
#include "models/run/world.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::test {

class StudyFixture {
 public:
  StudyFixture(models::DataSet data, models::ModelOptions model, const models::PrivacyOptions& privacy,
               std::uint64_t iterations, sim::TopologyOptions topology = sim::Star{}, bool hub = true,
               std::uint64_t seed = 1, std::vector<std::string_view> metrics = {})
      : problem_(std::move(data), std::move(model)),
        optimum_(problem_),
        privacy_(models::resolve_budget(privacy, problem_, optimum_, hub ? 1 : 0, sim::Streams(seed, 0))),
        topology_(sim::make_topology(topology, static_cast<sim::AgentId>(problem_.owners()) + (hub ? 1 : 0),
                                     sim::Streams(seed, 0),
                                     problem_.data().similarity ? &*problem_.data().similarity : nullptr)),
        study_{problem_, topology_, privacy_, optimum_, {.iterations = iterations}, std::move(metrics)},
        hub_(hub),
        seed_(seed) {}
  StudyFixture(const StudyFixture&) = delete;
  StudyFixture& operator=(const StudyFixture&) = delete;

  const models::Study& study() const { return study_; }
  const models::Problem& problem() const { return problem_; }
  const models::Optimum& optimum() const { return optimum_.get(); }
  const models::LazyOptimum& reference() const { return optimum_; }
  const sim::Topology& topology() const { return topology_; }

  /// `vectors`: most of them in one message.
  sim::Engine::Options engine(sim::NetworkOptions network = {}, sim::ClockOptions clocks = {},
                              std::size_t vectors = 1) const {
    sim::Engine::Options options;
    options.network = std::move(network);
    options.clocks = std::move(clocks);
    options.vector_length = static_cast<std::size_t>(problem_.p());
    options.payload_width = vectors * options.vector_length;
    options.hub = hub_;
    return options;
  }
  std::unique_ptr<models::World> world(const sim::Engine::Options& options, std::uint32_t repetition = 0,
                                       sim::TraceSink* trace = nullptr) const {
    return std::make_unique<models::World>(study_, options, sim::Streams(seed_, repetition), trace);
  }

 private:
  models::Problem problem_;
  models::LazyOptimum optimum_;
  models::Budget privacy_;
  sim::Topology topology_;
  models::Study study_;
  bool hub_;
  std::uint64_t seed_;
};

/// An observer that keeps the value of a function of the world at every observation.
template <class F>
class Watch final : public models::Observer {
 public:
  explicit Watch(F f, std::uint64_t every = 1) : f_(std::move(f)) { every_iterations = every; }
  void observe(const models::World& world) override { f_(world); }

 private:
  F f_;
};

/// What a run is given beside its options.
struct RunInputs {
  const std::vector<Eigen::VectorXd>* noise = nullptr;  ///< World::prescribed_noise
  std::uint32_t repetition = 0;
  sim::TraceSink* trace = nullptr;
  std::uint64_t every = 1;  ///< iterations between looks
};

/// A run with its results.
template <class P>
struct Finished {
  std::unique_ptr<models::World> world;
  std::unique_ptr<P> protocol;
  sim::End end = sim::End::kFinished;

  double metric(std::string_view name) const {
    for (std::size_t k = 0; k < P::kMetrics.size(); ++k) {
      double value = 0;
      if (P::kMetrics[k].name != name) continue;
      protocol->measure(k, *world, {&value, 1});
      return value;
    }
    throw std::logic_error("no such metric");
  }
};

/// Runs a protocol; look(world), or look(world, protocol), at the start and after every iteration.
template <class P, class Look>
Finished<P> run(const StudyFixture& fixture, const typename P::Params& params,
                const sim::Engine::Options& options, const RunInputs& inputs, Look&& look) {
  Finished<P> run{fixture.world(options, inputs.repetition, inputs.trace),
                  std::make_unique<P>(params, fixture.study())};
  run.world->prescribed_noise = inputs.noise;
  Watch watch(
      [&](const models::World& w) {
        if constexpr (std::invocable<Look, const models::World&>) {
          look(w);
        } else {
          look(w, *run.protocol);
        }
      },
      inputs.every);
  run.end = models::Driver<P>(*run.protocol, *run.world, watch).run();
  return run;
}
template <class P, class Look>
Finished<P> run(const StudyFixture& fixture, const typename P::Params& params,
                const sim::Engine::Options& options, Look&& look) {
  return run<P>(fixture, params, options, RunInputs{}, look);
}
template <class P>
Finished<P> run(const StudyFixture& fixture, const typename P::Params& params,
                const sim::Engine::Options& options, const RunInputs& inputs = {}) {
  return run<P>(fixture, params, options, inputs, [](const models::World&) {});
}

/// One tick of these agents every second, from 1 s.
inline sim::ClockTrace ticks_of(const std::vector<sim::AgentId>& agents) {
  sim::ClockTrace trace;
  for (std::size_t k = 0; k < agents.size(); ++k) trace.times.push_back(static_cast<double>(k) + 1);
  trace.agents = agents;
  return trace;
}

}  // namespace hearsay::test
