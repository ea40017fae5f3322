#pragma once
// Epidemic learning: in each round every agent sends its model to s random agents. de Vos, Farhadkhani, Guerraoui,
// Kermarrec, Pires, Sharma, "Epidemic Learning: Boosting Decentralized Learning with Randomized Communication" (2023),
// Algorithm 1. With n agents and s = `fan_out`, at its tick agent i begins its next round r:
//
//   x_i <- x_i + u_i               local training first, K steps from x_i (local_training.hpp)
//   x_i is sent to s agents
//   x_i <- (x_i + sum of the models received in the round)/(1 + their number)
//
//   local    EL-Local: s neighbours, all sets equally likely, drawn by each agent for itself; how many models an agent
//            receives is random. All neighbours, if there are fewer.
//   oracle   EL-Oracle: every agent sends s models and receives s, from a uniformly random set of s others. Needs a complete
//            graph. For round r the oracle draws s different shifts 0 < c_k < n, and agent i sends to (i + c_k) mod n.
//
// Without gradients one round on a complete graph multiplies E sum norm_2(x - mean)^2, mean that before the round, by
//
//   oracle   (1 - s/(n-1))/(s + 1); the mean is conserved
//   local    (1 - (1 - s/(n-1))^n)/s - 1/(n-1); the mean is conserved in expectation
//
// Over the network: x_i is at any time the mean of what the agent's round has received, so no agent waits for a message. The
// published rounds are those of clocks in phase and latencies below their period. Else the rounds of
// agents differ, and messages carry their sender's:
//   early   of a later round than the receiver's: kept, and averaged after the receiver's next local training. An agent
//           that ticks joins the latest round it has heard of; with the oracle, the latest that any agent has begun.
//   late    of an earlier round: averaged when it arrives.
// With another `aggregate` than the mean, its rule (models/aggregation/) is applied at a tick, before the local training, to x_i
// and all that has come since the tick before, early or late; all weights are equal.
// A model that is lost, or whose receiver is down, is missing from one mean and from nothing else. A crash takes the model
// back to the start, and the agent joins the next round it hears of.
//
// Iteration: a tick. Staleness: in rounds by which a model is late.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/aggregation/aggregation.hpp"
#include "models/learning/columns.hpp"
#include "models/protocols/gossip/random_peers.hpp"
#include "models/run/any_protocol.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

enum class EpidemicSampling { kLocal, kOracle };
constexpr auto choices_of(EpidemicSampling) {
  return std::to_array<sim::Choice>(
      {{"local", "EL-Local: each agent draws neighbours for itself"},
       {"oracle", "EL-Oracle: every agent also receives fan_out models; needs a complete graph"}});
}

class Epidemic : RandomPeers {
 public:
  struct Params : RandomPeerOptions {
    std::uint32_t fan_out = 1;
    EpidemicSampling sampling = EpidemicSampling::kLocal;
    AggregateOptions<NeighbourRules> rule;

    void describe(sim::Visitor& v) {
      v(fan_out,
        {.name = "fan_out", .help = "Number s of agents that an agent sends to in a round.", .min = 1});
      v(sampling, {.name = "sampling", .help = "Who draws the receivers."});
      rule.describe(v);
      RandomPeerOptions::describe(v);
    }
    std::vector<std::string> notes(const Study& study) const {
      std::vector<std::string> all = RandomPeerOptions::notes(study);
      if (sampling == EpidemicSampling::kOracle && std::holds_alternative<AgingView>(peers))
        all.emplace_back("protocol.peers has no effect with sampling oracle");
      return all;
    }
    void require(const Setting& setting) const {
      GossipOptions::require(setting);
      if (sampling == EpidemicSampling::kLocal) require_size(fan_out);
      if (setting.owners && fan_out >= *setting.owners)
        throw sim::OptionError("fan_out", "expected at most n - 1 = {}, found {}", *setting.owners - 1,
                               fan_out);
      const sim::Topology* graph = setting.topology;
      for (sim::AgentId i = 0; sampling == EpidemicSampling::kOracle && graph && i < graph->agents(); ++i) {
        const sim::AgentId others = graph->agents() - 1;
        if (graph->degree(i) < others) {
          throw sim::OptionError("sampling",
                                 "expected network.topology complete with oracle, found agent {} "
                                 "with {} of {} neighbours; use local",
                                 i, graph->degree(i), others);
        }
      }
    }
  };

  static constexpr Entry kEntry =
      gossip_entry("epidemic",
                   "Epidemic learning: in each round agents train, send to random agents "
                   "and average what they receive.",
                   {.rounds = true, .models = true});

  /// Throws OptionError for a fan_out of n or more, or if the oracle meets a graph that is not complete.
  Epidemic(const Params& params, const Study& study)
      : RandomPeers(params, study),
        params_(fitting(params, study)),
        rounds_(study.topology.agents()),
        early_(study.problem.p(), rounds_.size()),
        received_(params.rule.plain() ? 0 : rounds_.size()) {}

  void on_start(Context& context) { open_accounts(context); }
  void on_tick(sim::AgentId i, Context& context) {
    Round& round = rounds_[i];
    const bool oracle = params_.sampling == EpidemicSampling::kOracle;
    round.number = std::max({round.number + 1, round.newest, oracle ? latest_ : 0});
    if (!params_.rule.plain()) aggregate(i, context);
    if (const auto* update = local_update(i, context)) context.model(i) += *update;
    if (oracle) {
      if (round.number > latest_) draw_shifts(round.number, context);
      for (const sim::AgentId shift : shifts_)
        context.send(i, (i + shift + 1) % context.agents(), 0, round.number, context.model(i));
    } else {
      for (const sim::AgentId j : random_neighbours(i, params_.fan_out, context))
        context.send(i, j, 0, round.number, context.model(i));
    }
    round.averaged = 1 + round.early;
    if (round.early > 0) {
      context.model(i) = (context.model(i) + early_[i]) / round.averaged;
      early_[i].setZero();
      round.early = 0;
    }
    context.count_iteration();
  }
  void on_message(const sim::Message& message, Context& context) {
    const sim::AgentId i = message.to;
    Round& round = rounds_[i];
    const std::uint32_t number = message.conversation;
    context.count_staleness(round.number > number ? round.number - number : 0, context.now() - message.sent);
    round.newest = std::max(round.newest, number);
    if (!params_.rule.plain()) {
      received_[i].push_back({message.from, context.hold(message)});
    } else if (number > round.number) {
      early_[i] += vector_of(message);
      ++round.early;
    } else {
      context.model(i) += (vector_of(message) - context.model(i)) / ++round.averaged;
    }
  }
  using RandomPeers::foresight;
  // With another rule than the mean, training begins from what the rule will make.
  void foresee_tick(sim::AgentId i, const Context& context, std::uint32_t room) const {
    if (params_.rule.plain()) training_.foresee(i, context.models().col(i), context, {}, room);
  }
  void reset(sim::AgentId i, Context&) {
    rounds_[i] = {};
    early_[i].setZero();
    if (!received_.empty()) received_[i].clear();
    training_.reset(i);
  }
  auto state() {
    return std::tuple_cat(RandomPeers::state(), std::tie(rounds_, early_, shifts_, latest_, received_));
  }

 private:
  static constexpr std::uint32_t kShifts = kFreePurpose;  // purpose of the draws
  struct Round {
    std::uint32_t number = 0, newest = 0;   // newest that has been heard of
    std::uint32_t averaged = 1, early = 0;  // models in x_i, its own included, and in early_
    auto state() { return std::tie(number, newest, averaged, early); }
  };

  struct Model {
    sim::AgentId from = 0;
    sim::HeldPayload payload;
    auto state() { return std::tie(from, payload); }
  };

  void aggregate(sim::AgentId i, Context& context) {
    gathered_.clear();
    gathered_.centre = context.model(i);
    const double weight = 1 / static_cast<double>(received_[i].size() + 1);
    gathered_.add(weight, gathered_.centre);
    for (const Model& one : received_[i])
      gathered_.add(weight, vector_of(one.payload.numbers()), context.is_hostile(one.from));
    received_[i].clear();
    if (context.aggregate(params_.rule, i, gathered_, aggregate_)) context.model(i) = aggregate_;
  }
  // The oracle begins a round.
  void draw_shifts(std::uint32_t round, Context& context) {
    latest_ = round;
    const auto drawn = draw(params_.fan_out, context.agents() - 1, context.random(kShifts, 0));
    shifts_.assign(drawn.begin(), drawn.end());
  }

  Params params_;
  std::vector<Round> rounds_;                 // by agent
  Columns early_;                             // sum of the early models, by agent
  std::vector<sim::AgentId> shifts_;          // of the oracle's latest round
  std::uint32_t latest_ = 0;                  // round of the oracle
  std::vector<std::vector<Model>> received_;  // by agent, since its last tick; for rules other than the mean
  Gathered gathered_;
  Eigen::VectorXd aggregate_;
};

}  // namespace hearsay::models
