#pragma once
// One of the owners as the learner: it queries the others, and reads its own gradient without noise.
//
// Wu, Farokhi, Smith, Kaafar, "The Value of Collaboration in Convex Machine Learning with Differential
// Privacy", section V: as nobody else sees the model, the owner's own budget may be infinite. But the queries
// carry models that depend on its data, and the other owners do see them: what the owner is promised holds
// only if they can be trusted with that. Its gradient never leaves the learner; the statement of the study
// lists it as what was used without accounting.
#include <cstdint>
#include <optional>
#include <string>

#include "models/core/context.hpp"

namespace hearsay::models {

/// The options that both learners have: how many owners may hold one record, and which of them is the learner.
void describe_owners(sim::Visitor& v, std::uint32_t& overlap, std::optional<std::uint32_t>& learner_is_owner);

/// The agent of an owner numbered from 1, as agents are, or nothing. Throws std::invalid_argument if there
/// is no such owner.
std::optional<sim::AgentId> learner_owner(std::optional<std::uint32_t> number, const Study& study);

/// What to say of it among what was used of private data without accounting.
std::string unaccounted_learner_owner(std::uint32_t number);

}  // namespace hearsay::models
