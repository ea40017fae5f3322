#include "models/protocols/peer_to_peer/objective_tracker.hpp"

#include <cmath>

#include "models/learning/weighted_sum.hpp"

namespace hearsay::models {

void ObjectiveTracker::start(const PersonalProblem& problem, const Eigen::MatrixXd& models) {
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

double ObjectiveTracker::local(sim::AgentId i, PersonalProblem::In theta) {
  const PersonalProblem::Agent& a = problem_->agent(i);
  return a.weight * a.pull * problem_->local_objective(i, theta, part(scores_, i));
}

std::span<const double> ObjectiveTracker::scores(sim::AgentId i) const {
  if (!active() || noted_[i] != 0) return {};
  return part(scores_, i);
}

void ObjectiveTracker::add(double term) {
  const double sum = value_ + term;
  correction_ += std::abs(value_) >= std::abs(term) ? (value_ - sum) + term : (term - sum) + value_;
  value_ = sum;
}

double ObjectiveTracker::value(const Eigen::MatrixXd& models) {
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

}  // namespace hearsay::models
