#pragma once
// Synchronous rounds of gossip: in a round every agent i sends x_i to its neighbours and receives
//
//   (W x)_i = sum_j W_ij x_j                                  W: mixing_weights.hpp
//
// or, with another `aggregate` than the mean, what its rule makes of x_i and of the x_j that have come (models/aggregation/).
//
// A protocol P says what an agent does besides, in
//
//   void begin(i, round, context)    sends the model by send_model(); may add to the sum of the round
//   void end(i, round, context)      sets model(i): by aggregate(), or if that does nothing from mixed(), (W x)_i and what
//                                    begin() has added
//   bool pauses(round)               whether the next begin() is an event of its own, so that it does not change the models
//                                    that are looked at after end()
//
// Over the network: messages are numbered by round. An agent mixes once it has every neighbour's message of its round; then
// its next round begins. Clocks have no effect. Without losses the neighbours of an agent are at most one round ahead: what
// they send is kept.
//   missing      After `round_timeout` the W_ij of a missing message goes to the agent itself: its W stays stochastic by
//                rows, but no longer by columns: the mean moves. A message of an earlier round is discarded.
//   left behind  An agent that hears of a round later than the next one mixes what it has and begins that round.
//   crash        The agent has its starting model and begins again with round 1, until it hears of later ones.
// No agent waits longer than a timeout, and an agent that is behind has what its next round needs or skips rounds: there is no
// deadlock, and agents out of step catch up. Iteration: an agent completes a round. Nothing that is mixed is stale.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/aggregation/aggregation.hpp"
#include "models/aggregation/mixing_weights.hpp"
#include "models/protocols/gossip/gossip_agents.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

struct GossipRoundOptions : GossipOptions {
  MixingWeights mixing = MixingWeights::kMetropolis;
  AggregateOptions<NeighbourRules> rule;
  std::optional<sim::Time> round_timeout;

  void describe(sim::Visitor& v) {
    v(mixing, {.name = "mixing", .help = "Weights W_ij of the neighbours' models."});
    rule.describe(v);
    v(round_timeout,
      sim::positive("round_timeout",
                    "Maximum time an agent waits for its neighbours in a round, from the end of its "
                    "computation; by default "
                    "unlimited on a reliable network, else 5 typical round trips, at least 1 s.",
                    "s"));
    LocalTraining::Params::describe(v);
  }
  /// Throws as GossipOptions::require, and OptionError for weights of links that are none of a mean.
  void require(const Setting& setting) const {
    GossipOptions::require(setting);
    if (mixing == MixingWeights::kLinks && setting.topology != nullptr) require_mean(*setting.topology);
  }
  std::vector<std::string> notes(const Study& study) const {
    std::vector<std::string> all = GossipOptions::notes(study);
    rule.note_too_few(largest_degree(study.topology) + std::size_t{1}, all);
    return all;
  }
  OwnPace self_paced() const { return OwnPace::kMessages; }
  bool uses_late_replies() const { return true; }  // a round waits for one latency, not for a round trip

 private:
  static void require_mean(const sim::Topology& graph) {
    constexpr double kRounding = 1e-12;
    for (sim::AgentId i = 0; i < graph.agents(); ++i) {
      double sum = 0;
      for (std::uint32_t k = 0; k < graph.degree(i); ++k) sum += graph.weight(graph.first_edge(i) + k);
      if (sum > 1 + kRounding)
        throw sim::OptionError("mixing",
                               "expected weights of links with a sum of at most 1 with links, "
                               "found {:g} of agent {}; see network.topology.weights",
                               sum, i);
    }
  }
};

template <class P>
class GossipRounds : public GossipAgents {
 public:
  GossipRounds(const GossipRoundOptions& options, const Study& study)
      : GossipAgents(options, study),
        mixing_(fitting(options, study).mixing),
        rule_(options.rule),
        timeout_(timeout_of(options.round_timeout, study)),
        graph_(study.topology),
        largest_degree_(largest_degree(graph_)),
        rounds_(graph_.agents()),
        heard_(4 * std::size_t{graph_.edges()}),
        sums_(study.problem.p(), 2 * rounds_.size()),
        held_(rule_.plain() ? 0 : heard_.size()) {}

  void on_start(Context& context) {
    open_accounts(context);
    for (sim::AgentId i = 0; i < context.agents(); ++i) context.after(i, 0, kBegin);
  }
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context) {
    const sim::AgentId i = message.to;
    const std::uint32_t number = message.conversation;
    Round& round = rounds_[i];
    const std::size_t place = 2 * std::size_t{graph_.edge(i, message.from)} + number % 2;
    std::uint32_t& heard = heard_[place];
    if (number <= heard || number < round.number || number <= round.completed)
      return context.discard(message);
    if (number > round.number + 1) {
      if (round.number > round.completed) mix(i, context);
      forget(i, number);
      forget(i, number + 1);
      if (self().pauses(number - 1)) {
        round.number = round.completed = number - 1;
        context.after(i, 0, kNext, number - 1);
      } else {
        begin_round(i, number, context);
      }
    }
    const double w = mixing_weight(mixing_, graph_, i, message.from, largest_degree_);
    context.count_staleness(0, context.now() - message.sent);
    if (rule_.plain()) {
      sum(i, number) += w * vector_of(message);
    } else {
      held_[place] = context.hold(message);
    }
    round.weight[number % 2] += w;
    heard = number;
    const bool all = ++round.heard[number % 2] == context.degree(i);
    if (all && number == round.number) context.after(i, 0, kMix, number);
  }
  void on_timer(sim::AgentId i, std::uint16_t, std::uint32_t round, Context& context) {
    if (round != rounds_[i].number) return;
    if (round > rounds_[i].completed) {
      mix(i, context);
      if (self().pauses(round)) return context.after(i, 0, kNext, round);
    }
    begin_round(i, round + 1, context);
  }
  std::string_view timer_name(sim::AgentId i, std::uint16_t tag, std::uint32_t round) const {
    if (tag == kTimeout) return timeout_name(rounds_[i].number == round);
    return tag == kMix ? "mix" : tag == kNext ? "next round" : "first round";
  }
  void reset(sim::AgentId i, Context& context) {
    forget(i, 0);
    forget(i, 1);
    rounds_[i] = {};
    std::fill_n(heard_.begin() + static_cast<std::ptrdiff_t>(2 * graph_.first_edge(i)), 2 * context.degree(i),
                0u);
    training_.reset(i);
    context.after(i, 0, kBegin);
  }

  bool pauses(std::uint32_t) const { return false; }
  auto state() { return std::tuple_cat(GossipAgents::state(), std::tie(rounds_, heard_, sums_, held_)); }

 protected:
  void send_model(sim::AgentId i, std::uint32_t round, Context& context) {
    context.send(i, context.neighbours(i), kModel, round, context.model(i));
  }
  /// Sum of the W_ij x_j received for a round, to which begin() may add.
  Columns::ColXpr sum(sim::AgentId i, std::uint32_t round) { return sums_[2 * std::size_t{i} + round % 2]; }
  /// That, and the W_ii x_i of the agent itself.
  auto mixed(sim::AgentId i, std::uint32_t round, Context& context) {
    return (1 - rounds_[i].weight[round % 2]) * context.model(i) + sum(i, round);
  }
  /// With another rule than the mean: sets model(i) by it, and adds what begin() has added. Returns whether it did.
  bool aggregate(sim::AgentId i, std::uint32_t round, Context& context) {
    if (rule_.plain()) return false;
    gathered_.clear();
    gathered_.centre = context.model(i);
    gathered_.add(1 - rounds_[i].weight[round % 2], gathered_.centre);
    for (std::uint32_t k = 0; k < graph_.degree(i); ++k) {
      const sim::AgentId j = graph_.neighbours(i)[k];
      const auto numbers = held_[2 * (std::size_t{graph_.first_edge(i)} + k) + round % 2].numbers();
      if (!numbers.empty())
        gathered_.add(mixing_weight(mixing_, graph_, i, j, largest_degree_), vector_of(numbers),
                      context.is_hostile(j));
    }
    if (context.aggregate(rule_, i, gathered_, aggregate_)) context.model(i) = aggregate_;
    context.model(i) += sum(i, round);
    return true;
  }
  /// Whether every neighbour's message of a round has arrived.
  bool complete(sim::AgentId i, std::uint32_t round, Context& context) const {
    return rounds_[i].heard[round % 2] == context.degree(i);
  }
  /// The last round that agent i has completed; 0 before the first, or after a crash.
  std::uint32_t completed(sim::AgentId i) const { return rounds_[i].completed; }

 private:
  enum Tag : std::uint16_t { kModel, kBegin, kMix, kTimeout, kNext };
  // A round and the one after it share the pairs below, by the parity of their numbers.
  struct Round {
    std::uint32_t number = 0, completed = 0;
    std::array<std::uint32_t, 2> heard{};  // neighbours
    std::array<double, 2> weight{};        // sum of their W_ij
    auto state() { return std::tie(number, completed, heard, weight); }
  };

  P& self() { return static_cast<P&>(*this); }
  void begin_round(sim::AgentId i, std::uint32_t number, Context& context) {
    Round& round = rounds_[i];
    round.number = number;
    self().begin(i, number, context);
    context.after(i, timeout_, kTimeout, number);
    if (round.heard[number % 2] == context.degree(i)) context.after(i, 0, kMix, number);
  }
  void mix(sim::AgentId i, Context& context) {
    const std::uint32_t number = rounds_[i].number;
    self().end(i, number, context);
    rounds_[i].completed = number;
    forget(i, number);
    context.count_iteration();
  }
  // What has been received for a round.
  void forget(sim::AgentId i, std::uint32_t round) {
    sum(i, round).setZero();
    for (std::uint32_t k = 0; !held_.empty() && k < graph_.degree(i); ++k)
      held_[2 * (std::size_t{graph_.first_edge(i)} + k) + round % 2] = {};
    rounds_[i].heard[round % 2] = 0;
    rounds_[i].weight[round % 2] = 0;
  }

  MixingWeights mixing_;
  AggregateOptions<NeighbourRules> rule_;
  sim::Time timeout_;
  const sim::Topology& graph_;
  std::uint32_t largest_degree_;
  std::vector<Round> rounds_;           // by agent
  std::vector<std::uint32_t> heard_;    // two for each directed edge i -> j: rounds that i has heard of j
  Columns sums_;                        // two for each agent
  std::vector<sim::HeldPayload> held_;  // as heard_: what was heard, for rules other than the mean
  Gathered gathered_;
  Eigen::VectorXd aggregate_;
};

}  // namespace hearsay::models
