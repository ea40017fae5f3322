#pragma once
// Synchronous private multi-task learning: the baseline of async_mtl. The turns of the tasks are the same
// (multitask/tasks.hpp). In a round the server (agent 0) sends every task its p_t, waits for all gradients, and moves
//
//   V_t <- p_t - alpha_2 g_t  for every task that answered
//   P   <- prox_h(V)
//
// which with all tasks answering is proximal gradient descent, P <- prox_h(P - alpha_2 S) (Xie, Baytas, Lin, Zhou,
// equation (7)).
//
// Over the network a round lasts as long as its slowest link: a task that is down or whose message is lost delays it
// until `round_timeout`, when the server goes on with the gradients it has; V_t of the others stays. A gradient that
// comes later is stale: it is discarded and its release stays spent. The first round begins from P = 0, which is
// public: nothing is sent for it. A task answers every column that is newer than the last it has received; it can not
// know whether the round is over. Iterations are rounds completed; one that a crash of the server ends counts when it
// is back, with P = 0. A task has at most `turns` turns; the run ends after so many rounds.
#include <Eigen/Core>

#include <cstdint>
#include <utility>
#include <vector>

#include "models/protocols/multitask/measures.hpp"
#include "models/protocols/multitask/options.hpp"
#include "models/protocols/multitask/server.hpp"
#include "models/protocols/multitask/tasks.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/requests.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

class SyncMtl {
 public:
  struct Params : MultitaskOptions {
    std::optional<sim::Time> round_timeout;
    void describe(sim::Visitor& v) {
      v(round_timeout,
        sim::positive("round_timeout",
                      "Maximum time the server waits for the tasks in a round; by default unlimited on a "
                      "reliable network, else 5 typical round trips, at least 1 s.",
                      "s"));
      MultitaskOptions::describe(v);
    }
    void require(const Setting& setting) const {
      if (trusted_server) throw sim::OptionError("trusted_server", "is a variant of async_mtl: leave it out");
      MultitaskOptions::require(setting);
    }
  };

  static constexpr Entry kEntry = [] {
    Entry entry = multitask_entry(
        "sync_mtl", "Synchronous multi-task learning: in each round the server waits for all tasks.",
        "protocol.alpha_1 and protocol.alpha_2", R"("alpha_1": 0.01)");
    entry.messages.rounds = true;
    return entry;
  }();
  static constexpr auto kMetrics = kMultitaskMetrics;

  /// Throws std::invalid_argument as MultitaskNodes does.
  SyncMtl(const Params& params, const Study& study)
      : params_(fitting(params, study)),
        timeout_(timeout_of(params.round_timeout, study)),
        nodes_(params, study),
        server_(ColumnUpdate::kBlock, params.regulariser, params.alpha_2, params.h(), zero_columns(study)),
        tolerance_(params.tolerance),
        answers_(zero_columns(study)),
        answered_(study.problem.owners()),
        received_(study.problem.owners()),
        departed_(study.problem.owners(), sim::kNever),
        column_(Eigen::VectorXd::Zero(study.problem.p())),
        log_(study.problem.owners()) {}

  void on_start(Context& context) {
    nodes_.open(context);
    tolerance_.start(server_, nodes_.q());
    begin_round(context);
  }
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context) {
    const Vector payload = vector_of(message);
    if (message.tag == kColumn) {
      std::uint32_t& received = received_[context.owner(message.to)];
      if (message.conversation <= received) {
        context.discard(message);
        return;
      }
      received = message.conversation;
      answer(message.to, payload, message.conversation, context);
      return;
    }
    if (!round_.match(message, context)) return;
    const std::size_t t = context.owner(message.from);
    answers_[t] = payload;
    answered_[t] = message.conversation;
    context.count_staleness(0, context.now() - message.sent);
    log_.departure[t] = log_.arrival[t] = static_cast<double>(context.iterations());
    if (round_.count_reply()) end_round(context);
  }
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context) {
    if (!round_.in_flight(round)) return;
    if (tag == kFirst) {
      column_.setZero();
      answer(agent, column_, round, context);
    } else {
      end_round(context);
    }
  }
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t round) const {
    return tag == kFirst ? "begin round" : timeout_name(round_.in_flight(round));
  }
  void on_up(sim::AgentId agent, Context& context) {
    if (agent == 0 && round_.restarts()) next_round(context);
  }
  /// Back from a crash: as at the start except for accounts, turns and the number of the round.
  void reset(sim::AgentId agent, Context& context) {
    if (agent == 0) {
      server_.clear();
      round_.crash();
      return;
    }
    const auto t = context.owner(agent);
    nodes_.reset(t);
    received_[t] = 0;
    departed_[t] = sim::kNever;
  }
  bool finished(const Context& context) const {
    return tolerance_.reached() || context.iterations() >= params_.turns;
  }
  void measure(std::size_t k, const World& world, std::span<double> out) const {
    measure_multitask(k,
                      {params_.objective(), server_.p(), nodes_.q(), log_, params_.epsilon_turn(world.study),
                       nodes_.violations()},
                      world, out);
  }
  auto state() {
    return std::tie(nodes_, server_, tolerance_, round_, answers_, answered_, received_, departed_, log_);
  }

  const Eigen::MatrixXd& p() const { return server_.p(); }
  const Eigen::MatrixXd& q() const { return nodes_.q(); }

 private:
  enum Tag : std::uint16_t { kGradient, kColumn, kTimeout, kFirst };

  void begin_round(Context& context) {
    const std::uint32_t round = round_.begin(context.owners());
    for (std::size_t t = 0; t < context.owners(); ++t) {
      const sim::AgentId task = context.agent_of(t);
      if (round > 1) {
        server_.column(t, column_);
        context.send(0, task, kColumn, round, column_);
      } else if (context.up(task)) {
        context.after(task, 0, kFirst, round);
      }
    }
    context.after(0, timeout_, kTimeout, round);
  }
  void answer(sim::AgentId task, const Eigen::Ref<const Eigen::VectorXd>& column, std::uint32_t round,
              Context& context) {
    const std::size_t t = context.owner(task);
    if (departed_[t] < sim::kNever)
      log_.count_reply(t, context.now() - std::exchange(departed_[t], sim::kNever));
    if (!nodes_.may_turn(t, context)) return;
    context.compute(task);
    message_ = *nodes_.turn(t, column, context);
    server_.prepare(column, message_);
    context.model(task) = column + nodes_.q()[t];
    log_.turns[t] = static_cast<double>(nodes_.turns(t));
    departed_[t] = context.leaves(task);
    context.send(task, 0, kGradient, round, message_);
  }
  void end_round(Context& context) {
    round_.end();
    for (std::size_t t = 0; t < context.owners(); ++t) {
      if (answered_[t] == round_.number()) server_.put(t, answers_[t]);
    }
    server_.step();
    tolerance_.note_update(server_, nodes_.q());
    next_round(context);
  }
  void next_round(Context& context) {
    if (round_.number() < params_.turns && !tolerance_.reached()) begin_round(context);
    context.count_iteration();
  }

  Params params_;
  sim::Time timeout_;
  MultitaskNodes nodes_;
  MultitaskServer server_;
  Tolerance tolerance_;
  Request round_;                        // to all tasks
  Columns answers_;                      // the last gradient of each task, d x T
  std::vector<std::uint32_t> answered_;  // by task: the round it answers
  std::vector<std::uint32_t> received_;  // by task: the last round whose column it has received
  std::vector<sim::Time> departed_;      // by task: when its last unanswered gradient left it; kNever: none
  Eigen::VectorXd message_, column_;
  TurnLog log_;
};

}  // namespace hearsay::models
