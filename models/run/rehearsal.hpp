#pragma once
// How many releases an owner can make in a run: privacy.steps "expected".
//
// A protocol that spreads an owner's budget over T_i releases has to know T_i beforehand. It follows from clocks,
// latencies, losses, absences, timeouts and the end of a run, and from no record. A rehearsal is a run of the
// protocol without privacy in which all gradients are 0; R_i(k) is the number of releases of owner i in the k-th.
//
//   T_i = max(1, the j-th smallest of R_i(1), ..., R_i(K)),  K <= 16, j = floor(1 + 3 (K - 1)/8): the 6th of 16
//
// The rehearsals have random numbers of their own, so that T_i is a plan and no foresight. The 6th of 16 is at most the
// median of R_i with probability P(binomial(16, 1/2) >= 6) = 0.895 or more, and then at least half of the runs use the
// whole budget; the sample's own median would be above it half of the time. What would come after T_i is refused as always. Where owners whose budget is used up change what others do,
// these can make more or fewer releases than in a rehearsal.
#include <atomic>
#include <cstdint>
#include <vector>

#include "models/run/any_protocol.hpp"
#include "models/run/world.hpp"
#include "sim/engine/engine.hpp"

namespace hearsay::models {

/// T_i of each owner, from 1, for a study with a limit that is reached without data. Draws as the repetitions 2^32 - 1,
/// 2^32 - 2, ... do. K is 16, or as many as happen before they have had 4 million events together, 100,000 of code in
/// another language; at least 1. Nothing once `interrupted`, which may be null, is true. Throws what a run throws.
std::vector<std::uint64_t> expected_releases(const AnyProtocol& protocol, const Study& study,
                                             sim::Engine::Options engine, std::uint64_t seed,
                                             const std::atomic<bool>* interrupted = nullptr);

}  // namespace hearsay::models
