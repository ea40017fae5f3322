#pragma once
// The input of the "analysis" of a scenario from the points of its plan.
#include "analysis/conclusions/conclusions.hpp"
#include "models/registry.hpp"

namespace hearsay::scenarios {

struct Plan;

/// Checks that slopes are over numeric axes of the sweep and that conditions are valid. Throws InputError.
void require_conclusions(const Plan& plan);

/// The update rule of a central learner; kAny for other protocols.
analysis::CentralRule central_rule(const models::ProtocolChoice& protocol);

/// Axes, conditions and settings of all points; T is protocol.horizon or stop.iterations, rho is
/// protocol.rho, computed where it is "auto".
analysis::ConclusionInput conclusion_input(const Plan& plan, analysis::StoredStudy& study);

}  // namespace hearsay::scenarios
