#pragma once
// States of a run that is being made, in a file, so that a run of hours that is killed goes on where it was.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/store/study.hpp"
#include "models/run/observer.hpp"
#include "scenarios/study/parting.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::analysis {
class TraceFiles;
}

namespace hearsay::scenarios {

/// Where the state of a run is kept.
struct SnapshotPlace {
  std::filesystem::path file;
  /// One line: all that a state belongs to (build, scenario, data, repetition, what is recorded).
  std::string identity;
  std::string run;  ///< its name in messages

  void remove() const;
};

/// The state at which the branches of a run part.
struct Past {
  std::string state{};
  sim::Time at = 0;  ///< s
  /// The run, where it ended before.
  std::optional<analysis::RunResult> ended{};
};

/// How the state of a run is kept.
struct Keeping {
  std::function<SnapshotPlace()> place;   ///< asked for where a state is read or written; empty: in no file
  bool goes_on = false;                   ///< whether there may be a state from before
  sim::Time pause = sim::kNever;          ///< s: the run ends there for now
  analysis::TraceFiles* trace = nullptr;  ///< its text is part of the state, if not null
  Parting parting = {};
  Past* ends_as = nullptr;          ///< the run ends where branches part, and this is its state
  const Past* begins_as = nullptr;  ///< the run goes on from this
  bool* begun = nullptr;            ///< set once it does
  /// Of another study: where a past begins that has no state of this one.
  std::function<SnapshotPlace()> from = {};
};

/// What of a run is not of its world, protocol and driver: its recorder, its trace.
struct Recording {
  std::function<void(std::ostream& out)> save;
  std::function<void(std::istream& in)> load;
};

/// Saves the state of a run when it is due, in place of the one before. A file is a line with version and identity, one
/// with time (s) and iteration, the state, and a checksum (XXH3) of all; what is damaged or of another identity is
/// reported with one line and not used.
class Snapshots final : public models::StateKeeper {
 public:
  /// Without options only at Keeping::pause. `continuation`: World::continue_as(), of a run that begins as a past.
  Snapshots(const Keeping& how, const std::optional<SnapshotOptions>& options, Recording recording,
            std::uint32_t continuation);

  sim::Time pause_after() override;
  std::uint64_t pause_at_iteration() override;
  bool due(const models::World& world) override;
  /// A snapshot that cannot be written (a full disk) is the last, which is reported. Throws Interrupted at
  /// Keeping::pause, and where the run ends as a past.
  void keep(const models::World& world, const models::RunState& state) override;
  void resume(const models::World& world, models::RunState& state) override;

 private:
  using Clock = std::chrono::steady_clock;
  bool go_on(const models::World& world, models::RunState& state) const;
  void load(std::string_view text, models::RunState& state) const;
  void save(std::ostream& out, const models::RunState& state) const;
  void write(const SnapshotPlace& place, const models::World& world, const models::RunState& state) const;
  void plan(const models::World& world, Clock::duration taken);

  const Keeping& how_;
  std::optional<SnapshotOptions> options_;
  Recording recording_;
  std::uint32_t continuation_;
  Clock::time_point due_;
  sim::Time next_time_ = 0;
  std::uint64_t next_iteration_ = 0;
  bool was_due_ = false;
};

}  // namespace hearsay::scenarios
