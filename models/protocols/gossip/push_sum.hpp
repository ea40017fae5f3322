#pragma once
// Stochastic gradient push: gossip in one direction, with a weight that removes the bias. Assran, Loizou, Ballas, Rabbat,
// "Stochastic Gradient Push for Distributed Deep Learning" (2019), Algorithm 1; push-sum is by Kempe, Dobra, Gehrke (2003).
//
//   start    x_i = the starting model, w_i = 1
//   tick     x_i <- x_i + u_i,  u_i = -step * gradient at z_i
//            (x_i, w_i) <- (x_i, w_i)/(m + 1), and the same part is sent to each of m random neighbours, m = `fan_out`
//   message  (x_j, w_j) <- (x_j, w_j) + (x, w)
//   model    z_i = x_i/w_i
//
// With a box z_i <- Pi[z_i + u_i/w_i], which projects x_i onto w_i times the box, in place of the last local step's projection.
// The new z_j of a message is a mean of two ratios, of weights w_j and w, so that all z stay within the box. A message
// of a hostile agent may not: its receiver projects.
//
// With K local steps u_i = x_K - z_i (local_training.hpp). With `weighted_update` w_i u_i is added instead, so that z_i
// moves by u_i: not published. As published z_i moves by u_i/w_i, so that steps grow without limit where weights vanish.
//
// The published rounds are synchronous: they are these with clocks in phase and a latency above 0 and below the period.
// Else agents use what has come when they tick, as in the paper's overlap variant.
//
// What holds. The sums of all x and of all w, messages in flight included, change by local updates only: sum w = n. So
// without gradients every z_i converges to the mean of the start, for any latency. A lost message takes its x and w with
// it: the z_i then converge to another weighted mean, and a loss rate q takes the fraction q m/(m + 1) of a ticking
// agent's weight, (1 - q m/((m + 1) n))^t of all weight in expectation after t ticks of random agents. The metric
// held_weight shows it. A crash brings back (start, 1), whatever the agent had. An agent whose weight has fallen below
// 1e-100 (partitions, losses) sends nothing until it receives.
//
// A message has p + 1 numbers: x, then w. Iteration: a tick. Staleness: in ticks of the sender since it sent.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/protocols/gossip/random_peers.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class PushSum : RandomPeers {
 public:
  struct Params : RandomPeerOptions {
    std::uint32_t fan_out = 1;
    bool weighted_update = false;

    void describe(sim::Visitor& v) {
      v(fan_out, {.name = "fan_out",
                  .help = "Number m of random neighbours that an agent sends to at a tick.",
                  .min = 1});
      v(weighted_update,
        {.name = "weighted_update",
         .help = "Whether a local update is multiplied by the agent's weight, which keeps steps bounded "
                 "where messages are lost. The published method does not."});
      RandomPeerOptions::describe(v);
    }
    void require(const Setting& setting) const {
      GossipOptions::require(setting);
      require_size(fan_out);
    }
  };

  static constexpr Entry kEntry = gossip_entry(
      "push_sum",
      "Stochastic gradient push: agents send parts of their models and weights to random neighbours.",
      {.tail = 1}, 2, R"("step": 0.01)");
  static constexpr std::array kMetrics{
      ProtocolMetric{.name = "held_weight",
                     .help = "Sum of the agents' weights: n less what is in flight or lost.",
                     .exact = false}};

  PushSum(const Params& params, const Study& study)
      : RandomPeers(params, study),
        params_(fitting(params, study)),
        weights_(Eigen::VectorXd::Ones(study.topology.agents())),
        part_(study.problem.p() + 1),
        ticks_(study.topology.agents()) {}

  void on_start(Context& context) { open_accounts(context); }
  void on_tick(sim::AgentId i, Context& context) {
    ++ticks_[i];
    double& weight = weights_[i];
    if (const auto* update = local_update(i, context, kOpenEnd)) {
      context.model(i) += (params_.weighted_update ? 1 : 1 / weight) * *update;
      context.project(context.model(i));
    }
    if (weight >= kMinWeight) {
      const auto receivers = random_neighbours(i, params_.fan_out, context);
      weight /= static_cast<double>(receivers.size() + 1);
      part_ << weight * context.model(i), weight;
      for (const sim::AgentId j : receivers) context.send(i, j, 0, ticks_[i], part_);
    }
    context.count_iteration();
  }
  void on_message(const sim::Message& message, Context& context) {
    const Vector part = vector_of(message);
    const Eigen::Index p = context.p();
    double& weight = weights_[message.to];
    context.model(message.to) = (weight * context.model(message.to) + part.head(p)) / (weight + part[p]);
    context.project(context.model(message.to));
    weight += part[p];
    context.count_staleness(ticks_[message.from] - message.conversation, context.now() - message.sent);
  }
  using RandomPeers::foresight;
  void foresee_tick(sim::AgentId i, const Context& context, std::uint32_t room) const {
    training_.foresee(i, context.models().col(i), context, kOpenEnd, room);
  }
  void reset(sim::AgentId i, Context&) {
    weights_[i] = 1;
    training_.reset(i);
  }
  void measure(std::size_t, const World&, std::span<double> out) const { out[0] = weights_.sum(); }
  auto state() { return std::tuple_cat(RandomPeers::state(), std::tie(weights_, ticks_)); }

 private:
  static constexpr LocalTerms kOpenEnd{.open_end = true};
  static constexpr double kMinWeight = 1e-100;  // that is divided; far above where doubles lose digits

  Params params_;
  Eigen::VectorXd weights_;           // by agent; x_i is w_i z_i
  Eigen::VectorXd part_;              // that is sent: x above w
  std::vector<std::uint32_t> ticks_;  // by agent
};

}  // namespace hearsay::models
