#include "analysis/metrics/baselines.hpp"

#include <cmath>

namespace hearsay::analysis {

namespace {

// The scalars of one baseline, "NAME.METRIC".
class BaselineScalars {
 public:
  BaselineScalars(std::string name, const models::Problem& problem, sim::AgentId first_owner,
                  std::vector<Scalar>& out)
      : name_(std::move(name)), problem_(problem), first_owner_(first_owner), out_(out) {}

  void add(const char* metric, double value) { out_.push_back({name_ + metric, {}, value}); }
  void add(const char* metric, std::size_t owner, double value) {
    out_.push_back({name_ + metric, first_owner_ + static_cast<sim::AgentId>(owner), value});
  }
  /// The test error of an owner's model on its own test records; NaN where it has none.
  void add_own(std::size_t owner, double error) {
    add(".test_error_by_owner", owner, error);
    if (classes()) add(".accuracy_by_owner", owner, 1 - error);
    if (problem_.data().test[owner].target.size() == 0) return;
    errors_ += error;
    roots_ += std::sqrt(error);
    ++tested_;
  }
  /// The mean of those over the owners that have test records, and `joint`, the error on all test records.
  void add_means(double joint) {
    add(".test_error", joint);
    add(".own_test_error", errors_ / tested_);
    if (!classes()) return add(".own_test_rmse", roots_ / tested_);
    add(".accuracy", 1 - joint);
    add(".own_test_accuracy", 1 - errors_ / tested_);
  }

 private:
  bool classes() const { return problem_.loss().is_classifier(); }

  std::string name_;
  const models::Problem& problem_;
  sim::AgentId first_owner_;
  std::vector<Scalar>& out_;
  double errors_ = 0, roots_ = 0, tested_ = 0;
};

void add_pooled(BaselineScalars& out, const models::Problem& problem, const models::Optimum& optimum,
                bool tested) {
  out.add(".objective", optimum.value);
  out.add(".relative_fitness", 0);
  if (!tested) return;
  for (std::size_t owner = 0; owner < problem.owners(); ++owner)
    out.add_own(owner, problem.test_error(owner, optimum.theta));
  out.add_means(problem.test_error(optimum.theta));
}

void add_isolated(BaselineScalars& out, const models::Problem& problem, const models::Optimum& optimum,
                  bool tested) {
  double fitness = 0, error = 0;
  for (std::size_t owner = 0; owner < problem.owners(); ++owner) {
    const Eigen::VectorXd theta = models::minimise_isolated(problem, owner).theta;
    const double excess = models::relative_excess(problem.objective(theta), optimum.value);
    out.add(".relative_fitness", owner, excess);
    fitness += excess;
    if (!tested) continue;
    const double joint = problem.test_error(theta);
    out.add(".test_error", owner, joint);
    error += joint;
    out.add_own(owner, problem.test_error(owner, theta));
  }
  const auto owners = static_cast<double>(problem.owners());
  out.add(".relative_fitness", fitness / owners);
  if (tested) out.add_means(error / owners);
}

}  // namespace

std::vector<Scalar> baselines(const models::Problem& problem, const models::Optimum& optimum,
                              const std::vector<Baseline>& which, sim::AgentId first_owner) {
  std::vector<Scalar> all;
  const bool tested = std::isfinite(problem.test_error(optimum.theta));
  for (const Baseline baseline : which) {
    const bool pooled = baseline == Baseline::kPooled;
    BaselineScalars out(pooled ? "pooled" : "isolated", problem, first_owner, all);
    if (pooled)
      add_pooled(out, problem, optimum, tested);
    else
      add_isolated(out, problem, optimum, tested);
  }
  return all;
}

}  // namespace hearsay::analysis
