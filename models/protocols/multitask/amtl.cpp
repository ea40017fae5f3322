#include "models/protocols/multitask/amtl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/core/option_error.hpp"
#include "models/protocols/multitask/sensitivity.hpp"
#include "models/solvers/own_minimum.hpp"

namespace hearsay::models {

using Eigen::Index;

namespace {
constexpr double kShortestDelay = 10;  // s, of the rule
constexpr std::string_view kAmtlPaper = "Baytas, Yan, Jain, Zhou, ICDM 2016";
}  // namespace

void Amtl::Params::describe(sim::Visitor& v) {
  v(alpha,
    {.name = "alpha", .help = "Gradient step; below 2/L.", .source = kAmtlPaper, .min = 0, .open_min = true});
  v(eta, {.name = "eta",
          .help = "Relaxation: how far v_t moves towards the step.",
          .source = kAmtlPaper,
          .min = 0,
          .max = 1,
          .open_min = true});
  v(threshold,
    {.name = "threshold", .help = "Threshold h of the proximal step; by default 1.5e-3.", .min = 0});
  v(lambda,
    {.name = "lambda", .help = "The same as alpha lambda, from the weight lambda of r(W).", .min = 0});
  v(regulariser, {.name = "regulariser", .help = "What couples the tasks: r(W)."});
  v(step_rule, {.name = "step_rule", .help = "Factor c of the relaxation."});
  v(start, {.name = "start", .help = "V before the first turn."});
  v(start_ridge, {.name = "start_ridge",
                  .help = "Weight tau_0 of (tau_0/2) norm_2^2 in the single-task start.",
                  .min = 0});
  v(turns, {.name = "turns",
            .help = "Turns of each task, lost ones included; then it stops.",
            .min = 1,
            .max = 4e9});
  v(timeout, {.name = "timeout",
              .help = "How long a task waits for its w_t before it begins another turn.",
              .unit = "s",
              .min = 0,
              .open_min = true});
  v(objective_lambda, {.name = "objective_lambda",
                       .help = "lambda of the objective metrics; by default threshold/alpha.",
                       .min = 0});
  v.check(!threshold || !lambda, "lambda", "give one of threshold and lambda");
  v.check(step_rule == StepRule::kFixed || eta * std::log(kShortestDelay) <= 1, "eta",
          fmt::format("must be at most 1/ln 10 = 0.434 with step_rule delay_adaptive, got {:g}", eta));
}

double Amtl::Delays::mean() const {
  const std::size_t n = std::min(count, kDelays);
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += last[k];
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

Amtl::Amtl(const Params& params, const Study& study)
    : params_(params),
      server_(ColumnUpdate::kBlock, params.regulariser, params.alpha, params.h(), study.problem.p(),
              static_cast<Index>(study.problem.owners())),
      loop_(study.problem.owners()),
      held_(Eigen::MatrixXd::Zero(study.problem.p(), static_cast<Index>(study.problem.owners()))),
      delays_(study.problem.owners()),
      turns_(study.problem.owners()),
      none_(held_),
      message_(study.problem.p()),
      column_(study.problem.p()) {
  if (study.privacy.active())
    throw std::invalid_argument("amtl has no privacy: say mechanism none, or use async_mtl");
  study.problem.require_records_of_all();
  const double l = smoothness(study.problem);
  if (!(params.alpha < 2 / l))
    throw OptionError("alpha", fmt::format("must be below 2/L = {:.6g}, got {:g}", 2 / l, params.alpha));
  if (params.start == TaskStart::kSingleTask) {
    for (std::size_t t = 0; t < turns_.size(); ++t)
      held_.col(static_cast<Index>(t)) = minimise_alone(study.problem, t, params.start_ridge);
  }
  begun_ = held_;
  server_.start_at(begun_);
  start_ = held_ = server_.p();
}

void Amtl::on_start(Context& context) {
  for (std::size_t t = 0; t < turns_.size(); ++t) {
    const sim::AgentId task = context.agent_of(t);
    context.open_account(task);
    context.model(task) = held_.col(static_cast<Index>(t));
    if (context.up(task)) context.after(task, 0, kBegin);
  }
}

void Amtl::on_up(sim::AgentId agent, Context& context) {
  if (agent == 0 || turns_[context.owner(agent)] >= params_.turns) return;
  loop_.give_up(context.owner(agent));
  context.after(agent, 0, kBegin);
}

void Amtl::begin(sim::AgentId task, Context& context) {
  const std::size_t t = context.owner(task);
  if (turns_[t] >= params_.turns) return;
  context.compute(task);
  const auto column = held_.col(static_cast<Index>(t));
  message_ = column - params_.alpha * *context.release(task, context.gradient(task, column));
  const auto turn = static_cast<std::uint32_t>(++turns_[t]);
  loop_.depart(t, turn, context.leaves(task));
  context.send(task, 0, kStep, turn, message_);
  context.after(task, params_.timeout, kTimeout, turn);
}

double Amtl::relaxation(std::size_t t) const {
  if (params_.step_rule == StepRule::kFixed) return params_.eta;
  const double weight = params_.eta * std::log(std::max(delays_[t].mean(), kShortestDelay));
  if (weight > 1)
    throw std::runtime_error(fmt::format("eta ln(mean delay of {:g} s) = {:g} exceeds 1: choose a lesser eta",
                                         delays_[t].mean(), weight));
  return weight;
}

void Amtl::update(const sim::Message& message, Context& context) {
  const std::size_t t = context.owner(message.from);
  if (const TurnLoop::Flight* turn = loop_.arrive(t, message, context.iterations() + 1, context)) {
    Delays& delays = delays_[t];
    delays.last[delays.count++ % kDelays] = context.now() - turn->used_since;
  }
  server_.relax(static_cast<Index>(t), vector_of(message), relaxation(t));
  server_.step();
  server_.column(static_cast<Index>(t), column_);
  context.send(0, message.from, kColumn, message.conversation, column_);
  context.count_iteration();
}

void Amtl::on_message(const sim::Message& message, Context& context) {
  if (message.tag == kStep) {
    update(message, context);
    return;
  }
  const std::size_t t = context.owner(message.to);
  if (loop_.answer(t, message.conversation, context.now(), message.sent)) {
    held_.col(static_cast<Index>(t)) = vector_of(message);
    context.model(message.to) = held_.col(static_cast<Index>(t));
  } else {
    context.discard(message);
  }
  if (loop_.stop_waiting(t, message.conversation)) begin(message.to, context);
}

void Amtl::on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t turn, Context& context) {
  const std::size_t t = context.owner(agent);
  if (tag == kBegin ? !loop_.waits(t) : loop_.stop_waiting(t, turn)) begin(agent, context);
}

void Amtl::reset(sim::AgentId agent, Context& context) {
  if (agent == 0) {
    server_.start_at(begun_);
    return;
  }
  const auto t = context.owner(agent);
  held_.col(static_cast<Index>(t)) = start_.col(static_cast<Index>(t));
  loop_.forget(t);
}

bool Amtl::finished(const Context&) const {
  if (loop_.anybody_waits()) return false;
  return std::all_of(turns_.begin(), turns_.end(), [&](std::uint64_t n) { return n >= params_.turns; });
}

void Amtl::measure(std::size_t k, const World& world, std::span<double> out) const {
  MultitaskOptions same;
  same.regulariser = params_.regulariser;
  same.tau = 0;
  same.objective_lambda = params_.objective_lambda.value_or(params_.h() / params_.alpha);
  measure_multitask(k, same, world, server_.p(), none_, loop_.log, out);
}

ProtocolRow amtl_row() {
  return row<Amtl>();
}

}  // namespace hearsay::models
