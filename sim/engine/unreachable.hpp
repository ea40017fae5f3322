#pragma once
// Finds scenarios in which no message can ever arrive, before they are run.
#include <optional>
#include <string>

#include "sim/engine/engine.hpp"

namespace hearsay::sim {

/// The reason why no message of a run can ever arrive, or nothing if one may: no agent ticks; or every edge loses all
/// messages, is too slow for the length of the run, or has an end that is not up in time. It holds for all
/// draws of a network's laws: the same options are those of other repetitions and points.
std::optional<std::string> why_unreachable(const Engine::Options& options, const Topology& topology,
                                           const Streams& streams);

}  // namespace hearsay::sim
