#include "models/protocols/multitask/measures.hpp"

#include <algorithm>
#include <limits>

namespace hearsay::models {

using Eigen::MatrixXd;

namespace {

// sum_t mean loss(w_t) over the training records.
double total_loss(const Problem& problem, const MatrixXd& w) {
  double sum = 0;
  for (sim::AgentId t = 0; t < w.cols(); ++t) sum += problem.mean_loss(t, w.col(t));
  return sum;
}

}  // namespace

void measure_multitask(std::size_t k, const MultitaskState& state, const World& world,
                       std::span<double> out) {
  enum {
    kJoint,
    kSum,
    kRank,
    kTestError,
    kSharedError,
    kTurns,
    kDeparture,
    kArrival,
    kWaiting,
    kEpsilon,
    kViolations
  };
  const Problem& problem = world.problem();
  const auto& [objective, p, q, log, epsilon_turn, violations] = state;
  switch (k) {
    case kJoint:
      out[0] = total_loss(problem, p + q) + objective.lambda * penalty(objective.shared, p) +
               objective.tau * penalty(objective.own, q);
      return;
    case kSum:
      out[0] = total_loss(problem, p + q) + objective.mu * penalty(objective.shared, p + q);
      return;
    case kRank:
      out[0] =
          p.allFinite() ? static_cast<double>(numerical_rank(p)) : std::numeric_limits<double>::quiet_NaN();
      return;
    case kTestError:
      for (std::size_t t = 0; t < out.size(); ++t) out[t] = problem.test_error(t, p[t] + q[t]);
      return;
    case kSharedError:
      for (std::size_t t = 0; t < out.size(); ++t) out[t] = problem.test_error(t, p[t]);
      return;
    case kTurns:
      std::copy(log.turns.begin(), log.turns.end(), out.begin());
      return;
    case kDeparture:
      std::copy(log.departure.begin(), log.departure.end(), out.begin());
      return;
    case kArrival:
      std::copy(log.arrival.begin(), log.arrival.end(), out.begin());
      return;
    case kWaiting:
      for (std::size_t t = 0; t < out.size(); ++t)
        out[t] = log.replies[t] > 0 ? log.waited[t] / log.replies[t] : 0;
      return;
    case kEpsilon:
      std::fill(out.begin(), out.end(), epsilon_turn);
      return;
    case kViolations:
      out[0] = violations;
      return;
    default:
      return;
  }
}

}  // namespace hearsay::models
