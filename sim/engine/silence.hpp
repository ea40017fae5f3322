#pragma once
// Scenarios in which nothing can ever be said, found before they are run.
#include <optional>
#include <string>

#include "sim/engine/engine.hpp"

namespace hearsay::sim {

/// Why no message of a run can ever reach anybody, or nothing if one may: nobody ticks; or every edge loses
/// all, is too slow for the run's length, or has an end that is never up while the other is. Knows what is
/// certain from the options and their draws in the first repetition; says nothing where chance decides.
std::optional<std::string> why_silent(const Engine::Options& options, const Topology& topology,
                                      const Streams& streams);

}  // namespace hearsay::sim
