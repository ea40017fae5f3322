#pragma once
// States of a run that is being made, in a file, so that a run of hours that is killed goes on where it was.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "models/run/observer.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

/// Where the state of a run is kept.
struct SnapshotPlace {
  std::filesystem::path file;
  std::string
      identity;  ///< one line: all that a state belongs to (build, scenario, data, repetition, what is recorded)
  std::string run;                ///< its name in messages
  sim::Time pause = sim::kNever;  ///< s: the run ends there for now

  void remove() const;
};

/// The folder of a study's snapshots, in its folder of results.
std::filesystem::path snapshot_folder(const std::filesystem::path& results);
/// Removes what is left of a study all of whose runs are stored.
void remove_snapshots(const std::filesystem::path& results);

/// What of a run is not of its world, protocol and driver: its recorder, its trace.
struct Recording {
  std::function<void(std::ostream& out)> save;
  std::function<void(std::istream& in)> load;
};

/// Saves the state of a run when it is due, in place of the one before. A file is a line with version and identity, the
/// state, and a checksum (XXH3) of both; what is damaged or of another identity is reported with one line and not used.
class Snapshots final : public models::StateKeeper {
 public:
  /// Without options only at SnapshotPlace::pause.
  Snapshots(SnapshotPlace place, const std::optional<SnapshotOptions>& options, Recording recording);

  Pause next() override;
  bool due() override;
  /// A snapshot that cannot be written (a full disk) is the last, which is reported. Throws Interrupted at
  /// SnapshotPlace::pause.
  void keep(const models::World& world, const models::RunState& state) override;
  void resume(const models::World& world, models::RunState& state) override;

 private:
  using Clock = std::chrono::steady_clock;
  void write(const models::RunState& state) const;
  void plan(const models::World& world, Clock::duration taken);

  SnapshotPlace place_;
  std::optional<SnapshotOptions> options_;
  Recording recording_;
  Clock::time_point due_ = Clock::time_point::max();
  Pause next_;
};

}  // namespace hearsay::scenarios
