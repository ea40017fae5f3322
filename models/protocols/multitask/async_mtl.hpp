#pragma once
// Asynchronous private multi-task learning with a server that is not trusted.
//
// Xie, Baytas, Lin, Zhou, "Privacy-Preserving Distributed Multi-Task Learning with Asynchronous Updates", KDD 2017,
// Algorithm 1. The server's updates, one of which goes back to Baytas, Yan, Jain, Zhou, "Asynchronous Multi-Task
// Learning", ICDM 2016, are in multitask/server.hpp, a task's turn in multitask/tasks.hpp, its noise in
// multitask/sensitivity.hpp, the loop over the network, its timeouts and crashes in multitask/task_loop.hpp:
//
//   task t    g_t from p_t as it last received it (0 before the first); sends g_t, block: p_t - alpha_2 g_t
//   server    P <- its update by what has arrived; sends p_t
//
// As in the paper a leg may be late in one direction only: network.delayed_direction.
//
// trusted_server: tasks send exact gradients, and each p_t that the server sends is noisy.
// activation poisson: a task begins a turn at each tick of its clock, whatever is in flight.
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/protocols/multitask/measures.hpp"
#include "models/protocols/multitask/options.hpp"
#include "models/protocols/multitask/server.hpp"
#include "models/protocols/multitask/task_loop.hpp"
#include "models/protocols/multitask/tasks.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

enum class Activation { kLoop, kPoisson };

class AsyncMtl : public TaskLoop<AsyncMtl> {
 public:
  struct Params : MultitaskOptions, TaskLoopOptions {
    ColumnUpdate column_update = ColumnUpdate::kAll;
    Activation activation = Activation::kLoop;
    void describe(sim::Visitor& v);
    std::vector<std::string> notes(const Study& study) const;
  };

  static constexpr Entry kEntry{.name = "async_mtl",
                                .help =
                                    "Asynchronous multi-task learning: the server updates at every arrival; "
                                    "tasks send private gradients.",
                                .hub = true,
                                .by_turn = true,
                                .joint = false,
                                .own_models = true,
                                .step = "protocol.alpha_1 and protocol.alpha_2",
                                .example = R"("alpha_1": 0.01)"};
  static constexpr auto kMetrics = kMultitaskMetrics;

  /// Throws std::invalid_argument as MultitaskNodes does.
  AsyncMtl(const Params& params, const Study& study);
  void measure(std::size_t k, const World& world, std::span<double> out) const;

  const Columns& p() const { return server_.p(); }
  const Columns& q() const { return nodes_.q(); }

 private:
  friend TaskLoop<AsyncMtl>;

  void open(Context& context);
  bool may_turn(std::size_t t, const Context& context) const { return nodes_.may_turn(t, context); }
  const Eigen::VectorXd& turn(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& p, Context& context);
  const Eigen::VectorXd& update(std::size_t t, const Vector& message, const TaskTurn* turn, Context& context);
  auto model(std::size_t t) const { return held(t) + nodes_.q()[t]; }
  void reset_server();
  void reset_task(std::size_t t) { nodes_.reset(t); }
  bool settled() const { return tolerance_.reached(); }

  Params params_;
  MultitaskNodes nodes_;
  MultitaskServer server_;
  Tolerance tolerance_;
  Columns sent_;  // trusted server: p_t without noise as it was last sent, d x T
  Eigen::VectorXd message_, column_;
};

ProtocolRow async_mtl_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::Activation> {
  static constexpr std::array kValues{Choice{"loop", "A turn begins when p_t has been received."},
                                      Choice{"poisson", "A turn begins at each tick of the task's clock."}};
};
}  // namespace hearsay::sim
