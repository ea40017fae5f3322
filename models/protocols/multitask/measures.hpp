#pragma once
// Metrics of P and Q that all multi-task protocols share. h is the threshold of the server's proximal step:
//
//   objective_sum    sum_t mean loss(p_t + q_t) + mu r(P + Q), mu = h: equation (1) of the paper, whose figures show it
//   objective_joint  sum_t mean loss(p_t + q_t) + lambda r(P) + tau g(Q), lambda = h/alpha_2: equation (2), what the
//                    server's forms `all` and `block` minimise
//
// objective_lambda replaces mu and lambda. Source: Xie, Baytas, Lin, Zhou, KDD 2017, sections 3.1 and 4.1.
#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "models/protocols/multitask/options.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

inline constexpr std::array kMultitaskMetrics{
    ProtocolMetric{
        .name = "objective_joint",
        .help =
            "Objective that the server minimises, equation (2): sum_t mean loss(p_t + q_t) + lambda r(P) + "
            "tau g(Q), with the server's P and lambda = threshold/(server's step size).",
        .diverges = true},
    ProtocolMetric{.name = "objective_sum",
                   .help = "Objective in the paper's figures, equation (1): sum_t mean loss(p_t + q_t) + mu "
                           "r(P + Q), with the server's P and mu = threshold.",
                   .diverges = true},
    ProtocolMetric{.name = "rank",
                   .help = "Rank of P: number of singular values above 1e-9 times the largest."},
    ProtocolMetric{
        .name = "task_test_error",
        .help = "Test error of each task's p_t + q_t, with the server's P, on its own test records.",
        .per_agent = true,
        .needs_test = true,
        .diverges = true},
    ProtocolMetric{
        .name = "shared_test_error",
        .help = "Test error of each task's p_t alone, with the server's P, on its own test records.",
        .per_agent = true,
        .needs_test = true,
        .diverges = true},
    ProtocolMetric{.name = "turns_by_task",
                   .help = "Number of turns begun by each task.",
                   .per_agent = true,
                   .exact = false},
    ProtocolMetric{.name = "departure_version",
                   .help = "Number of server updates before the server sent the p_t that a task's last "
                           "arrived gradient used.",
                   .per_agent = true,
                   .exact = false},
    ProtocolMetric{.name = "arrival_version",
                   .help = "Number of server updates before the last gradient of each task arrived.",
                   .per_agent = true,
                   .exact = false},
    ProtocolMetric{
        .name = "waiting_time",
        .help = "Mean time of each task between sending a gradient and receiving the next p_t, in s.",
        .unit = "s",
        .per_agent = true,
        .exact = false,
        .lower_is_better = true},
    ProtocolMetric{.name = "epsilon_turn",
                   .help = "Epsilon of one turn as stated in the paper, amplified by subsampling.",
                   .per_agent = true,
                   .exact = false,
                   .lower_is_better = true},
    ProtocolMetric{.name = "bound_violations",
                   .help = "Fraction of turns in which a declared bound c_3 or c_4 did not hold.",
                   .lower_is_better = true},
};

/// The row of a multi-task protocol.
constexpr Entry multitask_entry(std::string_view name, std::string_view help, std::string_view step,
                                std::string_view example) {
  return {.name = name,
          .help = help,
          .hub = true,
          .by_turn = true,
          .joint = false,
          .own_models = true,
          .step = step,
          .example = example};
}

/// By task, what is known of its turns besides P and Q.
struct TurnLog {
  explicit TurnLog(std::size_t tasks)
      : departure(tasks), arrival(tasks), waited(tasks), replies(tasks), turns(tasks) {}
  std::vector<double> departure, arrival;  ///< server updates at the last arrival
  std::vector<double> waited, replies;     ///< s in all, and for how many replies
  std::vector<double> turns;

  /// Task t has received a reply it waited for so long.
  void count_reply(std::size_t t, sim::Time wait) {
    waited[t] += wait;
    ++replies[t];
  }
  auto state() { return std::tie(departure, arrival, waited, replies, turns); }
};

/// What of a protocol is measured.
struct MultitaskState {
  MultitaskObjective objective;
  const Columns &p, &q;  ///< d x T
  const TurnLog& log;
  double epsilon_turn = 0;
  double violations = 0;  ///< fraction of turns
};

/// The k-th of kMultitaskMetrics.
void measure_multitask(std::size_t k, const MultitaskState& state, const World& world, std::span<double> out);

}  // namespace hearsay::models
