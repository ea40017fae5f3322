#pragma once
// Asynchronous multi-task learning without privacy and without own parts of the tasks: Baytas, Yan, Jain, Zhou,
// "Asynchronous Multi-Task Learning", ICDM 2016; the relaxation is that of Peng, Xu, Yan, Yin, "ARock", SIAM J. Sci.
// Comput. 38, 2016.
//
//   min over W in R^(d x T) of  sum_t mean loss_t(w_t) + lambda r(W)
//
// The server keeps V in R^(d x T), at the start the tasks' own minimisers, which it knows, and W = prox_h(V),
// h = alpha lambda. A task takes a gradient step from the last w_t that it received and sends it:
//
//   task t    u   <- w_t - alpha grad mean loss_t(w_t);  sends u
//   server    v_t <- v_t + eta c (u - v_t);              sends w_t of prox_h(V)
//
// alpha < 2/L. step_rule fixed: c = 1. delay_adaptive: c = ln(max(mean of the task's last 5 delays in s, 10)), a
// delay being the time from the server's sending w_t to the arrival of the step from it. For delays below 10 s that
// is the constant ln 10. eta c > 1 is no relaxation: refused before the run where it is certain, else the run fails.
//
// The loop over the network, its timeouts and crashes: multitask/task_loop.hpp.
#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "models/learning/solvers/record_objective.hpp"
#include "models/protocols/multitask/measures.hpp"
#include "models/protocols/multitask/sensitivity.hpp"
#include "models/protocols/multitask/server.hpp"
#include "models/protocols/multitask/task_loop.hpp"
#include "models/run/any_protocol.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

enum class StepRule { kFixed, kDelayAdaptive };
constexpr auto choices_of(StepRule) {
  return std::to_array<sim::Choice>(
      {{"fixed", "c = 1."}, {"delay_adaptive", "c = ln(max(mean of the last 5 delays in s, 10))."}});
}

class Amtl : public TaskLoop<Amtl> {
 public:
  struct Params : CouplingOptions, TaskLoopOptions {
    double alpha = 0.1, eta = 0.5;
    StepRule step_rule = StepRule::kFixed;
    void describe(sim::Visitor& v) {
      v(alpha, {.name = "alpha",
                .help = "Gradient step size; choose it below 2/L.",
                .source = kAmtlPaper,
                .min = 0,
                .open_min = true,
                .in_run = true});
      v(eta, {.name = "eta",
              .help = "Relaxation factor eta: fraction of the distance to u by which v_t moves.",
              .source = kAmtlPaper,
              .min = 0,
              .max = 1,
              .open_min = true,
              .in_run = true});
      v(step_rule, {.name = "step_rule", .help = "Factor c of the relaxation."});
      CouplingOptions::describe(v);
      TaskLoopOptions::describe(v);
      v.check(step_rule == StepRule::kFixed || eta * std::log(kShortestDelay) <= 1, "eta",
              "expected at most 1/ln 10 = 0.434 with step_rule delay_adaptive, found {:g}", eta);
    }
    void require(const Setting& setting) const {
      if (setting.privacy.active())
        throw std::invalid_argument("amtl has no private form: use privacy.mechanism none, or async_mtl");
      setting.model.loss.require_smooth();
      require_no_box(setting);
    }
  };

  static constexpr Entry kEntry =
      multitask_entry("amtl", "Asynchronous multi-task learning with relaxed updates; not private.",
                      "protocol.alpha", R"("alpha": 0.01)");
  static constexpr auto kMetrics = kMultitaskMetrics;

  /// Throws std::invalid_argument for a step too long, and with privacy.
  Amtl(const Params& params, const Study& study)
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
      throw sim::OptionError("alpha", "expected a step below 2/L = {:.6g}, found {:g}", 2 / l, params.alpha);
    if (params.start == TaskStart::kSingleTask) {  // to fail before a run, if it does
      for (std::size_t t = 0; t < delays_.size(); ++t) alone(study.diagnosed(), t);
    }
  }
  void measure(std::size_t k, const World& world, std::span<double> out) const {
    measure_multitask(k, {params_.objective(params_.alpha), server_.p(), q_, log()}, world, out);
  }
  auto state() { return std::tuple_cat(TaskLoop::state(), std::tie(server_, delays_)); }

  const Columns& w() const { return server_.p(); }

 private:
  friend TaskLoop<Amtl>;
  static constexpr double kShortestDelay = 10;  // s, of the rule
  static constexpr double kStartRidge = 1e-3;
  static constexpr std::string_view kAmtlPaper = "Baytas, Yan, Jain, Zhou, ICDM 2016";
  // The last delays of a task, s.
  class Delays {
   public:
    void add(sim::Time delay) { last_[count_++ % last_.size()] = delay; }
    double mean() const {
      const std::size_t n = std::min(count_, last_.size());
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += last_[k];
      return n == 0 ? 0 : sum / static_cast<double>(n);
    }
    auto state() { return std::tie(last_, count_); }

   private:
    std::array<double, 5> last_{};
    std::size_t count_ = 0;
  };

  Eigen::VectorXd alone(const Problem& problem, std::size_t t) const {
    return minimise_alone(problem, t, params_.start_ridge.value_or(kStartRidge));
  }
  void open(Context& context) {
    for (std::size_t t = 0; params_.start == TaskStart::kSingleTask && t < delays_.size(); ++t) {
      const auto start = [&](const Problem& problem, std::size_t owner) { return alone(problem, owner); };
      begun_[t] = context.keep_local(context.from_data(context.agent_of(t), start)).inside_owner();
    }
    server_.start_at(begun_);
    start_at(server_.p());
    for (std::size_t t = 0; t < delays_.size(); ++t) {
      const sim::AgentId task = context.agent_of(t);
      context.open_account(task);
      context.model(task) = held(t);
    }
  }
  bool may_turn(std::size_t t, const Context&) const { return turns(t) < params_.turns; }
  const Eigen::VectorXd& turn(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& w, Context& context) {
    const sim::AgentId task = context.agent_of(t);
    message_ = w - params_.alpha * *context.release(task, context.gradient(task, w));
    return message_;
  }
  const Eigen::VectorXd& update(std::size_t t, const Vector& u, const TaskTurn* turn, Context& context) {
    if (turn != nullptr) delays_[t].add(context.now() - turn->used_since);
    server_.relax(t, u, relaxation(t));
    server_.step();
    server_.column(t, column_);
    return column_;
  }
  auto model(std::size_t t) const { return held(t); }
  void reset_server() { server_.start_at(begun_); }
  void reset_task(std::size_t) {}
  static bool settled() { return false; }
  double relaxation(std::size_t t) const {
    if (params_.step_rule == StepRule::kFixed) return params_.eta;
    const double mean = delays_[t].mean(), weight = params_.eta * std::log(std::max(mean, kShortestDelay));
    if (weight > 1)
      throw std::runtime_error(
          fmt::format("eta ln(mean delay of {:g} s) = {:g} exceeds 1: choose a smaller eta", mean, weight));
    return weight;
  }

  Params params_;
  MultitaskServer server_;
  std::vector<Delays> delays_;  // by task
  Columns begun_;               // V at the start, d x T
  Columns q_;                   // 0, d x T
  Eigen::VectorXd message_, column_;
};

}  // namespace hearsay::models
