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
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

#include "models/protocols/multitask/measures.hpp"
#include "models/protocols/multitask/server.hpp"
#include "models/protocols/multitask/task_loop.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

enum class StepRule { kFixed, kDelayAdaptive };

class Amtl : public TaskLoop<Amtl> {
 public:
  struct Params : CouplingOptions, TaskLoopOptions {
    double alpha = 0.1, eta = 0.5;
    StepRule step_rule = StepRule::kFixed;
    void describe(sim::Visitor& v);
    void require(const Setting& setting) const;
  };

  static constexpr Entry kEntry{.name = "amtl",
                                .help = "Asynchronous multi-task learning with relaxed updates; not private.",
                                .hub = true,
                                .by_turn = true,
                                .joint = false,
                                .own_models = true,
                                .step = "protocol.alpha",
                                .example = R"("alpha": 0.01)"};
  static constexpr auto kMetrics = kMultitaskMetrics;

  /// Throws std::invalid_argument for a step too long, and with privacy.
  Amtl(const Params& params, const Study& study);
  void measure(std::size_t k, const World& world, std::span<double> out) const;

  const Columns& w() const { return server_.p(); }

 private:
  friend TaskLoop<Amtl>;
  // The last delays of a task, s.
  class Delays {
   public:
    void add(sim::Time delay) { last_[count_++ % last_.size()] = delay; }
    double mean() const;

   private:
    std::array<double, 5> last_{};
    std::size_t count_ = 0;
  };

  void open(Context& context);
  bool may_turn(std::size_t t, const Context&) const { return turns(t) < params_.turns; }
  const Eigen::VectorXd& turn(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& w, Context& context);
  const Eigen::VectorXd& update(std::size_t t, const Vector& u, const TaskTurn* turn, Context& context);
  auto model(std::size_t t) const { return held(t); }
  void reset_server() { server_.start_at(begun_); }
  void reset_task(std::size_t) {}
  static bool settled() { return false; }
  double relaxation(std::size_t t) const;

  Params params_;
  MultitaskServer server_;
  std::vector<Delays> delays_;  // by task
  Columns begun_;               // V at the start, d x T
  Columns q_;                   // 0, d x T
  Eigen::VectorXd message_, column_;
};

ProtocolRow amtl_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::StepRule> {
  static constexpr std::array kValues{
      Choice{"fixed", "c = 1."},
      Choice{"delay_adaptive", "c = ln(max(mean of the last 5 delays in s, 10))."}};
};
}  // namespace hearsay::sim
