#include "models/protocols/multitask/async_mtl.hpp"

#include <stdexcept>

namespace hearsay::models {

using Eigen::Index;

void AsyncMtl::Params::describe(sim::Visitor& v) {
  v(column_update, {.name = "column_update",
                    .help = "What the server does with a gradient that arrives.",
                    .source = "Xie, Baytas, Lin, Zhou, Algorithm 1"});
  v(activation, {.name = "activation", .help = "When a task begins a turn."});
  v(timeout, {.name = "timeout",
              .help = "How long a task waits for its p_t before it begins another turn.",
              .unit = "s",
              .min = 0,
              .open_min = true});
  MultitaskOptions::describe(v);
}

AsyncMtl::AsyncMtl(const Params& params, const Study& study)
    : params_(params),
      nodes_(params, study),
      server_(params.column_update, params.regulariser, params.alpha_2, params.h(), study.problem.p(),
              static_cast<Index>(study.problem.owners())),
      held_(Eigen::MatrixXd::Zero(study.problem.p(), static_cast<Index>(study.problem.owners()))),
      sent_(held_),
      loop_(study.problem.owners()),
      message_(study.problem.p()),
      column_(study.problem.p()) {}

void AsyncMtl::on_start(Context& context) {
  nodes_.open(context);
  if (params_.tolerance) last_w_ = server_.p() + nodes_.q();
  for (std::size_t t = 0; t < context.owners(); ++t) {
    const sim::AgentId task = context.agent_of(t);
    context.model(task) = nodes_.q().col(static_cast<Index>(t));
    if (params_.activation == Activation::kLoop && context.up(task)) context.after(task, 0, kBegin);
  }
}

void AsyncMtl::on_tick(sim::AgentId agent, Context& context) {
  if (params_.activation == Activation::kPoisson) begin(agent, context);
}

void AsyncMtl::on_up(sim::AgentId agent, Context& context) {
  if (agent == 0 || params_.activation != Activation::kLoop) return;
  if (!nodes_.may_turn(context.owner(agent), context)) return;
  loop_.give_up(context.owner(agent));
  context.after(agent, 0, kBegin);
}

void AsyncMtl::begin(sim::AgentId task, Context& context) {
  const std::size_t t = context.owner(task);
  const auto column = static_cast<Index>(t);
  if (!nodes_.may_turn(t, context)) return;
  context.compute(task);
  const Eigen::VectorXd* gradient = nodes_.turn(t, held_.col(column), context);
  message_ = *gradient;
  if (!params_.trusted_server) server_.prepare(held_.col(column), message_);
  const auto turn = static_cast<std::uint32_t>(nodes_.turns(t));
  loop_.depart(t, turn, context.leaves(task));
  loop_.log.violations = nodes_.violations();
  context.model(task) = held_.col(column) + nodes_.q().col(column);
  context.send(task, 0, kGradient, turn, message_);
  context.after(task, params_.timeout, kTimeout, turn);
}

void AsyncMtl::on_message(const sim::Message& message, Context& context) {
  if (message.tag == kGradient) {
    update(message, context);
  } else {
    receive(message, context);
  }
}

void AsyncMtl::update(const sim::Message& message, Context& context) {
  const std::size_t t = context.owner(message.from);
  const auto column = static_cast<Index>(t);
  const Vector told = vector_of(message);
  if (params_.trusted_server) {
    message_ = told;
    server_.prepare(sent_.col(column), message_);
    server_.put(column, message_);
  } else {
    server_.put(column, told);
  }
  server_.step();
  server_.column(column, column_);
  loop_.arrive(t, message, context.iterations() + 1, context);
  if (params_.tolerance) {
    const Eigen::MatrixXd w = server_.p() + nodes_.q();
    settled_ = (w - last_w_).norm() <= *params_.tolerance;
    last_w_ = w;
  }
  if (params_.trusted_server) {
    sent_.col(column) = column_;
    column_ = nodes_.noisy_column(t, column_, context);
  }
  context.send(0, message.from, kColumn, message.conversation, column_);
  context.count_iteration();
}

void AsyncMtl::receive(const sim::Message& message, Context& context) {
  const std::size_t t = context.owner(message.to);
  const auto column = static_cast<Index>(t);
  if (loop_.answer(t, message.conversation, context.now(), message.sent)) {
    held_.col(column) = vector_of(message);
    context.model(message.to) = held_.col(column) + nodes_.q().col(column);
  } else {
    context.discard(message);
  }
  if (loop_.stop_waiting(t, message.conversation) && params_.activation == Activation::kLoop)
    begin(message.to, context);
}

void AsyncMtl::on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t turn, Context& context) {
  const std::size_t t = context.owner(agent);
  const bool due = tag == kBegin ? !loop_.waits(t) : loop_.stop_waiting(t, turn);
  if (due && params_.activation == Activation::kLoop) begin(agent, context);
}

void AsyncMtl::reset(sim::AgentId agent, Context& context) {
  if (agent == 0) {
    server_.clear();
    sent_.setZero();
    return;
  }
  const auto t = context.owner(agent);
  held_.col(static_cast<Index>(t)).setZero();
  loop_.forget(t);
  nodes_.reset(t);
}

bool AsyncMtl::finished(const Context& context) const {
  if (settled_) return true;
  if (loop_.anybody_waits()) return false;
  for (std::size_t t = 0; t < context.owners(); ++t) {
    if (nodes_.may_turn(t, context)) return false;
  }
  return true;
}

void AsyncMtl::measure(std::size_t k, const World& world, std::span<double> out) const {
  measure_multitask(k, params_, world, server_.p(), nodes_.q(), loop_.log, out);
}

ProtocolRow async_mtl_row() {
  return row<AsyncMtl>();
}

}  // namespace hearsay::models
