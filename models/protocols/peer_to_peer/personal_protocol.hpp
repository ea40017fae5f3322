#pragma once
// What all protocols on Q share (problem/personal_problem.hpp): the problem, and the metrics of Q. Q is exact and
// without noise: a diagnostic, not something that a real network could publish. It is tracked where a study asks for
// it, and costs nothing where it does not.
#include <algorithm>
#include <array>
#include <span>

#include "models/learning/weighted_sum.hpp"
#include "models/protocols/peer_to_peer/objective_tracker.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

inline constexpr std::array kPersonalMetrics{
    ProtocolMetric{
        .name = "objective_q",
        .help = "Objective Q: differences between neighbours' models plus mu times the agents' own losses.",
        .diverges = true},
    ProtocolMetric{.name = "q_gap",
                   .help = "Q - Q*: excess of the objective Q over its minimum.",
                   .lower_is_better = true},
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
  void measure(std::size_t k, const World& world, std::span<double> out) const {
    const double q = tracker_.active() ? tracker_.value(world.models) : personal_.objective(world.models);
    switch (k) {
      case 0:
        out[0] = q;
        return;
      case 1:
        out[0] = q - personal_.optimum().value;
        return;
      default:
        out[0] = relative_excess(q, personal_.optimum().value);
    }
  }
  auto state() { return std::tie(tracker_); }

  const PersonalProblem& personal() const { return personal_; }

 protected:
  /// `others`: metrics of the protocol's own that need Q too.
  PersonalProtocol(const PersonalOptions& options, const Study& study,
                   std::span<const ProtocolMetric> others = {})
      : personal_(options, study.diagnosed(), study.topology) {
    const auto asked = [&](const ProtocolMetric& m) { return study.asks_for(m.name); };
    wanted_ = std::any_of(kPersonalMetrics.begin(), kPersonalMetrics.end(), asked) ||
              std::any_of(others.begin(), others.end(), asked);
  }
  ~PersonalProtocol() = default;

  /// For a protocol whose steps follow from the agents' Lipschitz constants: lists them if they are from private data.
  void list_steps(const Study& study) const {
    if (personal_.options().lipschitz == Lipschitz::kData)
      study.exact("protocol.lipschitz: step size from private data");
  }
  /// From now on tracks Q of `models`; what they hold now is the start.
  void track(const Eigen::MatrixXd& models) {
    if (!wanted_) return;
    tracker_.start(personal_, models);
    start_ = tracker_.value(models);
  }
  /// Agent i's model may have changed.
  void changed(sim::AgentId i) { tracker_.changed(i); }
  /// Scores of agent i's records at its model, where a reading of Q has left them; else empty.
  std::span<const double> scores(sim::AgentId i) const { return tracker_.scores(i); }
  /// Q - Q* at the start.
  double start_gap() const { return start_ - personal_.optimum().value; }

  /// The mean of the neighbours' models that agent i has received: mix = sum_j (W_ij/D_ii) Theta_j over the last models that
  /// have reached it at a moment at which it ticks; where nothing has, the neighbour's start, or 0 unless `start_known`. How
  /// stale they are: neighbour j's publications not yet heard, and the time of what is used (0 s for the start), each
  /// averaged over the neighbours. O(degree p), no allocation.
  void mix_neighbours(sim::AgentId i, sim::Moment at, bool start_known, const Context& context,
                      Prepared& out) const {
    const sim::Topology& graph = personal_.topology();
    const sim::EdgePosition first = graph.first_edge(i);
    std::uint64_t behind = 0;
    double sent = 0;
    out.mix.setZero(personal_.p());
    WeightedSum sum(out.mix.data(), out.mix.size());
    context.read(i, at, out, [&](std::uint32_t k, sim::AgentId neighbour, const Heard& heard) {
      behind += context.published(neighbour) - heard.version;
      sent += heard.sent;
      if (heard.version > 0 || start_known) sum.add(graph.weight(first + k), heard.model.data());
    });
    sum.finish();
    out.mix /= personal_.agent(i).weight;
    const auto count = static_cast<double>(graph.degree(i));
    out.behind = static_cast<double>(behind) / count;
    out.sent = sent / count;
  }

  PersonalProblem personal_;

 private:
  bool wanted_;
  double start_ = 0;                  // Q at the start
  mutable ObjectiveTracker tracker_;  // reading Q brings it up to date
};

}  // namespace hearsay::models
