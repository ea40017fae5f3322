#pragma once
// Runs of gossip protocols from given starting models, for tests worked by hand.
#include <Eigen/Core>

#include <catch2/catch.hpp>

#include <map>
#include <utility>
#include <vector>

#include "tests/support/study_fixture.hpp"
#include "tests/support/tiny_problem.hpp"

namespace hearsay::test {

/// What a run of one starts from, and its network.
struct GossipSetting {
  std::vector<double> start;  ///< x_i in every coordinate, by agent
  sim::ClockOptions clocks;
  sim::NetworkOptions network = {};
  std::vector<sim::TimelineEvent> events = {};
};

/// Calls look(world) before the run, after every iteration and at the end.
template <class P, class F>
void run_gossip(const StudyFixture& fixture, const typename P::Params& params, GossipSetting setting,
                F&& look, std::uint32_t repetition = 0) {
  sim::Engine::Options options =
      fixture.engine(std::move(setting.network), std::move(setting.clocks), P::kEntry.vectors);
  const auto agents = static_cast<sim::AgentId>(fixture.problem().owners());
  options.timeline = sim::unfold(setting.events, options.network, agents, sim::kNever);
  const auto world = fixture.world(options, repetition);
  for (sim::AgentId i = 0; i < setting.start.size(); ++i) world->models.col(i).setConstant(setting.start[i]);
  P protocol(params, fixture.study());
  Watch watch(look);
  models::Driver<P>(protocol, *world, watch).run();
}

/// The models (first coordinates) at the end of a run; of a schedule, after the last message.
template <class P>
Eigen::VectorXd end_of(const StudyFixture& fixture, const typename P::Params& params, GossipSetting setting,
                       std::uint32_t repetition = 0) {
  Eigen::VectorXd end;
  run_gossip<P>(
      fixture, params, std::move(setting),
      [&](const models::World& world) { end = world.models.row(0).transpose(); }, repetition);
  return end;
}

/// The different outcomes of f(repetition), so many of them, which must be equally likely: a mean over them is the
/// expectation, without sampling error. 60 draws per outcome miss one with probability below outcomes e^-60.
template <class F>
std::vector<Eigen::VectorXd> equally_likely(std::size_t outcomes, F&& f) {
  std::map<std::vector<double>, Eigen::VectorXd> all;
  for (std::uint32_t repetition = 0; repetition < 60 * outcomes; ++repetition) {
    const Eigen::VectorXd x = f(repetition);
    all.emplace(std::vector<double>(x.begin(), x.end()), x);
  }
  REQUIRE(all.size() == outcomes);
  std::vector<Eigen::VectorXd> values;
  for (const auto& [key, x] : all) values.push_back(x);
  return values;
}

inline double squared_distance(const Eigen::VectorXd& x, double from) {
  return (x.array() - from).square().sum();
}
inline double disagreement(const Eigen::VectorXd& x) {
  return squared_distance(x, x.mean());
}

/// One record (x = 1, y) for each agent: the gradient of agent i's loss is 2 (theta - y_i).
inline StudyFixture targets(const std::vector<double>& y, const sim::TopologyOptions& topology,
                            std::uint64_t iterations = 1'000'000) {
  return {one_record_each(y), ridge(0), {}, iterations, topology, false};
}

/// The same with models in a box.
inline StudyFixture targets_in_box(double limit, const std::vector<double>& y,
                                   const sim::TopologyOptions& topology,
                                   std::uint64_t iterations = 1'000'000) {
  return {one_record_each(y), ridge(0, limit), {}, iterations, topology, false};
}

inline sim::TimelineEvent crash_between(sim::AgentId agent, sim::Time from, sim::Time to,
                                        sim::StateOnReturn state = sim::StateOnReturn::kKeep) {
  return sim::CrashEvent{.at = from, .agents = {agent}, .lasting = to - from, .state_on_return = state};
}

/// No local training: messages and mixing alone.
template <class P>
typename P::Params mixing_only(typename P::Params params = {}) {
  params.local_steps = 0;
  return params;
}
/// With a step of 1/4 the local update of an agent at x with target y is (y - x)/2.
template <class P>
typename P::Params quarter_step(typename P::Params params = {}) {
  params.step = models::ConstantStep{0.25};
  return params;
}

inline std::uint64_t stale(const models::World& world) {
  return world.engine.traffic().lost[static_cast<std::size_t>(sim::LossReason::kStale)];
}

/// What six agents with the target 2 make of agents that come and go or crash, late and lossy links, and computations, from
/// 0 on in 3000 iterations.
struct HostileRun {
  double time = 0, worst = 0;  ///< s; the largest distance from the target at the end
  bool finite = false;
  std::uint64_t updates = 0;
  std::vector<std::uint64_t> delivered{};  ///< until each iteration
};
template <class P>
HostileRun in_hostile_network(const typename P::Params& params, const sim::TopologyOptions& topology,
                              bool crashes = true) {
  sim::NetworkOptions network = latency(sim::Distribution(sim::Uniform{0, 1}), 0.2);
  network.compute_time = sim::ComputeOptions(sim::Uniform{0, 0.2});
  if (crashes) {
    network.availability = sim::Crash{.up = sim::Exponential{10}, .down = sim::Exponential{2}};
  } else {
    network.availability = sim::OnOff{.up = sim::Exponential{10}, .down = sim::Exponential{2}};
  }
  const StudyFixture fixture = targets(std::vector<double>(6, 2.0), topology, 3000);
  HostileRun run;
  run_gossip<P>(fixture, params, {std::vector<double>(6), {}, network}, [&](const models::World& world) {
    run.time = world.engine.now();
    run.worst = (world.models.array() - 2).abs().maxCoeff();
    run.finite = world.models.allFinite();
    run.updates = world.tally.updates;
    run.delivered.push_back(world.engine.traffic().delivered);
  });
  return run;
}

}  // namespace hearsay::test
