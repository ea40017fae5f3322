#include "models/protocols/multitask/measures.hpp"

#include <algorithm>

#include "models/privacy/accountants/amplification.hpp"

namespace hearsay::models {

using Eigen::Index;
using Eigen::MatrixXd;

double total_loss(const Problem& problem, const MatrixXd& w) {
  double sum = 0;
  for (std::size_t t = 0; t < problem.owners(); ++t)
    sum += problem.mean_loss(t, w.col(static_cast<Index>(t)));
  return sum;
}

void measure_multitask(std::size_t k, const MultitaskOptions& options, const World& world, const MatrixXd& p,
                       const MatrixXd& q, const TurnLog& log, std::span<double> out) {
  enum { kJoint, kSum, kRank, kTestError, kTurns, kDeparture, kArrival, kWaiting, kEpsilon, kViolations };
  const Problem& problem = world.problem();
  const double lambda = options.lambda_of_objective();
  switch (k) {
    case kJoint:
      out[0] = total_loss(problem, p + q) + lambda * penalty(options.regulariser, p) +
               options.tau * penalty(options.own_regulariser, q);
      return;
    case kSum:
      out[0] = total_loss(problem, p + q) + lambda * penalty(options.regulariser, p + q);
      return;
    case kRank:
      out[0] =
          p.allFinite() ? static_cast<double>(numerical_rank(p)) : std::numeric_limits<double>::quiet_NaN();
      return;
    case kTestError:
      for (std::size_t t = 0; t < out.size(); ++t) {
        const auto column = static_cast<Index>(t);
        out[t] = problem.test_error(t, p.col(column) + q.col(column));
      }
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
    case kEpsilon: {
      const Privacy& privacy = world.study.privacy;
      const bool first = options.q_noise && !options.trusted_server;
      const double epsilon = (first ? privacy.epsilon_1 : 0) + privacy.epsilon_2;
      std::fill(out.begin(), out.end(),
                privacy.active() ? amplified_turn(epsilon, options.batch_fraction, privacy.adjacency) : 0);
      return;
    }
    case kViolations:
      out[0] = log.violations;
      return;
    default:
      return;
  }
}

}  // namespace hearsay::models
