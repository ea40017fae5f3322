#include "analysis/metrics/setting.hpp"

#include <algorithm>

namespace hearsay::analysis {

std::vector<Scalar> setting_scalars(const models::Problem& problem, const models::Optimum& optimum) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem.p());
  std::vector<Scalar> all{{"setting.records", {}, static_cast<double>(problem.n())},
                          {"setting.dimension", {}, static_cast<double>(problem.p())},
                          {"setting.sigma", {}, problem.sigma()},
                          {"setting.start_fitness", {}, problem.objective(zero) / optimum.value - 1}};
  if (problem.loss().quadratic()) {
    const auto [min, max] = problem.hessian_extremes();
    all.push_back({"setting.hessian_min", {}, min});
    all.push_back({"setting.hessian_max", {}, max});
  }
  return all;
}

CentralSetting setting_of(const PointResult& point) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto scalar = [&](std::string_view name) {
    const auto found = std::find_if(point.scalars.begin(), point.scalars.end(),
                                    [&](const Scalar& s) { return !s.agent && s.name == name; });
    return found == point.scalars.end() ? kNone : found->value;
  };
  CentralSetting setting{.records = scalar("setting.records"),
                         .dimension = scalar("setting.dimension"),
                         .horizon = kNone,
                         .rho = kNone,
                         .sigma = scalar("setting.sigma"),
                         .bound = scalar("privacy.bound"),
                         .hessian_min = scalar("setting.hessian_min"),
                         .hessian_max = scalar("setting.hessian_max"),
                         .f_star = scalar("optimum.objective"),
                         .psi_start = scalar("setting.start_fitness")};
  for (const Scalar& s : point.scalars) {
    if (s.agent && s.name == "privacy.epsilon") setting.epsilon.push_back(s.value);
  }
  return setting;
}

}  // namespace hearsay::analysis
