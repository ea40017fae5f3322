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
#include <fmt/format.h>
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

namespace hearsay::models {

enum class Activation { kLoop, kPoisson };
constexpr auto choices_of(Activation) {
  return std::to_array<sim::Choice>({{"loop", "A turn begins when p_t has been received."},
                                     {"poisson", "A turn begins at each tick of the task's clock."}});
}

class AsyncMtl : public TaskLoop<AsyncMtl> {
 public:
  struct Params : MultitaskOptions, TaskLoopOptions {
    ColumnUpdate column_update = ColumnUpdate::kAll;
    Activation activation = Activation::kLoop;
    void describe(sim::Visitor& v) {
      v(column_update, {.name = "column_update",
                        .help = "Server update at the arrival of a gradient.",
                        .source = "Xie, Baytas, Lin, Zhou, Algorithm 1"});
      v(activation, {.name = "activation", .help = "Times at which a task begins a turn."});
      TaskLoopOptions::describe(v);
      MultitaskOptions::describe(v);
    }
    std::vector<std::string> notes(const Study& study) const {
      // Turn counts of tasks on like links differ by a few per cent; none has finished at 0.95 of all turns.
      constexpr double kAllActive = 0.95;
      std::vector<std::string> all = MultitaskOptions::notes(study);
      const double last =
          kAllActive * static_cast<double>(turns) * static_cast<double>(study.problem.owners());
      if (column_update == ColumnUpdate::kBlock || static_cast<double>(study.stop.iterations) <= last)
        return all;
      all.push_back(fmt::format(
          "warning: protocol.column_update: when a task has made all its turns, the arrivals of the others still "
          "move or shrink its column, without a new gradient; end the run before, for example with "
          "stop.iterations = {:.0f}",
          last));
      return all;
    }
  };

  static constexpr Entry kEntry =
      multitask_entry("async_mtl",
                      "Asynchronous multi-task learning: the server updates at every arrival; "
                      "tasks send private gradients.",
                      "protocol.alpha_1 and protocol.alpha_2", R"("alpha_1": 0.01)");
  static constexpr auto kMetrics = kMultitaskMetrics;

  /// Throws std::invalid_argument as MultitaskNodes does.
  AsyncMtl(const Params& params, const Study& study)
      : TaskLoop(params, study, params.activation == Activation::kPoisson),
        params_(params),
        nodes_(params, study),
        server_(params.column_update, params.regulariser, params.alpha_2, params.h(), zero_columns(study)),
        tolerance_(params.tolerance),
        sent_(zero_columns(study)),
        column_(study.problem.p()) {}
  void measure(std::size_t k, const World& world, std::span<double> out) const {
    measure_multitask(k,
                      {params_.objective(), server_.p(), nodes_.q(), log(), params_.epsilon_turn(world.study),
                       nodes_.violations()},
                      world, out);
  }
  auto state() { return std::tuple_cat(TaskLoop::state(), std::tie(nodes_, server_, tolerance_, sent_)); }

  const Columns& p() const { return server_.p(); }
  const Columns& q() const { return nodes_.q(); }

 private:
  friend TaskLoop<AsyncMtl>;

  void open(Context& context) {
    nodes_.open(context);
    tolerance_.start(server_, nodes_.q());
  }
  bool may_turn(std::size_t t, const Context& context) const { return nodes_.may_turn(t, context); }
  const Eigen::VectorXd& turn(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& p, Context& context) {
    message_ = *nodes_.turn(t, p, context);
    if (!params_.trusted_server) server_.prepare(p, message_);
    return message_;
  }
  const Eigen::VectorXd& update(std::size_t t, const Vector& message, const TaskTurn*, Context& context) {
    if (params_.trusted_server) {
      message_ = message;
      server_.prepare(sent_[t], message_);
      server_.put(t, message_);
    } else {
      server_.put(t, message);
    }
    server_.step();
    server_.column(t, column_);
    tolerance_.note_update(server_, nodes_.q());
    if (params_.trusted_server) {
      sent_[t] = column_;
      column_ = nodes_.noisy_column(t, column_, context);
    }
    return column_;
  }
  auto model(std::size_t t) const { return held(t) + nodes_.q()[t]; }
  void reset_server() {
    server_.clear();
    sent_.setZero();
  }
  void reset_task(std::size_t t) { nodes_.reset(t); }
  bool settled() const { return tolerance_.reached(); }

  Params params_;
  MultitaskNodes nodes_;
  MultitaskServer server_;
  Tolerance tolerance_;
  Columns sent_;  // trusted server: p_t without noise as it was last sent, d x T
  Eigen::VectorXd message_, column_;
};

}  // namespace hearsay::models
