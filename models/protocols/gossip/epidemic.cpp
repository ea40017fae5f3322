#include "models/protocols/gossip/epidemic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/algebra/option_error.hpp"

namespace hearsay::models {

void Epidemic::Params::describe(sim::Visitor& v) {
  v(fan_out, {.name = "fan_out", .help = "Number s of agents that an agent sends to in a round.", .min = 1});
  v(sampling, {.name = "sampling", .help = "Who draws the receivers."});
  LocalTraining::Params::describe(v);
}

void Epidemic::Params::require(const Setting& setting) const {
  GossipOptions::require(setting);
  if (setting.owners && fan_out >= *setting.owners)
    throw OptionError("fan_out",
                      fmt::format("expected at most n - 1 = {}, found {}", *setting.owners - 1, fan_out));
  const sim::Topology* graph = setting.topology;
  for (sim::AgentId i = 0; sampling == EpidemicSampling::kOracle && graph && i < graph->agents(); ++i) {
    const sim::AgentId others = graph->agents() - 1;
    if (graph->degree(i) < others) {
      throw OptionError("sampling",
                        fmt::format("expected network.topology complete with oracle, found agent {} "
                                    "with {} of {} neighbours; use local",
                                    i, graph->degree(i), others));
    }
  }
}

Epidemic::Epidemic(const Params& params, const Study& study)
    : GossipAgents(params, study),
      params_(fitting(params, study)),
      rounds_(study.topology.agents()),
      early_(study.problem.p(), rounds_.size()) {}

void Epidemic::draw_shifts(std::uint32_t round, Context& context) {
  latest_ = round;
  const auto drawn = draw(params_.fan_out, context.agents() - 1, context.random(kShifts, 0));
  shifts_.assign(drawn.begin(), drawn.end());
}

void Epidemic::on_tick(sim::AgentId i, Context& context) {
  Round& round = rounds_[i];
  const bool oracle = params_.sampling == EpidemicSampling::kOracle;
  round.number = std::max({round.number + 1, round.newest, oracle ? latest_ : 0});
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

void Epidemic::on_message(const sim::Message& message, Context& context) {
  const sim::AgentId i = message.to;
  Round& round = rounds_[i];
  const std::uint32_t number = message.conversation;
  context.count_staleness(round.number > number ? round.number - number : 0, context.now() - message.sent);
  if (number > round.number) {
    round.newest = std::max(round.newest, number);
    early_[i] += vector_of(message);
    ++round.early;
  } else {
    context.model(i) += (vector_of(message) - context.model(i)) / ++round.averaged;
  }
}

void Epidemic::reset(sim::AgentId i, Context&) {
  rounds_[i] = {};
  early_[i].setZero();
  training_.reset(i);
}

ProtocolRow epidemic_row() {
  return row<Epidemic>();
}

}  // namespace hearsay::models
