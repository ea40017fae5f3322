#pragma once
// Metrics that all protocols on Q share (personal_problem.hpp). Q is exact and without noise: a diagnostic, not
// something that a real network could publish.
#include <array>

#include "models/core/protocol.hpp"
#include "models/protocols/peer_to_peer/objective_tracker.hpp"

namespace hearsay::models {

inline constexpr std::array kPersonalMetrics{
    ProtocolMetric{"objective_q",
                   "Q: how unlike neighbours' models are, plus mu times the agents' own losses."},
    ProtocolMetric{"q_gap", "Q - Q*."},
    ProtocolMetric{"relative_q_gap", "Q/Q* - 1."},
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

/// Measures them for one run: tracks Q where a run asks for it, and costs nothing where it does not.
class PersonalProbe {
 public:
  /// Whether a study asks for any of them, or for one of `others`, which need Q too.
  PersonalProbe(const PersonalProblem& problem, const Study& study,
                std::span<const ProtocolMetric> others = {});

  /// From now on follows `models`; what they hold now is the start. Only if the study asks.
  void start(const Eigen::MatrixXd& models);
  void changed(sim::AgentId i) { tracker_.changed(i); }

  /// Q of the models of a run; recomputed where it is not tracked.
  double objective(const World& world) const;
  double start_gap() const { return start_ - problem_.optimum().value; }
  /// The k-th of kPersonalMetrics.
  double measure(std::size_t k, const World& world) const;

 private:
  const PersonalProblem& problem_;
  bool wanted_;
  double start_ = 0;                  // Q at the start
  mutable ObjectiveTracker tracker_;  // taking changes in changes no answer
};

}  // namespace hearsay::models
