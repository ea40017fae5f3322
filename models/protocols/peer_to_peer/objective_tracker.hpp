#pragma once
// Q of a run (personal_problem.hpp), kept up to date with what changed. When agent i moves from a to b,
//
//   Q gains  1/2 [ D_ii (norm_2(b)^2 - norm_2(a)^2) - 2 (b - a) . sum_j W_ij Theta_j ]
//            + mu D_ii c_i [ L_i(b) - L_i(a) ]
//
// exactly; L_i(a) is stored, so that a change costs O(degree p + m_i p). Changes are noted as they happen and
// evaluated when Q is read, once per agent: between two readings an agent that ticked ten times costs as much as one
// that ticked once.
//
// The losses follow from the scores of an agent's records at its model. They are kept: until the model changes, a
// gradient at it needs the same.
#include <Eigen/Core>

#include <span>
#include <vector>

#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

namespace hearsay::models {

class ObjectiveTracker {
 public:
  /// Off until started: then nothing below costs anything.
  ObjectiveTracker() = default;

  /// From now on tracks Q of `models`, which are copied. O(Q); p + 4 numbers an agent, and one a record.
  void start(const PersonalProblem& problem, const Eigen::MatrixXd& models);
  bool active() const { return problem_ != nullptr; }
  /// Agent i's model may have changed. O(1), no allocation.
  void changed(sim::AgentId i) {
    if (!active() || noted_[i] != 0) return;
    noted_[i] = 1;
    pending_.push_back(i);
  }
  /// Q of `models` as they stand, of which only noted agents' have changed.
  double value(const Eigen::MatrixXd& models);
  /// The scores of agent i's records at its model, if value() has computed them since the model changed; else empty.
  /// They are private, as the records are: for agent i's gradient.
  std::span<const double> scores(sim::AgentId i) const;

 private:
  // Agent i's part of what holds a number for each record, or nothing.
  template <class Numbers>
  auto part(Numbers& numbers, sim::AgentId i) const {
    return numbers.empty() ? std::span(numbers)
                           : std::span(numbers).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  // mu D_ii c_i L_i(theta); keeps the scores.
  double local(sim::AgentId i, PersonalProblem::In theta);
  void add(double term);

  const PersonalProblem* problem_ = nullptr;
  Eigen::MatrixXd seen_;            // models as they are accounted for
  std::vector<double> local_;       // mu D_ii c_i L_i(seen), by agent
  std::vector<double> scores_;      // theta . x_k, agent after agent; empty for a loss without
  std::vector<std::size_t> first_;  // where an agent's scores begin, and the end of all
  std::vector<std::uint8_t> noted_;
  std::vector<sim::AgentId> pending_;
  Eigen::VectorXd sum_;                // sum_j W_ij Theta_j of the agent being taken in
  double value_ = 0, correction_ = 0;  // a compensated sum (Neumaier)
};

}  // namespace hearsay::models
