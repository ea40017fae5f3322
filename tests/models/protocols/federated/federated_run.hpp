#pragma once
// Runs of federated protocols, and small problems whose answers are known.
#include <Eigen/LU>

#include <cmath>
#include <vector>

#include "models/protocols/federated/rounds.hpp"
#include "tests/models/protocols/central_run.hpp"

namespace hearsay::test {

/// A network whose owners, from agent 1, compute for given times.
inline sim::NetworkOptions computing(const std::vector<double>& seconds) {
  sim::NetworkOptions network;
  network.compute_time = sim::ComputeOptions(sim::ValueList{seconds});
  return network;
}

/// Agents that are down from one time to another.
inline sim::Outages outage(std::vector<sim::AgentId> agents, double from, double to,
                           sim::StateOnReturn state = sim::StateOnReturn::kKeep) {
  sim::Outages outages;
  outages.outages.push_back({.agents = std::move(agents), .from = from, .to = to});
  outages.state_on_return = state;
  return outages;
}

/// With one record x = 1, y_i for each owner and K steps of size 1/2, an owner's model is y_i wherever it starts.
template <class Params>
Params jumping(std::uint32_t k = 1, double eta = 0.5) {
  Params params;
  params.local.local_steps = k;
  params.local.step = models::ConstantStep{eta};
  return params;
}

template <class P>
std::uint64_t used(const CentralRun<P>& run, std::size_t owner) {
  std::vector<double> out(run.world->problem().owners());
  run.protocol.measure(0, *run.world, out);
  return static_cast<std::uint64_t>(out[owner]);
}

inline std::uint64_t lost(const models::World& world, sim::LossReason reason) {
  return world.engine.traffic().lost[static_cast<std::size_t>(reason)];
}

/// The end of a run by stop.budgets_spent: owners with y = 1 and 3 take 1 and 2 s for the three steps of their budgets.
struct Spent {
  std::uint64_t iterations, updates, messages;
  sim::Time time;
};
template <class P>
Spent until_spent(const std::vector<sim::TimelineEvent>& events = {}) {
  auto privacy = laplace(1e6, 1);
  privacy.steps = models::Steps(3);
  const StudyFixture fixture(one_record_each({1, 3}), ridge(0), privacy, 100);
  models::Study study = fixture.study();
  study.stop.budgets_spent = true;
  auto options = fixture.engine(computing({1, 2}));
  options.timeline = sim::unfold(events, options.network, study.topology.agents(), sim::kNever);
  models::World world(study, options, sim::Streams(1, 0));
  P protocol(jumping<typename P::Params>(3), study);
  Watch watch([](const models::World&) {});
  CHECK(models::Driver<P>(protocol, world, watch).run() == sim::End::kFinished);
  return {world.iterations, world.tally.updates, world.engine.traffic().messages, world.engine.now()};
}

/// Three owners with 2, 3 and 4 records of two features, whose Hessians and minimisers differ.
inline models::DataSet three_quadratics() {
  const std::vector<std::vector<std::array<double, 3>>> records{
      {{1, 0, 1}, {1, 1, 3}},
      {{2, 1, -1}, {0, 1, 2}, {1, -1, 0}},
      {{1, 2, 1}, {1, 0, -2}, {0, 1, 1}, {1, 1, 1}}};
  models::DataSet data;
  data.feature_names = {"a", "b"};
  for (const auto& rows : records) {
    models::Shard shard{models::Records(rows.size(), 2), Eigen::VectorXd(rows.size())};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      shard.features.row(static_cast<Eigen::Index>(k)) << rows[k][0], rows[k][1];
      shard.target[static_cast<Eigen::Index>(k)] = rows[k][2];
    }
    data.train.push_back(shard);
    data.test.push_back({models::Records(0, 2), Eigen::VectorXd(0)});
    data.owner_names.push_back("owner");
  }
  return data;
}

/// Owner i's Hessian and right-hand side: f_i + g has gradient h theta - b.
struct Quadratic {
  Eigen::Matrix2d h;
  Eigen::Vector2d b;
};
inline Quadratic quadratic_of(const models::DataSet& data, std::size_t owner, double sigma) {
  const models::Shard& shard = data.train[owner];
  const auto n = static_cast<double>(shard.target.size());
  return {2 * shard.features.transpose() * shard.features / n + sigma * Eigen::Matrix2d::Identity(),
          2 * shard.features.transpose() * shard.target / n};
}
inline Eigen::Matrix2d power(const Eigen::Matrix2d& a, std::uint32_t k) {
  Eigen::Matrix2d product = Eigen::Matrix2d::Identity();
  while (k-- > 0) product *= a;
  return product;
}

}  // namespace hearsay::test
