#include "analysis/metrics/baselines.hpp"

#include <cmath>

namespace hearsay::analysis {

std::vector<Scalar> baselines(const models::Problem& problem, const models::Optimum& optimum,
                              const std::vector<Baseline>& which, sim::AgentId first_owner) {
  std::vector<Scalar> all;
  const auto add = [&](const char* name, std::optional<sim::AgentId> agent, double value) {
    all.push_back({name, agent, value});
    return value;
  };
  const bool tested = std::isfinite(problem.test_error(optimum.theta));
  for (const Baseline baseline : which) {
    if (baseline == Baseline::kPooled) {
      add("pooled.objective", {}, optimum.value);
      add("pooled.relative_fitness", {}, 0);
      if (tested) add("pooled.test_error", {}, problem.test_error(optimum.theta));
      for (std::size_t owner = 0; owner < problem.owners() && tested; ++owner)
        add("pooled.test_error_by_owner", first_owner + static_cast<sim::AgentId>(owner),
            problem.test_error(owner, optimum.theta));
      continue;
    }
    double fitness = 0, error = 0;
    for (std::size_t owner = 0; owner < problem.owners(); ++owner) {
      const Eigen::VectorXd theta = models::minimise_isolated(problem, owner).theta;
      const sim::AgentId agent = first_owner + static_cast<sim::AgentId>(owner);
      fitness += add("isolated.relative_fitness", agent,
                     models::relative_excess(problem.objective(theta), optimum.value));
      if (!tested) continue;
      error += add("isolated.test_error", agent, problem.test_error(theta));
      add("isolated.test_error_by_owner", agent, problem.test_error(owner, theta));
    }
    const auto owners = static_cast<double>(problem.owners());
    add("isolated.relative_fitness", {}, fitness / owners);
    if (tested) add("isolated.test_error", {}, error / owners);
  }
  return all;
}

}  // namespace hearsay::analysis
