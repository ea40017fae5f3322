#pragma once
// Private decentralised learning with local steps: on its tick an agent averages with its neighbours, takes several
// mini-batch steps on its own records, and publishes the sum of these steps with noise.
//
//   start   x_i = 0, public
//   tick    y_0     = (x_i + sum_{j ~ i} latest(i, j))/(d_i + 1)
//           y_{k+1} = y_k - step (gradient over the k-th mini-batch at y_k + grad g(y_k)),   k < local_steps
//           u       = (y_K - y_0) min(1, clip/norm(y_K - y_0)),   K = local_steps
//           x_i     <- y_0 + u + noise, projected onto the box;   then publish x_i
//
// A mini-batch is `batch` of agent i's records, drawn independently and uniformly; its gradient is their mean. The norm
// is the mechanism's: L1 for laplace, else L2. Whatever the records of agent i are, norm(u) <= clip, so that u of two
// data sets differ by at most 2 clip: this is the sensitivity of the release, and the guarantee is for the whole data
// set of an owner, not for one record. An agent makes `updates` releases, or privacy.steps, which together use its budget,
// and then only publishes averages.
//
// Iteration: a tick. Draws the mini-batches of a tick from its own purpose kBatch. Cost of a tick: O((d_i + K batch) p).
#include <Eigen/Core>

#include <vector>

#include "models/registry.hpp"
#include "models/run/protocol.hpp"

namespace gossip {

class LocalSteps {
 public:
  struct Params {
    double step = 0.1;
    std::uint32_t local_steps = 5;
    std::uint32_t batch = 10;
    double clip = 1;
    std::uint64_t updates = 100;
    void describe(hearsay::sim::Visitor& v);
  };

  static constexpr hearsay::models::Entry kEntry{.name = "local_steps",
                                                 .help =
                                                     "Averages with the neighbours, then takes several "
                                                     "mini-batch steps and publishes their clipped sum.",
                                                 .broadcasts = true,
                                                 .step = "protocol.step"};

  /// Throws DataError unless every agent has a record, BudgetError where the budget has no room for its releases.
  LocalSteps(const Params& params, const hearsay::models::Study& study);

  void on_start(hearsay::models::Context& context);
  void on_tick(hearsay::sim::AgentId i, hearsay::models::Context& context);
  /// Snapshots: all state is in the models and accounts.
  auto state() { return std::tie(); }

 private:
  static constexpr std::uint32_t kBatch = 0;  // purpose of the draws

  void learn(hearsay::sim::AgentId i, hearsay::models::Context& context);

  Params params_;
  Eigen::VectorXd average_, local_, regulariser_;  // y_0, y_k, grad g; p numbers
  hearsay::models::LocalVector gradient_;
  std::vector<Eigen::Index> batch_;
};

hearsay::models::ProtocolRow local_steps_row();

}  // namespace gossip
