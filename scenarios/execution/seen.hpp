#pragma once
// What a run stores of its views.
#include <string>
#include <vector>

#include "analysis/store/study.hpp"
#include "models/views/views.hpp"

namespace hearsay::scenarios {

/// Adds what adversaries have seen at the end of a run, "seen.ADVERSARY.WHAT", by agent; numbers that are not finite are left
/// out. The agent of owner j is first_owner + j.
void add_seen(const models::Views& views, sim::AgentId first_owner, std::vector<analysis::Scalar>& scalars);

/// That the rank of a view is in doubt; empty if not.
std::string doubt(const models::Views& views);

}  // namespace hearsay::scenarios
