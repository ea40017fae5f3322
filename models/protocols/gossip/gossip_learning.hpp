#pragma once
// Gossip learning: models walk over the network and learn where they arrive. Ormandi, Hegedus, Jelasity, "Gossip learning
// with linear models on fully distributed data" (2013), Algorithm 1 and its variants of createModel.
//
//   tick     agent i sends its model x_i to a random neighbour
//   message  agent j: x_j <- create(x, l_j),  l_j <- x      l_j: the model that j received before, at first the start
//
//   rw       create(x, l) = update(x): the models are independent random walks
//   mu       create(x, l) = update(merge(x, l))
//   um       create(x, l) = merge(update(x), update(l)), both at j
//
// update(x) makes K local steps from x on agent j's data (local_training.hpp). A model has an age t, the number of steps
// made on its way; the step size of its next step is that of step t, as in the paper. merge(x, l), of ages s and t, has
// the age max(s, t) and is, by `merge_weights`,
//
//   equal    (x + l)/2, as published
//   age      (s x + t l)/(s + t), and (x + l)/2 if both are 0: Hegedus, Danner, Jelasity, "Decentralized learning works"
//            (2021). A model that has seen no data then has no weight.
//
// With `aggregate` centered_clipping a merge is x_j + (1/2) sum (y - x_j) min(1, tau/norm_2(y - x_j)) over its two models y, with
// the receiver's model x_j before the message, and rw first clips x in the same way; ages are as above.
//
// An agent's cache of models is its newest one, x_j. The protocol is asynchronous: a lost message or a
// receiver that is down loses one copy of a model, whose sender still has it. A crash takes x_j and l_j back to the start
// with age 0. Without gradients the mean of the models is constant in expectation on a regular graph with equal clocks.
//
// With privacy a model is updated where it arrives as long as that agent's budget lasts, and then only merged; `um` makes
// two updates for each message, which use up the budget in half as many.
//
// A message has p numbers; its age travels in its header. Iteration: a tick. Staleness: in steps by which the sender's own
// model is older than the one it sent.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/aggregation/aggregation.hpp"
#include "models/learning/columns.hpp"
#include "models/protocols/gossip/random_peers.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

enum class MergeRule { kRandomWalk, kMergeUpdate, kUpdateMerge };
constexpr auto choices_of(MergeRule) {
  return std::to_array<sim::Choice>(
      {{"rw", "random walks: the received model is updated"},
       {"mu", "the received model is merged with the one received before, then updated"},
       {"um", "the received model and the one received before are updated, then merged"}});
}

enum class MergeWeights { kEqual, kAge };
constexpr auto choices_of(MergeWeights) {
  return std::to_array<sim::Choice>(
      {{"equal", "the mean of the two models"}, {"age", "in proportion to the models' ages"}});
}

class GossipLearning : RandomPeers {
 public:
  struct Params : RandomPeerOptions {
    MergeRule merge = MergeRule::kMergeUpdate;
    MergeWeights merge_weights = MergeWeights::kEqual;
    AggregateOptions<PairRules> rule;

    void describe(sim::Visitor& v) {
      v(merge, {.name = "merge", .help = "How a received model becomes the receiver's model."});
      v(merge_weights, {.name = "merge_weights", .help = "Weights of two models that are merged."});
      rule.describe(v);
      RandomPeerOptions::describe(v);
    }
    std::vector<std::string> notes(const Study& study) const {
      std::vector<std::string> all = RandomPeerOptions::notes(study);
      if (merge == MergeRule::kRandomWalk && merge_weights != MergeWeights::kEqual)
        all.emplace_back("protocol.merge_weights has no effect with merge rw");
      else if (!rule.plain() && merge_weights != MergeWeights::kEqual)
        all.emplace_back("protocol.merge_weights has no effect with aggregate centered_clipping");
      return all;
    }
  };

  static constexpr Entry kEntry = gossip_entry(
      "gossip_learning",
      "Gossip learning: agents send their models to random neighbours, which merge and update them.",
      {.models = true});

  GossipLearning(const Params& params, const Study& study)
      : RandomPeers(params, study),
        params_(params),
        ages_(study.topology.agents()),
        last_ages_(ages_.size()),
        last_(study.problem.p(), params.merge == MergeRule::kRandomWalk ? 0 : ages_.size()),
        first_(study.problem.p()) {}

  void on_start(Context& context) {
    open_accounts(context);
    for (sim::AgentId i = 0; i < context.agents(); ++i) reset(i, context);
  }
  void on_tick(sim::AgentId i, Context& context) {
    context.send(i, random_neighbour(i, context), 0, ages_[i], context.model(i));
    context.count_iteration();
  }
  void on_message(const sim::Message& message, Context& context) {
    const sim::AgentId j = message.to;
    const std::uint32_t age = message.conversation, sender = ages_[message.from];
    context.count_staleness(sender > age ? sender - age : 0, context.now() - message.sent);
    if (!params_.rule.plain()) own_ = context.model(j);
    context.model(j) = vector_of(message);
    ages_[j] = age;
    if (params_.merge == MergeRule::kRandomWalk) {
      if (!params_.rule.plain())
        context.model(j) = context.aggregate(params_.rule, j, own_, {context.model(j)});
      return update(j, context);
    }
    if (params_.merge == MergeRule::kMergeUpdate) {
      merge(j, last_[j], last_ages_[j], context);
      update(j, context);
    } else {
      update(j, context);
      first_ = context.model(j);
      const std::uint32_t first_age = ages_[j];
      context.model(j) = last_[j];
      ages_[j] = last_ages_[j];
      update(j, context);
      merge(j, first_, first_age, context);
    }
    last_[j] = vector_of(message);
    last_ages_[j] = age;
  }
  using RandomPeers::foresight;
  // The update of the received model, merged or not. The other update of `um` is left to its turn.
  void foresee_message(const sim::Message& message, const Context& context, std::uint32_t room) const {
    const sim::AgentId j = message.to;
    const std::uint32_t age = message.conversation;
    if (!params_.rule.plain() && params_.merge != MergeRule::kUpdateMerge)
      return;  // from what the rule will make
    if (params_.merge == MergeRule::kMergeUpdate) {
      const double weight = weight_of(age, last_ages_[j]);
      training_.foresee(j, (1 - weight) * vector_of(message) + weight * last_[j], context,
                        {.first_step = std::max(age, last_ages_[j])}, room);
    } else {
      training_.foresee(j, vector_of(message), context, {.first_step = age}, room);
    }
  }
  void reset(sim::AgentId i, Context& context) {
    ages_[i] = last_ages_[i] = 0;
    if (last_.size() > 0) last_[i] = context.model(i);
    training_.reset(i);
  }
  auto state() { return std::tuple_cat(RandomPeers::state(), std::tie(ages_, last_ages_, last_)); }

 private:
  void update(sim::AgentId j, Context& context) {
    if (const auto* update = local_update(j, context, {.first_step = ages_[j]})) context.model(j) += *update;
    ages_[j] += static_cast<std::uint32_t>(steps_made());
  }
  void merge(sim::AgentId j, const Eigen::Ref<const Eigen::VectorXd>& other, std::uint32_t age,
             Context& context) {
    const double weight = weight_of(ages_[j], age);
    if (params_.rule.plain()) {
      context.model(j) = (1 - weight) * context.model(j) + weight * other;
    } else {
      context.model(j) = context.aggregate(params_.rule, j, own_, {context.model(j), other});
    }
    ages_[j] = std::max(ages_[j], age);
  }
  // Of a model of age t that is merged with one of age s.
  double weight_of(std::uint32_t s, std::uint32_t t) const {
    const double sum = static_cast<double>(s) + t;
    return params_.merge_weights == MergeWeights::kAge && sum > 0 ? t / sum : 0.5;
  }

  Params params_;
  std::vector<std::uint32_t> ages_, last_ages_;  // by agent: of x_j and of l_j
  Columns last_;                                 // l_j; none for rw
  Eigen::VectorXd first_;                        // update(x) of um
  Eigen::VectorXd own_;                          // x_j before a message
};

}  // namespace hearsay::models
