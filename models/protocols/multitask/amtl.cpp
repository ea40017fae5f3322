#include "models/protocols/multitask/amtl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/algebra/option_error.hpp"
#include "models/learning/solvers/record_objective.hpp"
#include "models/protocols/multitask/sensitivity.hpp"

namespace hearsay::models {

namespace {
constexpr double kShortestDelay = 10;  // s, of the rule
constexpr double kStartRidge = 1e-3;
constexpr std::string_view kAmtlPaper = "Baytas, Yan, Jain, Zhou, ICDM 2016";
}  // namespace

void Amtl::Params::describe(sim::Visitor& v) {
  v(alpha, {.name = "alpha",
            .help = "Gradient step size; choose it below 2/L.",
            .source = kAmtlPaper,
            .min = 0,
            .open_min = true});
  v(eta, {.name = "eta",
          .help = "Relaxation factor eta: fraction of the distance to u by which v_t moves.",
          .source = kAmtlPaper,
          .min = 0,
          .max = 1,
          .open_min = true});
  v(step_rule, {.name = "step_rule", .help = "Factor c of the relaxation."});
  CouplingOptions::describe(v);
  TaskLoopOptions::describe(v);
  v.check(step_rule == StepRule::kFixed || eta * std::log(kShortestDelay) <= 1, "eta",
          fmt::format("expected at most 1/ln 10 = 0.434 with step_rule delay_adaptive, found {:g}", eta));
}

double Amtl::Delays::mean() const {
  const std::size_t n = std::min(count_, last_.size());
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += last_[k];
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

void Amtl::Params::require(const Setting& setting) const {
  if (setting.privacy.active())
    throw std::invalid_argument("amtl has no private form: use privacy.mechanism none, or async_mtl");
  setting.model.loss.require_smooth();
}

Amtl::Amtl(const Params& params, const Study& study)
    : TaskLoop(params, study),
      params_(fitting(params, study)),
      server_(ColumnUpdate::kBlock, params.regulariser, params.alpha, params.h(params.alpha),
              zero_columns(study)),
      delays_(study.problem.owners()),
      begun_(zero_columns(study)),
      q_(begun_),
      message_(study.problem.p()),
      column_(study.problem.p()) {
  study.problem.require_records_of_all();
  const double l = smoothness_for("alpha", study);
  if (!(params.alpha < 2 / l))
    throw OptionError("alpha",
                      fmt::format("expected a step below 2/L = {:.6g}, found {:g}", 2 / l, params.alpha));
  if (params.start == TaskStart::kSingleTask) {
    for (std::size_t t = 0; t < delays_.size(); ++t) {
      begun_[t] = minimise_alone(study.diagnosed(), t, params.start_ridge.value_or(kStartRidge));
    }
  }
  server_.start_at(begun_);
  start_at(server_.p());
}

void Amtl::open(Context& context) {
  for (std::size_t t = 0; t < delays_.size(); ++t) {
    const sim::AgentId task = context.agent_of(t);
    context.open_account(task);
    context.model(task) = held(t);
  }
}

const Eigen::VectorXd& Amtl::turn(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& w,
                                  Context& context) {
  const sim::AgentId task = context.agent_of(t);
  message_ = w - params_.alpha * *context.release(task, context.gradient(task, w));
  return message_;
}

double Amtl::relaxation(std::size_t t) const {
  if (params_.step_rule == StepRule::kFixed) return params_.eta;
  const double mean = delays_[t].mean(), weight = params_.eta * std::log(std::max(mean, kShortestDelay));
  if (weight > 1)
    throw std::runtime_error(
        fmt::format("eta ln(mean delay of {:g} s) = {:g} exceeds 1: choose a smaller eta", mean, weight));
  return weight;
}

const Eigen::VectorXd& Amtl::update(std::size_t t, const Vector& u, const TaskTurn* turn, Context& context) {
  if (turn != nullptr) delays_[t].add(context.now() - turn->used_since);
  server_.relax(t, u, relaxation(t));
  server_.step();
  server_.column(t, column_);
  return column_;
}

void Amtl::measure(std::size_t k, const World& world, std::span<double> out) const {
  measure_multitask(k, {params_.objective(params_.alpha), server_.p(), q_, log()}, world, out);
}

ProtocolRow amtl_row() {
  return row<Amtl>();
}

}  // namespace hearsay::models
