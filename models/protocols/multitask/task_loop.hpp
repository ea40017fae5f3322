#pragma once
// The loop of tasks that a server answers one by one, without waiting for the others (async_mtl, amtl).
//
// Agent 0 is the server, owner t's agent t + 1 is task t. A task makes a turn from the p_t that it last received and
// sends the result; the server updates P at every arrival and sends p_t back, with which the next turn begins. So the
// rate of a task is that of its links and computation. Iterations are server updates.
//
// A turn is a request, its number the number of the turn (run/requests.hpp). A message that is lost would end a
// task's loop: a task that has waited for `timeout` s, or comes up again, begins another turn from the p_t it has.
// What the lost turn released stays spent. A p_t that comes late is used if it is newer than the one held, by the
// count of server updates ("version"), and discarded if not. A task stops when it may make no more turns; the run
// ends when all have and the last replies are in or given up.
#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/protocols/multitask/measures.hpp"
#include "models/run/requests.hpp"
#include "models/run/timeout.hpp"

namespace hearsay::models {

struct TaskLoopOptions {
  std::optional<sim::Time> timeout;
  static constexpr bool uses_late_replies() { return true; }

  void describe(sim::Visitor& v) {
    v(timeout,
      sim::positive("timeout",
                    "Time a task waits for p_t before it begins another turn; by default unlimited on "
                    "a reliable network, else 5 typical round trips, at least 1 s.",
                    "s"));
  }
};

/// A turn of a task whose message or reply may be in flight.
struct TaskTurn {
  std::uint64_t used = 0;    ///< version that it started from
  std::uint64_t reply = 0;   ///< version that it was answered with; 0: not yet
  sim::Time departed = 0;    ///< when its message left the task, s
  sim::Time used_since = 0;  ///< when the server sent the version that it started from, s
  auto state() { return std::tie(used, reply, departed, used_since); }
};

/// A protocol derives from it and has
///   void open(Context&)                                       accounts and models at the start
///   bool may_turn(t, const Context&) const                    whether task t may make another turn
///   const VectorXd& turn(t, p_t, Context&)                    makes one; what the task sends
///   const VectorXd& update(t, message, turn, Context&)        the server's update; the p_t that it sends back. turn:
///                                                             const TaskTurn*, null if it has been forgotten
///   auto model(t) const                                       the model that task t shows
///   void reset_server(), void reset_task(t)                   back from a crash
///   bool settled() const                                      whether the run may end
template <class Protocol>
class TaskLoop {
 public:
  void on_start(Context& context) {
    self().open(context);
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const sim::AgentId task = context.agent_of(t);
      if (!by_clock_ && context.up(task)) context.after(task, 0, kBegin);
    }
  }
  void on_tick(sim::AgentId agent, Context& context) {
    if (by_clock_) begin(agent, context);
  }
  void on_up(sim::AgentId agent, Context& context) {
    if (agent == 0 || by_clock_ || !self().may_turn(context.owner(agent), context)) return;
    tasks_[context.owner(agent)].waits = false;
    context.after(agent, 0, kBegin);
  }
  void on_message(const sim::Message& message, Context& context) {
    if (message.tag == kTurn) {
      update(message, context);
    } else {
      receive(message, context);
    }
  }
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t turn, Context& context) {
    const std::size_t t = context.owner(agent);
    const bool due = tag == kBegin ? !tasks_[t].waits : stop_waiting(t, turn);
    if (due && !by_clock_) begin(agent, context);
  }
  std::string_view timer_name(sim::AgentId agent, std::uint16_t tag, std::uint32_t turn) const {
    const std::size_t t = agent - 1;  // agent 0 is the server
    return tag == kBegin ? "begin turn" : timeout_name(tasks_[t].waits && turn == turns(t));
  }
  /// Back from a crash: as at the start except for accounts and turns.
  void reset(sim::AgentId agent, Context& context) {
    if (agent == 0) {
      self().reset_server();
      return;
    }
    const auto t = context.owner(agent);
    held_[t] = start_[t];
    tasks_[t].held = 0;
    tasks_[t].held_since = -1;
    tasks_[t].waits = false;
    self().reset_task(t);
  }
  bool finished(const Context& context) const {
    if (self().settled()) return true;
    // From the task that went on last: it is asked after every event.
    for (std::size_t k = 0; k < tasks_.size(); ++k, going_on_ = (going_on_ + 1) % tasks_.size()) {
      if (tasks_[going_on_].waits || self().may_turn(going_on_, context)) return false;
    }
    return true;
  }
  auto state() { return std::tie(held_, tasks_, log_); }

 protected:
  /// `by_clock`: turns begin at ticks, whatever is in flight.
  TaskLoop(const TaskLoopOptions& options, const Study& study, bool by_clock = false)
      : timeout_(timeout_of(options.timeout, study)),
        by_clock_(by_clock),
        tasks_(study.problem.owners()),
        log_(tasks_.size()) {
    start_at(zero_columns(study));
  }

  /// What every task holds at the start, d x T; 0 if it is not called.
  void start_at(const Columns& p) { start_ = held_ = p; }

  /// p_t as task t last received it.
  auto held(std::size_t t) const { return held_[t]; }
  /// Turns that task t has made.
  std::uint32_t turns(std::size_t t) const { return tasks_[t].turns.last(); }
  const TurnLog& log() const { return log_; }

 private:
  enum Tag : std::uint16_t { kTurn, kColumn, kTimeout, kBegin };
  // Turns that are remembered: those since the last whose reply was used and some before it, at most kMost. Replies
  // to older ones are stale.
  static constexpr std::size_t kFew = 16, kMost = 1024;
  struct Task {
    Requests<TaskTurn> turns{kFew, kMost};
    bool waits = false;      // for the reply to its last turn
    std::uint64_t held = 0;  // version that it holds
    sim::Time held_since =
        -1;  // when the server sent that, or the first turn from the start began, s; -1: not yet
    auto state() { return std::tie(turns, waits, held, held_since); }
  };

  Protocol& self() { return static_cast<Protocol&>(*this); }
  const Protocol& self() const { return static_cast<const Protocol&>(*this); }

  void begin(sim::AgentId agent, Context& context) {
    const std::size_t t = context.owner(agent);
    if (!self().may_turn(t, context)) return;
    context.compute(agent);
    const Eigen::VectorXd& message = self().turn(t, held(t), context);
    Task& task = tasks_[t];
    if (task.held_since < 0) task.held_since = context.now();
    task.turns.begin() = {
        .used = task.held, .departed = context.leaves(agent), .used_since = task.held_since};
    task.waits = true;
    log_.turns[t] = turns(t);
    context.model(agent) = self().model(t);
    context.send(agent, 0, kTurn, turns(t), message);
    context.after(agent, timeout_, kTimeout, turns(t));
  }

  // At the server: update number iterations + 1, which is the version of the reply.
  void update(const sim::Message& message, Context& context) {
    const std::size_t t = context.owner(message.from);
    const std::uint64_t version = context.iterations() + 1;
    TaskTurn* const turn = tasks_[t].turns.find(message.conversation);
    if (turn != nullptr) {
      context.count_staleness(static_cast<double>(version - 1 - turn->used), context.now() - message.sent);
      log_.departure[t] = static_cast<double>(turn->used);
      log_.arrival[t] = static_cast<double>(version - 1);
      turn->reply = version;
    }
    const Vector payload = vector_of(message);
    context.send(0, message.from, kColumn, message.conversation, self().update(t, payload, turn, context));
    context.count_iteration();
  }

  // At the task.
  void receive(const sim::Message& message, Context& context) {
    const std::size_t t = context.owner(message.to);
    Task& task = tasks_[t];
    const TaskTurn* const turn = task.turns.find(message.conversation);
    if (turn != nullptr && turn->reply > task.held) {
      task.held = turn->reply;
      task.held_since = message.sent;
      task.turns.recycle_through(message.conversation);
      log_.count_reply(t, context.now() - turn->departed);
      held_[t] = vector_of(message);
      context.model(message.to) = self().model(t);
    } else {
      context.discard(message);
    }
    if (stop_waiting(t, message.conversation) && !by_clock_) begin(message.to, context);
  }

  // If task t waits for the reply to this turn, it waits no more.
  bool stop_waiting(std::size_t t, std::uint32_t turn) {
    return turn == turns(t) && std::exchange(tasks_[t].waits, false);
  }

  sim::Time timeout_;
  bool by_clock_;
  Columns start_, held_;  // d x T
  std::vector<Task> tasks_;
  mutable std::size_t going_on_ = 0;  // a task that was not finished when last asked
  TurnLog log_;
};

}  // namespace hearsay::models
