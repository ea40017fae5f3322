#include "models/protocols/multitask/sync_mtl.hpp"

#include <utility>

#include "models/core/option_error.hpp"

namespace hearsay::models {

using Eigen::Index;

void SyncMtl::Params::describe(sim::Visitor& v) {
  v(round_timeout,
    {.name = "round_timeout",
     .help = "How long the server waits for the tasks of a round before it goes on without them.",
     .unit = "s",
     .min = 0,
     .open_min = true});
  MultitaskOptions::describe(v);
}

SyncMtl::SyncMtl(const Params& params, const Study& study)
    : params_(params),
      nodes_(params, study),
      server_(ColumnUpdate::kBlock, params.regulariser, params.alpha_2, params.h(), study.problem.p(),
              static_cast<Index>(study.problem.owners())),
      answer_(study.problem.p(), static_cast<Index>(study.problem.owners())),
      round_of_answer_(study.problem.owners()),
      seen_(study.problem.owners()),
      departed_(study.problem.owners(), sim::kNever),
      message_(study.problem.p()),
      column_(Eigen::VectorXd::Zero(study.problem.p())),
      log_(study.problem.owners()) {
  if (params.trusted_server) throw OptionError("trusted_server", "is a variant of async_mtl: leave it out");
}

void SyncMtl::on_start(Context& context) {
  nodes_.open(context);
  if (params_.tolerance) last_w_ = server_.p() + nodes_.q();
  begin_round(context);
}

void SyncMtl::begin_round(Context& context) {
  ++round_;
  answers_ = 0;
  context.after(0, params_.round_timeout, kTimeout, round_);
  for (std::size_t t = 0; t < context.owners(); ++t) {
    const sim::AgentId task = context.agent_of(t);
    if (round_ > 1) {
      server_.column(static_cast<Index>(t), column_);
      context.send(0, task, kColumn, round_, column_);
    } else {
      context.model(task) = nodes_.q().col(static_cast<Index>(t));
      if (context.up(task)) context.after(task, 0, kFirst, round_);
    }
  }
}

void SyncMtl::answer(sim::AgentId task, const Eigen::Ref<const Eigen::VectorXd>& column, std::uint32_t round,
                     Context& context) {
  const std::size_t t = context.owner(task);
  if (departed_[t] < sim::kNever) {
    log_.waited[t] += context.now() - departed_[t];
    ++log_.replies[t];
    departed_[t] = sim::kNever;
  }
  if (!nodes_.may_turn(t, context)) return;
  context.compute(task);
  const Eigen::VectorXd* gradient = nodes_.turn(t, column, context);
  message_ = *gradient;
  server_.prepare(column, message_);
  context.model(task) = column + nodes_.q().col(static_cast<Index>(t));
  log_.turns[t] = static_cast<double>(nodes_.turns(t));
  log_.violations = nodes_.violations();
  departed_[t] = context.leaves(task);
  context.send(task, 0, kGradient, round, message_);
}

void SyncMtl::on_message(const sim::Message& message, Context& context) {
  const Vector payload = vector_of(message);
  if (message.tag == kColumn) {
    std::uint32_t& seen = seen_[context.owner(message.to)];
    if (message.conversation <= seen) {
      context.discard(message);
      return;
    }
    seen = message.conversation;
    answer(message.to, payload, message.conversation, context);
    return;
  }
  if (message.conversation != round_) {
    context.discard(message);
    return;
  }
  const std::size_t t = context.owner(message.from);
  answer_.col(static_cast<Index>(t)) = payload;
  round_of_answer_[t] = round_;
  context.count_staleness(0, context.now() - message.sent);
  log_.departure[t] = log_.arrival[t] = static_cast<double>(context.iterations());
  if (++answers_ == context.owners()) finish_round(context);
}

void SyncMtl::on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t round, Context& context) {
  if (round != round_) return;
  if (tag == kFirst) {
    column_.setZero();
    answer(agent, column_, round, context);
  } else {
    finish_round(context);
  }
}

void SyncMtl::finish_round(Context& context) {
  for (std::size_t t = 0; t < context.owners(); ++t) {
    if (round_of_answer_[t] == round_) server_.put(static_cast<Index>(t), answer_.col(static_cast<Index>(t)));
  }
  server_.step();
  if (params_.tolerance) {
    const Eigen::MatrixXd w = server_.p() + nodes_.q();
    settled_ = (w - last_w_).norm() <= *params_.tolerance;
    last_w_ = w;
  }
  if (round_ < params_.turns && !settled_) begin_round(context);
  context.count_iteration();
}

void SyncMtl::reset(sim::AgentId agent, Context& context) {
  if (agent == 0) {
    server_.clear();
    restarts_ = true;
    return;
  }
  const auto t = context.owner(agent);
  nodes_.reset(t);
  seen_[t] = 0;
  departed_[t] = sim::kNever;
}

void SyncMtl::on_up(sim::AgentId agent, Context& context) {
  if (agent != 0 || !std::exchange(restarts_, false)) return;
  if (round_ < params_.turns && !settled_) begin_round(context);
  context.count_iteration();
}

bool SyncMtl::finished(const Context& context) const {
  return settled_ || context.iterations() >= params_.turns;
}

void SyncMtl::measure(std::size_t k, const World& world, std::span<double> out) const {
  measure_multitask(k, params_, world, server_.p(), nodes_.q(), log_, out);
}

ProtocolRow sync_mtl_row() {
  return row<SyncMtl>();
}

}  // namespace hearsay::models
