#pragma once
// What is measured of P and Q, by all protocols of multi-task learning alike. lambda = threshold/alpha_2 unless
// objective_lambda says otherwise.
#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "models/protocols/multitask/options.hpp"
#include "models/protocols/multitask/turn_loop.hpp"
#include "models/core/protocol.hpp"

namespace hearsay::models {

inline constexpr std::array kMultitaskMetrics{
    ProtocolMetric{.name = "objective_joint",
                   .help = "sum_t mean loss(p_t + q_t) + lambda r(P) + tau g(Q), P of the server."},
    ProtocolMetric{.name = "objective_sum", .help = "sum_t mean loss(p_t + q_t) + lambda r(P + Q)."},
    ProtocolMetric{.name = "rank", .help = "Rank of P: singular values above 1e-9 of the greatest."},
    ProtocolMetric{.name = "task_test_error",
                   .help = "Test error of each task's p_t + q_t, P of the server, on its own test records.",
                   .per_agent = true,
                   .needs_test = true},
    ProtocolMetric{.name = "turns_by_task", .help = "Turns that each task has begun.", .per_agent = true},
    ProtocolMetric{
        .name = "departure_version",
        .help = "Updates the server had made when it sent the p_t that the last arrival of a task used.",
        .per_agent = true},
    ProtocolMetric{.name = "arrival_version",
                   .help = "Updates the server had made when the last arrival of a task came.",
                   .per_agent = true},
    ProtocolMetric{.name = "waiting_time",
                   .help = "Mean time from a task's sending its gradient to its next p_t.",
                   .unit = "s",
                   .per_agent = true},
    ProtocolMetric{
        .name = "epsilon_turn",
        .help = "Epsilon of one turn, what the paper states; amplified where it is of a subsample.",
        .per_agent = true},
    ProtocolMetric{.name = "bound_violations",
                   .help = "Share of turns in which a declared bound c_3 or c_4 did not hold."},
};

/// The k-th of kMultitaskMetrics.
void measure_multitask(std::size_t k, const MultitaskOptions& options, const World& world,
                       const Eigen::MatrixXd& p, const Eigen::MatrixXd& q, const TurnLog& log,
                       std::span<double> out);

/// sum_t mean loss(p_t + q_t) over the training records.
double total_loss(const Problem& problem, const Eigen::MatrixXd& w);

}  // namespace hearsay::models
