#include "models/protocols/gossip/ad_psgd.hpp"

#include "models/run/timeout.hpp"

namespace hearsay::models {

void AdPsgd::Params::describe(sim::Visitor& v) {
  v(timeout,
    {.name = "timeout",
     .help =
         "Maximum time an agent waits for its partner before it exchanges with another; by default unlimited "
         "on a reliable network, else 5 typical round trips, at least 1 s.",
     .unit = "s",
     .min = 0,
     .open_min = true});
  LocalTraining::Params::describe(v);
}

AdPsgd::AdPsgd(const Params& params, const Study& study)
    : GossipAgents(params, study),
      timeout_(timeout_of(params.timeout, study)),
      exchanges_(study.topology.agents()),
      difference_(study.problem.p()) {}

void AdPsgd::on_tick(sim::AgentId i, Context& context) {
  Exchange& mine = exchanges_[i];
  const bool proposes = !mine.request.in_flight();
  if (proposes) {
    mine.updates = 0;
    context.send(i, random_neighbour(i, context), kProposal, mine.request.begin(), context.model(i));
  } else {
    ++mine.updates;
  }
  if (const auto* update = local_update(i, context)) context.model(i) += *update;
  if (proposes) context.after(i, timeout_, kTimeout, mine.request.number());
  context.count_iteration();
}

void AdPsgd::answer(const sim::Message& proposal, Context& context) {
  const sim::AgentId j = proposal.to;
  if (exchanges_[j].request.in_flight()) {
    ++refused_;
    context.send(j, proposal.from, kRefusal, proposal.conversation);
    return;
  }
  context.count_staleness(exchanges_[proposal.from].updates, context.now() - proposal.sent);
  difference_ = (context.model(j) - vector_of(proposal)) / 2;
  context.model(j) -= difference_;
  context.send(j, proposal.from, kDifference, proposal.conversation, difference_);
}

void AdPsgd::on_message(const sim::Message& message, Context& context) {
  if (message.tag == kProposal) return answer(message, context);
  const sim::AgentId i = message.to;
  Exchange& mine = exchanges_[i];
  if (message.tag == kDifference) {
    if (message.conversation <= mine.voided) return context.discard(message);
    context.count_staleness(mine.updates, context.now() - message.sent);
    context.model(i) += vector_of(message);
  }
  mine.request.end(message.conversation);
}

void AdPsgd::reset(sim::AgentId i, Context&) {
  Exchange& mine = exchanges_[i];
  mine.request.end();
  mine.voided = mine.request.number();
  training_.reset(i);
}

ProtocolRow ad_psgd_row() {
  return row<AdPsgd>();
}

}  // namespace hearsay::models
