#pragma once
// The constants of a problem that bounds need, stored among the scalars of a point.
#include <vector>

#include "analysis/results/study.hpp"
#include "analysis/theory/central_bounds.hpp"
#include "models/core/problem.hpp"
#include "models/solvers/optimum.hpp"

namespace hearsay::analysis {

/// setting.records n, setting.dimension p, setting.sigma, setting.start_fitness = f(0)/f* - 1, and for
/// squared loss setting.hessian_min and hessian_max of the pooled mean loss. O(p^3).
std::vector<Scalar> setting_scalars(const models::Problem& problem, const models::Optimum& optimum);

/// The setting of a point from its scalars; T and rho are left at NaN for the caller, who knows the protocol.
CentralSetting setting_of(const PointResult& point);

}  // namespace hearsay::analysis
