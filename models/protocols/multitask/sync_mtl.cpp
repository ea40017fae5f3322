#include "models/protocols/multitask/sync_mtl.hpp"

#include <utility>

#include "models/algebra/option_error.hpp"
#include "models/run/timeout.hpp"

namespace hearsay::models {

void SyncMtl::Params::describe(sim::Visitor& v) {
  v(round_timeout,
    {.name = "round_timeout",
     .help = "Maximum time the server waits for the tasks in a round; by default unlimited on a "
             "reliable network, else 5 typical round trips, at least 1 s.",
     .unit = "s",
     .min = 0,
     .open_min = true});
  MultitaskOptions::describe(v);
}

void SyncMtl::Params::require(const Setting& setting) const {
  if (trusted_server) throw OptionError("trusted_server", "is a variant of async_mtl: leave it out");
  MultitaskOptions::require(setting);
}

SyncMtl::SyncMtl(const Params& params, const Study& study)
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

void SyncMtl::on_start(Context& context) {
  nodes_.open(context);
  tolerance_.start(server_, nodes_.q());
  begin_round(context);
}

void SyncMtl::begin_round(Context& context) {
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

void SyncMtl::answer(sim::AgentId task, const Eigen::Ref<const Eigen::VectorXd>& column, std::uint32_t round,
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

void SyncMtl::on_message(const sim::Message& message, Context& context) {
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

void SyncMtl::on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context) {
  if (!round_.in_flight(round)) return;
  if (tag == kFirst) {
    column_.setZero();
    answer(agent, column_, round, context);
  } else {
    end_round(context);
  }
}

void SyncMtl::end_round(Context& context) {
  round_.end();
  for (std::size_t t = 0; t < context.owners(); ++t) {
    if (answered_[t] == round_.number()) server_.put(t, answers_[t]);
  }
  server_.step();
  tolerance_.note_update(server_, nodes_.q());
  next_round(context);
}

void SyncMtl::next_round(Context& context) {
  if (round_.number() < params_.turns && !tolerance_.reached()) begin_round(context);
  context.count_iteration();
}

void SyncMtl::reset(sim::AgentId agent, Context& context) {
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

void SyncMtl::on_up(sim::AgentId agent, Context& context) {
  if (agent == 0 && round_.restarts()) next_round(context);
}

bool SyncMtl::finished(const Context& context) const {
  return tolerance_.reached() || context.iterations() >= params_.turns;
}

void SyncMtl::measure(std::size_t k, const World& world, std::span<double> out) const {
  measure_multitask(k,
                    {params_.objective(), server_.p(), nodes_.q(), log_, params_.epsilon_turn(world.study),
                     nodes_.violations()},
                    world, out);
}

ProtocolRow sync_mtl_row() {
  return row<SyncMtl>();
}

}  // namespace hearsay::models
