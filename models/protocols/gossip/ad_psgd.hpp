#pragma once
// AD-PSGD: asynchronous pairwise averaging. Lian, Zhang, Zhang, Liu, "Asynchronous Decentralized Parallel Stochastic
// Gradient Descent" (2018), Algorithm 1.
//
//   tick of agent i   j drawn uniformly from the neighbours;  x_i, x_j <- (x_i + x_j)/2   at one instant
//                     x_i <- x_i + u_i,  u_i = -step * gradient at the x_i before averaging
//
// With K local steps u_i = x_K - x_0 (local_training.hpp). The exchange takes two messages:
//
//   i -> j   proposal x_i              i does its computation meanwhile and adds u_i
//   j        d = (x_j - x_i)/2,  x_j <- x_j - d
//   j -> i   d                         x_i <- x_i + d
//
// With a box every model is projected as it changes, in place of the last local step's projection. What that cuts off x_i is
// added again with d, x_i <- Pi[x_i + cut + d], so that with zero latency x_i <- Pi[(x_i + x_j)/2 + u_i].
//
// With `aggregate` centered_clipping d is at most tau/2 long on both sides (passes 1): agent j makes
// x_j - d = x_j + (1/2)(x_i - x_j) min(1, tau/norm_2(x_i - x_j)), and agent i clips 2 d in the same way, which leaves an honest d
// as it is.
//
// An agent has one proposal in flight and then takes part in no other exchange: it refuses proposals by an empty message,
// so that no agent waits for a busy one and there is no deadlock (the paper makes the graph bipartite instead). A tick of
// an agent that waits makes the local update alone. If neither answer comes within `timeout`, the agent exchanges again.
//
// What holds. Exchanges conserve the sum of all models plus the d in flight, in any order and with any latency, because a d
// that comes after the timeout is still added. With zero latency both agents have the mean at one instant, as published;
// without gradients on a complete graph, E sum norm_2(x - mean)^2 then falls by exactly 1 - 1/(n-1) per exchange. With
// latency, x_i is the mean of the two at the time at which j answers, apart from updates since; only after a timeout may
// it have averaged with others meanwhile. A lost d moves the mean of the models by d/n: no exchange of messages over
// links that lose them can prevent that. A lost proposal or refusal changes nothing. A crash takes the agent's model back
// to the start and ends its exchange; a d on its way to it is discarded.
//
// Iteration: a tick. Staleness: of a proposal or d, in local updates that agent i made since it proposed.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/aggregation/aggregation.hpp"
#include "models/protocols/gossip/random_peers.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/requests.hpp"

namespace hearsay::models {

class AdPsgd : RandomPeers {
 public:
  struct Params : RandomPeerOptions {
    std::optional<sim::Time> timeout;
    AggregateOptions<PairRules> rule;

    void describe(sim::Visitor& v) {
      v(timeout,
        sim::positive(
            "timeout",
            "Maximum time an agent waits for its partner before it exchanges with another; by default unlimited "
            "on a reliable network, else 5 typical round trips, at least 1 s.",
            "s"));
      rule.describe(v);
      RandomPeerOptions::describe(v);
    }
    bool uses_late_replies() const { return true; }
  };

  static constexpr Entry kEntry = gossip_entry(
      "ad_psgd",
      "AD-PSGD: at its tick an agent averages models with a random neighbour and adds its local update.");
  static constexpr std::array kMetrics{
      ProtocolMetric{.name = "refused_exchanges",
                     .help = "Exchanges refused so far because the partner was in another one.",
                     .exact = false,
                     .lower_is_better = true}};

  AdPsgd(const Params& params, const Study& study)
      : RandomPeers(params, study),
        rule_(params.rule),
        timeout_(timeout_of(params.timeout, study)),
        exchanges_(study.topology.agents()),
        difference_(study.problem.p()),
        cut_(study.problem.p(), study.problem.model().theta_max ? exchanges_.size() : 0) {}

  void on_start(Context& context) { open_accounts(context); }
  void on_tick(sim::AgentId i, Context& context) {
    Exchange& mine = exchanges_[i];
    const bool proposes = !mine.request.in_flight();
    if (proposes) {
      mine.updates = 0;
      context.send(i, random_neighbour(i, context), kProposal, mine.request.begin(), context.model(i));
    }
    if (const auto* update = local_update(i, context, kOpenEnd)) {
      context.model(i) += *update;
      if (!proposes) ++mine.updates;
    }
    project(i, context);
    if (proposes) context.after(i, timeout_, kTimeout, mine.request.number());
    context.count_iteration();
  }
  void on_message(const sim::Message& message, Context& context) {
    if (message.tag == kProposal) return answer(message, context);
    const sim::AgentId i = message.to;
    Exchange& mine = exchanges_[i];
    if (message.tag == kDifference) {
      if (message.conversation <= mine.voided) return context.discard(message);
      context.count_staleness(mine.updates, context.now() - message.sent);
      if (cut_.size() > 0) context.model(i) += cut_[i];
      if (rule_.plain()) {
        context.model(i) += vector_of(message);
      } else {
        const Eigen::VectorXd own = context.model(i), other = own + 2 * vector_of(message);
        context.model(i) = context.aggregate(rule_, i, own, {own, other});
      }
      project(i, context);
    }
    mine.request.end(message.conversation);
  }
  void on_timer(sim::AgentId i, std::uint16_t, std::uint32_t number, Context&) {
    exchanges_[i].request.end(number);
  }
  std::string_view timer_name(sim::AgentId i, std::uint16_t, std::uint32_t number) const {
    return timeout_name(exchanges_[i].request.in_flight(number));
  }
  using RandomPeers::foresight;
  void foresee_tick(sim::AgentId i, const Context& context, std::uint32_t room) const {
    training_.foresee(i, context.models().col(i), context, kOpenEnd, room);
  }
  void reset(sim::AgentId i, Context&) {
    Exchange& mine = exchanges_[i];
    mine.request.end();
    mine.voided = mine.request.number();
    if (cut_.size() > 0) cut_[i].setZero();
    training_.reset(i);
  }
  void measure(std::size_t, const World&, std::span<double> out) const {
    out[0] = static_cast<double>(refused_);
  }
  auto state() { return std::tuple_cat(RandomPeers::state(), std::tie(exchanges_, cut_, refused_)); }

 private:
  static constexpr LocalTerms kOpenEnd{.open_end = true};
  enum Tag : std::uint16_t { kProposal, kDifference, kRefusal, kTimeout };
  struct Exchange {
    Request request;            // the agent's proposal
    std::uint32_t voided = 0;   // number of its last proposal before a crash
    std::uint32_t updates = 0;  // local updates since the proposal
    auto state() { return std::tie(request, voided, updates); }
  };

  void answer(const sim::Message& proposal, Context& context) {
    const sim::AgentId j = proposal.to;
    if (exchanges_[j].request.in_flight()) {
      ++refused_;
      context.send(j, proposal.from, kRefusal, proposal.conversation);
      return;
    }
    context.count_staleness(exchanges_[proposal.from].updates, context.now() - proposal.sent);
    if (rule_.plain()) {
      difference_ = (context.model(j) - vector_of(proposal)) / 2;
    } else {
      const Eigen::VectorXd own = context.model(j);
      difference_ = own - context.aggregate(rule_, j, own, {own, vector_of(proposal)});
    }
    context.model(j) -= difference_;
    project(j, context);
    context.send(j, proposal.from, kDifference, proposal.conversation, difference_);
  }

  void project(sim::AgentId i, Context& context) {
    if (cut_.size() == 0) return;
    cut_[i] = context.model(i);
    context.project(context.model(i));
    cut_[i] -= context.model(i);
  }

  AggregateOptions<PairRules> rule_;
  sim::Time timeout_;
  std::vector<Exchange> exchanges_;  // by agent
  Eigen::VectorXd difference_;
  Columns cut_;  // by agent: what the box has cut off its model; none without a box
  std::uint64_t refused_ = 0;
};

}  // namespace hearsay::models
