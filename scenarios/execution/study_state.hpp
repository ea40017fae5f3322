#pragma once
// How far a stored study is, also while a process writes it.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/store/stored_study.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/study/shard.hpp"

namespace hearsay::scenarios {

/// Of a study, or of its part if the folder holds one.
struct StudyState {
  std::filesystem::path folder{};
  std::optional<Shard> shard{};
  std::optional<bool> writing{};  ///< whether a process writes now; nothing if the file system does not tell
  bool begun = true;              ///< else the store contains no study yet, and all numbers are 0
  std::uint64_t runs = 0, done = 0, diverged = 0, failed = 0;
  std::uint64_t interrupted = 0, damaged = 0;  ///< of those that are left
  std::uint64_t study_runs = 0;                ///< of the whole study
  std::uint64_t undecided = 0;                 ///< the most runs that later looks of tune.budget add
  std::string scenario{};                      ///< identifies the study that it is a part of
  std::optional<double> written_ago{};         ///< s since it was written; only where `writing` is unknown
  std::optional<double> rate{};                ///< runs per s of the process that writes

  /// Runs that the same command makes, apart from failed ones.
  std::uint64_t left() const { return runs - done - diverged - failed; }
  /// Until the process that writes is done, s; nothing if none writes or none of its runs has ended.
  std::optional<double> seconds_left() const;
};

/// The part of a study that a folder holds; nothing if it is all of it. Throws OutputError if its text is damaged.
std::optional<Shard> shard_of(analysis::StoredStudy& study);

/// The rate of a process that has made these runs in so many seconds: that of its last 100 runs, from their wall-clock
/// times and the number of runs that it has made at a time. Nothing if it has made none.
std::optional<double> runs_per_second(std::vector<analysis::RunState> runs, double elapsed);

/// Reads it from the store of a folder. Verifies every point and run. `inputs`: as of make_plan_again(). `read` gets the
/// study that was read, which knows what is damaged; nothing if none has begun. Throws OutputError.
StudyState state_of(const std::filesystem::path& folder, const Folders& inputs,
                    std::optional<analysis::StoredStudy>& read);

}  // namespace hearsay::scenarios
