#pragma once
// Trajectories of a rare event: runs of an experiment that are continued from the states of others.
#include <atomic>
#include <vector>

#include "analysis/store/study.hpp"
#include "models/registry.hpp"
#include "models/run/observer.hpp"
#include "models/run/world.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

/// What the runs of a repetition share.
struct SplitRuns {
  const SplittingOptions& options;
  const models::AnyProtocol& protocol;
  const models::Study& study;
  sim::Engine::Options engine;  ///< publications travel by events
  sim::Streams streams;         ///< of the repetition
  const EveryOptions& every;    ///< when samples are made
  double confidence;
  const std::atomic<bool>* interrupted;
};

/// Estimates the probability: the scalars "splitting.probability", "splitting.low", "splitting.high", "splitting.fewest" (runs
/// that reach a level), "splitting.runs", "splitting.events", and by stage, from 1, "splitting.level.I" and "splitting.share.I".
/// Throws Interrupted.
void add_rare_event(const SplitRuns& runs, std::vector<analysis::Scalar>& scalars);

}  // namespace hearsay::scenarios
