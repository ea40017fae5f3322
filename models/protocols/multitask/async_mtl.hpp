#pragma once
// Asynchronous private multi-task learning with a server that is not trusted.
//
// Xie, Baytas, Lin, Zhou, "Privacy-Preserving Distributed Multi-Task Learning with Asynchronous Updates", KDD 2017,
// Algorithm 1; the server's forms, one of which goes back to Baytas, Yan, Jain, Zhou, "Asynchronous Multi-Task
// Learning", ICDM 2016, are in multitask/server.hpp, a task's turn in multitask/tasks.hpp, its noise in
// multitask/options.hpp.
//
// Agent 0 is the server, owner t's agent t + 1 is task t. A task makes a turn from the p_t that it last received (0
// before the first) and sends its gradient; the server updates P at every arrival without waiting for anybody, and
// sends p_t back, with which the next turn begins. So the rate of a task is that of its links and computation.
// Iterations are server updates. As in the paper a leg may be late in one direction only: network.delayed_direction.
//
// A gradient or p_t that is lost would end a task's loop: a task that has heard nothing for `timeout` s, or comes
// up again, begins another turn from the p_t it has. What the lost turn released stays spent. A p_t that comes
// late is taken if it is newer than the one held. A task stops after `turns` turns; the run ends when all have
// and the last answers are in or given up.
//
// activation poisson: a task begins a turn at each tick of its clock, whatever is still under way.
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/protocol.hpp"
#include "models/core/registry.hpp"
#include "models/protocols/multitask/measures.hpp"
#include "models/protocols/multitask/options.hpp"
#include "models/protocols/multitask/server.hpp"
#include "models/protocols/multitask/tasks.hpp"

namespace hearsay::models {

enum class Activation { kLoop, kPoisson };

class AsyncMtl {
 public:
  struct Params : MultitaskOptions {
    ColumnUpdate column_update = ColumnUpdate::kAll;
    Activation activation = Activation::kLoop;
    sim::Time timeout = 1;
    void describe(sim::Visitor& v);
  };

  static constexpr Entry kEntry{
      .name = "async_mtl",
      .help = "Multi-task learning: a server that updates at every arrival, tasks with private gradients.",
      .hub = true,
      .by_turn = true,
      .joint = false,
      .own_models = true};
  static constexpr auto kMetrics = kMultitaskMetrics;

  /// Throws std::invalid_argument as MultitaskNodes does.
  AsyncMtl(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId agent, Context& context);
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t turn, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  /// Back from a crash: as at the start, but for accounts and turns.
  void reset(sim::AgentId agent, Context& context);
  bool finished(const Context& context) const;
  void measure(std::size_t k, const World& world, std::span<double> out) const;

  const Eigen::MatrixXd& p() const { return server_.p(); }
  const Eigen::MatrixXd& q() const { return nodes_.q(); }

 private:
  enum Tag : std::uint16_t { kGradient, kColumn, kTimeout, kBegin };

  void begin(sim::AgentId task, Context& context);
  void update(const sim::Message& gradient, Context& context);
  void receive(const sim::Message& column, Context& context);

  Params params_;
  MultitaskNodes nodes_;
  MultitaskServer server_;
  Eigen::MatrixXd held_;  // p_t as task t last received it
  Eigen::MatrixXd sent_;  // trusted server: p_t without noise as it was last sent
  TurnLoop loop_;
  Eigen::VectorXd message_, column_;
  Eigen::MatrixXd last_w_;  // with a tolerance
  bool settled_ = false;
};

ProtocolRow async_mtl_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::Activation> {
  static constexpr std::array kValues{Choice{"loop", "A turn begins when p_t has come back."},
                                      Choice{"poisson", "A turn begins at each tick of the task's clock."}};
};
}  // namespace hearsay::sim
