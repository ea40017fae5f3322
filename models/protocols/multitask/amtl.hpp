#pragma once
// Asynchronous multi-task learning without privacy and without parts of a task's own: Baytas, Yan, Jain, Zhou,
// "Asynchronous Multi-Task Learning", ICDM 2016; the relaxation is that of Peng, Xu, Yan, Yin, "ARock", SIAM J. Sci.
// Comput. 38, 2016.
//
//   min over W of  sum_t mean loss_t(w_t) + lambda r(W)
//
// The server (agent 0) keeps V (d x T), at the start the tasks' own minimisers, which they have told it, and W =
// prox_h(V), h = alpha lambda. A task takes a gradient step from the last w_t it was sent and sends it:
//
//   u   = w_t - alpha grad mean loss_t(w_t)
//   v_t <- v_t + eta c (u - v_t)                     then w_t of prox_h(V) is sent back
//
// alpha < 2/L. step_rule fixed: c = 1. delay_adaptive: c = ln(max(mean of the task's last 5 delays in s, 10)), a delay
// being the time from the server's sending w_t to the arrival of the step from it. For delays below 10 s that is the
// constant ln 10. eta c > 1 is no relaxation: refused before the run where it is certain, else the run fails.
//
// Turns, timeout and versions are as in async_mtl. Iterations are server updates.
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

#include "models/core/protocol.hpp"
#include "models/core/registry.hpp"
#include "models/protocols/multitask/measures.hpp"
#include "models/protocols/multitask/server.hpp"

namespace hearsay::models {

enum class StepRule { kFixed, kDelayAdaptive };

class Amtl {
 public:
  struct Params {
    double alpha = 0.1, eta = 0.5;
    std::optional<double> threshold, lambda;
    Coupling regulariser = Coupling::kNuclear;
    StepRule step_rule = StepRule::kFixed;
    TaskStart start = TaskStart::kSingleTask;
    double start_ridge = 1e-3;
    std::uint64_t turns = 10000;
    sim::Time timeout = 1;
    std::optional<double> objective_lambda;
    void describe(sim::Visitor& v);
    double h() const { return threshold ? *threshold : lambda ? alpha * *lambda : 1.5e-3; }
  };

  static constexpr Entry kEntry{.name = "amtl",
                                .help = "Asynchronous multi-task learning without privacy, by relaxed steps.",
                                .hub = true,
                                .by_turn = true,
                                .joint = false,
                                .own_models = true};
  static constexpr auto kMetrics = kMultitaskMetrics;

  /// Throws std::invalid_argument for a step too long, and with privacy.
  Amtl(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId agent, std::uint16_t tag, std::uint32_t turn, Context& context);
  void on_up(sim::AgentId agent, Context& context);
  /// Back from a crash: as at the start, but for accounts and turns.
  void reset(sim::AgentId agent, Context& context);
  bool finished(const Context& context) const;
  void measure(std::size_t k, const World& world, std::span<double> out) const;

  const Eigen::MatrixXd& w() const { return server_.p(); }

 private:
  enum Tag : std::uint16_t { kStep, kColumn, kTimeout, kBegin };
  static constexpr std::size_t kDelays = 5;
  struct Delays {
    std::array<double, kDelays> last{};
    std::size_t count = 0;
    double mean() const;
  };

  void begin(sim::AgentId task, Context& context);
  void update(const sim::Message& step, Context& context);
  double relaxation(std::size_t t) const;

  Params params_;
  MultitaskServer server_;
  TurnLoop loop_;
  Eigen::MatrixXd held_;  // w_t as task t last received it
  std::vector<Delays> delays_;
  std::vector<std::uint64_t> turns_;
  Eigen::MatrixXd begun_, start_;  // V and w at the start
  Eigen::MatrixXd none_;           // Q = 0
  Eigen::VectorXd message_, column_;
};

ProtocolRow amtl_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::StepRule> {
  static constexpr std::array kValues{
      Choice{"fixed", "eta."}, Choice{"delay_adaptive", "eta ln(max(mean of the last 5 delays in s, 10))."}};
};
}  // namespace hearsay::sim
