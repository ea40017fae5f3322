#pragma once
// What all protocols on Q share (problem/personal_problem.hpp): the problem, and the metrics of Q. Q is exact and
// without noise: a diagnostic, not something that a real network could publish. It is tracked where a study asks for
// it, and costs nothing where it does not.
#include <array>
#include <span>

#include "models/protocols/peer_to_peer/objective_tracker.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/protocol.hpp"

namespace hearsay::models {

inline constexpr std::array kPersonalMetrics{
    ProtocolMetric{
        .name = "objective_q",
        .help = "Objective Q: differences between neighbours' models plus mu times the agents' own losses.",
        .diverges = true},
    ProtocolMetric{.name = "q_gap", .help = "Q - Q*: excess of the objective Q over its minimum."},
    ProtocolMetric{.name = "relative_q_gap",
                   .help = "Q/Q* - 1: relative excess of the objective Q over its minimum.",
                   .diverges = true},
};

/// `own` metrics after those that are shared.
template <std::size_t N>
constexpr std::array<ProtocolMetric, kPersonalMetrics.size() + N> with_personal_metrics(
    const std::array<ProtocolMetric, N>& own) {
  std::array<ProtocolMetric, kPersonalMetrics.size() + N> all{};
  for (std::size_t k = 0; k < kPersonalMetrics.size(); ++k) all[k] = kPersonalMetrics[k];
  for (std::size_t k = 0; k < N; ++k) all[kPersonalMetrics.size() + k] = own[k];
  return all;
}

class PersonalProtocol {
 public:
  static constexpr std::array kMetrics = kPersonalMetrics;

  PersonalProtocol(const PersonalProtocol&) = delete;  // the tracker refers to the problem
  PersonalProtocol& operator=(const PersonalProtocol&) = delete;

  /// Of a protocol that computes its models at the start: ticks are counted and change nothing.
  void on_tick(sim::AgentId, Context& context) { context.count_iteration(); }
  /// The k-th of kPersonalMetrics.
  void measure(std::size_t k, const World& world, std::span<double> out) const;

  const PersonalProblem& personal() const { return personal_; }

 protected:
  /// `others`: metrics of the protocol's own that need Q too.
  PersonalProtocol(const PersonalOptions& options, const Study& study,
                   std::span<const ProtocolMetric> others = {});
  ~PersonalProtocol() = default;

  /// For a protocol whose steps follow from the agents' Lipschitz constants: lists them if they are from private data.
  void list_steps(const Study& study) const;
  /// From now on tracks Q of `models`; what they hold now is the start.
  void track(const Eigen::MatrixXd& models);
  /// Agent i's model may have changed.
  void changed(sim::AgentId i) { tracker_.changed(i); }
  /// Scores of agent i's records at its model, where a reading of Q has left them; else empty.
  std::span<const double> scores(sim::AgentId i) const { return tracker_.scores(i); }
  /// Q - Q* at the start.
  double start_gap() const { return start_ - personal_.optimum().value; }

  PersonalProblem personal_;

 private:
  bool wanted_;
  double start_ = 0;                  // Q at the start
  mutable ObjectiveTracker tracker_;  // reading Q brings it up to date
};

}  // namespace hearsay::models
