#include "analysis/metrics/baselines.hpp"

#include <array>
#include <cmath>

namespace hearsay::analysis {

std::vector<Scalar> baselines(const models::Problem& problem, const models::Optimum& optimum,
                              const std::vector<Baseline>& which, sim::AgentId first_owner) {
  std::vector<Scalar> all;
  const bool tested = std::isfinite(problem.test_error(optimum.theta));
  for (const Baseline baseline : which) {
    switch (baseline) {
      case Baseline::kPooled:
        all.push_back({"pooled.objective", {}, optimum.value});
        all.push_back({"pooled.relative_fitness", {}, 0.0});
        if (!tested) break;
        all.push_back({"pooled.test_error", {}, problem.test_error(optimum.theta)});
        for (std::size_t owner = 0; owner < problem.owners(); ++owner) {
          all.push_back({"pooled.test_error_by_owner", first_owner + static_cast<sim::AgentId>(owner),
                         problem.test_error(owner, optimum.theta)});
        }
        break;
      case Baseline::kIsolated: {
        double fitness = 0, error = 0;
        for (std::size_t owner = 0; owner < problem.owners(); ++owner) {
          const models::Optimum alone = models::minimise_isolated(problem, owner);
          const sim::AgentId agent = first_owner + static_cast<sim::AgentId>(owner);
          const double psi = problem.objective(alone.theta) / optimum.value - 1;
          all.push_back({"isolated.relative_fitness", agent, psi});
          fitness += psi;
          if (!tested) continue;
          all.push_back({"isolated.test_error", agent, problem.test_error(alone.theta)});
          error += all.back().value;
          all.push_back({"isolated.test_error_by_owner", agent, problem.test_error(owner, alone.theta)});
        }
        const auto owners = static_cast<double>(problem.owners());
        all.push_back({"isolated.relative_fitness", {}, fitness / owners});
        if (tested) all.push_back({"isolated.test_error", {}, error / owners});
        break;
      }
    }
  }
  return all;
}

std::span<const std::string_view> compared_metrics() {
  static constexpr std::array<std::string_view, 3> kAll{"relative_fitness", "test_error",
                                                        "test_error_by_owner"};
  return kAll;
}

}  // namespace hearsay::analysis
