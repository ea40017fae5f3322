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
// A model that is lost, or whose receiver is down, is missing from one mean and from nothing else. A crash takes the model
// back to the start, and the agent joins the next round it hears of.
//
// Iteration: a tick. Staleness: in rounds by which a model is late.
#include <cstdint>
#include <vector>

#include "models/learning/columns.hpp"
#include "models/protocols/gossip/gossip_agents.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

enum class EpidemicSampling { kLocal, kOracle };

class Epidemic : GossipAgents {
 public:
  struct Params : GossipOptions {
    std::uint32_t fan_out = 1;
    EpidemicSampling sampling = EpidemicSampling::kLocal;

    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
  };

  static constexpr Entry kEntry{.name = "epidemic",
                                .help =
                                    "Epidemic learning: in each round agents train, send to random agents "
                                    "and average what they receive.",
                                .any_model = true,
                                .step = "the step size (protocol.step)"};

  /// Throws OptionError for a fan_out of n or more, or if the oracle meets a graph that is not complete.
  Epidemic(const Params& params, const Study& study);

  void on_start(Context& context) { open_accounts(context); }
  void on_tick(sim::AgentId i, Context& context);
  void on_message(const sim::Message& message, Context& context);
  void reset(sim::AgentId i, Context& context);

 private:
  static constexpr std::uint32_t kShifts = kFreePurpose;  // purpose of the draws
  struct Round {
    std::uint32_t number = 0, newest = 0;   // newest that has been heard of
    std::uint32_t averaged = 1, early = 0;  // models in x_i, its own included, and in early_
  };

  // The oracle begins a round.
  void draw_shifts(std::uint32_t round, Context& context);

  Params params_;
  std::vector<Round> rounds_;         // by agent
  Columns early_;                     // sum of the early models, by agent
  std::vector<sim::AgentId> shifts_;  // of the oracle's latest round
  std::uint32_t latest_ = 0;          // round of the oracle
};

ProtocolRow epidemic_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::EpidemicSampling> {
  static constexpr std::array kValues{
      Choice{"local", "EL-Local: each agent draws neighbours for itself"},
      Choice{"oracle", "EL-Oracle: every agent also receives fan_out models; needs a complete graph"}};
};
}  // namespace hearsay::sim
