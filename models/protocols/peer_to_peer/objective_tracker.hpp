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

#include <cmath>
#include <span>
#include <vector>

#include "models/learning/weighted_sum.hpp"
#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

namespace hearsay::models {

class ObjectiveTracker {
  // Agent i's part of what holds a number for each record, or nothing.
  template <class Numbers>
  auto part(Numbers& numbers, sim::AgentId i) const {
    return numbers.empty() ? std::span(numbers)
                           : std::span(numbers).subspan(first_[i], first_[i + 1] - first_[i]);
  }

 public:
  /// Off until started: then nothing below costs anything.
  ObjectiveTracker() = default;

  /// From now on tracks Q of `models`, which are copied. O(Q); p + 4 numbers an agent, and one a record.
  void start(const PersonalProblem& problem, const Eigen::MatrixXd& models) {
    problem_ = &problem;
    seen_ = models;
    sum_.resize(problem.p());
    noted_.assign(problem.agents(), 0);
    pending_.clear();
    pending_.reserve(problem.agents());
    local_.clear();
    value_ = problem.objective(models);
    correction_ = 0;
    first_.assign(1, 0);
    for (sim::AgentId i = 0; i < problem.agents(); ++i)
      first_.push_back(first_[i] + static_cast<std::size_t>(problem.problem().n(i)));
    scores_.resize(problem.problem().has_scores() ? first_.back() : 0);
    for (sim::AgentId i = 0; i < problem.agents(); ++i) local_.push_back(local(i, models.col(i)));
  }
  bool active() const { return problem_ != nullptr; }
  /// Agent i's model may have changed. O(1), no allocation.
  void changed(sim::AgentId i) {
    if (!active() || noted_[i] != 0) return;
    noted_[i] = 1;
    pending_.push_back(i);
  }
  /// Q of `models` as they stand, of which only noted agents' have changed.
  double value(const Eigen::MatrixXd& models) {
    const sim::Topology& graph = problem_->topology();
    for (const sim::AgentId i : pending_) {
      noted_[i] = 0;
      const PersonalProblem::Agent& a = problem_->agent(i);
      const auto now = models.col(i);
      auto before = seen_.col(i);
      sum_.setZero();
      WeightedSum sum(sum_.data(), sum_.size());
      const auto neighbours = graph.neighbours(i);
      for (std::uint32_t k = 0; k < neighbours.size(); ++k)
        sum.add(graph.weight(graph.first_edge(i) + k), seen_.col(neighbours[k]).data());
      sum.finish();
      // D/2 (norm^2(now) - norm^2(before)) = (now - before) . D (now + before)/2
      add((now - before).dot(a.weight * 0.5 * (now + before) - sum_));
      const double own = local(i, now);
      add(own - local_[i]);
      local_[i] = own;
      before = now;
    }
    pending_.clear();
    return value_ + correction_;
  }
  /// The scores of agent i's records at its model, if value() has computed them since the model changed; else empty.
  /// They are private, as the records are: for agent i's gradient.
  std::span<const double> scores(sim::AgentId i) const {
    if (!active() || noted_[i] != 0) return {};
    return part(scores_, i);
  }
  auto state() { return std::tie(seen_, local_, scores_, noted_, pending_, value_, correction_); }

 private:
  // mu D_ii c_i L_i(theta); keeps the scores.
  double local(sim::AgentId i, PersonalProblem::In theta) {
    const PersonalProblem::Agent& a = problem_->agent(i);
    return a.weight * a.pull * problem_->local_objective(i, theta, part(scores_, i));
  }
  void add(double term) {
    const double sum = value_ + term;
    correction_ += std::abs(value_) >= std::abs(term) ? (value_ - sum) + term : (term - sum) + value_;
    value_ = sum;
  }

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
