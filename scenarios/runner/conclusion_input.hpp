#pragma once
// What the "analysis" of a scenario needs to know of the points of its plan.
#include "analysis/conclusions/conclusions.hpp"
#include "scenarios/runner/plan.hpp"

namespace hearsay::scenarios {

/// Checks that slopes are over numeric axes of the sweep and that conditions can be read. Throws InputError,
/// located.
void require_conclusions(const Plan& plan);

/// Axes, conditions and settings of all points; T is protocol.horizon or stop.iterations, rho is
/// protocol.rho, worked out where it is "auto".
analysis::ConclusionInput conclusion_input(const Plan& plan, analysis::StoredStudy& study);

}  // namespace hearsay::scenarios
