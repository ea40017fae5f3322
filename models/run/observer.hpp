#pragma once
// Who looks at a run while it is made, and who keeps its state.
#include <cstdint>
#include <iosfwd>
#include <limits>

#include "models/run/world.hpp"

namespace hearsay::models {

/// The state of a run between events: of its world, protocol and driver.
class RunState {
 public:
  virtual ~RunState() = default;
  virtual void save(std::ostream& out) const = 0;
  /// Of a run with the same options and data.
  virtual void load(std::istream& in) = 0;
  /// Before load(): the run goes on with other random numbers, World::continue_as().
  virtual void continue_as(std::uint32_t number) = 0;
  /// After load(), with other random numbers: what is memoryless and pending at `from` (s) is drawn again.
  virtual void redraw(sim::Time from) = 0;
  /// What was loaded is the past of this run until `at`, s: see sim::Engine::branch().
  virtual void branch(sim::Time at) = 0;

 protected:
  RunState() = default;
  RunState(const RunState&) = default;
  RunState& operator=(const RunState&) = default;
};

/// Keeps states of a run.
class StateKeeper {
 public:
  virtual ~StateKeeper() = default;
  /// Called once the start has been made: loads a state, if the run is to go on from one.
  virtual void resume(const World& world, RunState& state) = 0;
  /// s: the run pauses before the first event after it. Asked whenever the run goes on.
  virtual sim::Time pause_after() { return sim::kNever; }
  /// The run pauses after the event that completes it.
  virtual std::uint64_t pause_at_iteration() { return std::numeric_limits<std::uint64_t>::max(); }
  /// Whether the run is to pause now. Asked every Observer::kAbortCheckEvents events.
  virtual bool due(const World&) { return false; }
  virtual void keep(const World& world, const RunState& state) = 0;
  /// The observer has ended the run, which could go on from this state.
  virtual void stopped(const RunState&) {}

 protected:
  StateKeeper() = default;
  StateKeeper(const StateKeeper&) = default;
  StateKeeper& operator=(const StateKeeper&) = default;
};

/// Looks at a run without changing it.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void observe(const World& world) = 0;
  /// Whether a stopping criterion is met. Asked after each observation, or every `check_every_iterations` where
  /// that is given; a function of the world alone.
  virtual bool reached(const World&) { return false; }
  /// Whether to abort the run (wall-clock limit, interrupt). Asked at observations and every kAbortCheckEvents events of
  /// any kind.
  virtual bool should_abort() { return false; }
  static constexpr std::uint32_t kAbortCheckEvents = 64;

  std::uint64_t check_every_iterations = 0;
  /// Observations are made at these distances, whichever is given.
  std::uint64_t every_iterations = 0, every_vectors = 0, every_bytes = 0;  // 0: never
  sim::Time every_time = sim::kNever;
  StateKeeper* keeper = nullptr;  ///< of the run's states; null: they are not kept

 protected:
  Observer() = default;
  Observer(const Observer&) = default;
  Observer& operator=(const Observer&) = default;
};

}  // namespace hearsay::models
