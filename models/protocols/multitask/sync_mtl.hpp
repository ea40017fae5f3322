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
#include <vector>

#include "models/protocols/multitask/measures.hpp"
#include "models/protocols/multitask/options.hpp"
#include "models/protocols/multitask/server.hpp"
#include "models/protocols/multitask/tasks.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

class SyncMtl {
 public:
  struct Params : MultitaskOptions {
    std::optional<sim::Time> round_timeout;
    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
  };

  static constexpr Entry kEntry{
      .name = "sync_mtl",
      .help = "Synchronous multi-task learning: in each round the server waits for all tasks.",
      .hub = true,
      .by_turn = true,
      .joint = false,
      .own_models = true,
      .step = "protocol.alpha_1 and protocol.alpha_2",
      .example = R"("alpha_1": 0.01)"};
  static constexpr auto kMetrics = kMultitaskMetrics;

  /// Throws std::invalid_argument as MultitaskNodes does.
  SyncMtl(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context);
  std::string_view timer_name(sim::AgentId, std::uint16_t tag, std::uint32_t round) const {
    return tag == kFirst ? "begin round" : timeout_name(round_.in_flight(round));
  }
  void on_up(sim::AgentId agent, Context& context);
  /// Back from a crash: as at the start except for accounts, turns and the number of the round.
  void reset(sim::AgentId agent, Context& context);
  bool finished(const Context& context) const;
  void measure(std::size_t k, const World& world, std::span<double> out) const;

  const Eigen::MatrixXd& p() const { return server_.p(); }
  const Eigen::MatrixXd& q() const { return nodes_.q(); }

 private:
  enum Tag : std::uint16_t { kGradient, kColumn, kTimeout, kFirst };

  void begin_round(Context& context);
  void answer(sim::AgentId task, const Eigen::Ref<const Eigen::VectorXd>& column, std::uint32_t round,
              Context& context);
  void end_round(Context& context);
  void next_round(Context& context);

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

ProtocolRow sync_mtl_row();

}  // namespace hearsay::models
