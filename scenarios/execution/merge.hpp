#pragma once
// Puts the stored runs of several folders, parts of one study, into one store. Nothing is computed again.
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/store/store.hpp"
#include "analysis/store/stored_study.hpp"
#include "scenarios/execution/run_maker.hpp"

namespace hearsay::scenarios {

class PartsMerge {
 public:
  /// The store of `output`, if it has one, counts as a part: its runs stay. Other processes cannot write there as long
  /// as this object lives.
  explicit PartsMerge(std::filesystem::path output);

  /// Reads which runs a part has. Nothing is written. Throws InputError if it is no part of the same study as the others,
  /// InvariantError if a run has another fingerprint there.
  void add(analysis::StoredStudy& study);

  /// Copies the runs that the output does not have, one at a time. Run again, it completes what was broken off.
  void write();

  std::uint64_t all() const;  ///< runs of the study
  /// Runs of the parts that the output does not have.
  std::uint64_t to_add() const;
  std::uint64_t added() const { return added_; }
  /// Runs that no part has, or only interrupted or damaged; of equal points those of the first. After write().
  std::vector<RunTask> missing() const;
  /// The folders of the parts, without the output.
  const std::vector<std::filesystem::path>& parts() const { return parts_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max(), kOutput = kNone - 1;
  struct Run {
    std::uint64_t fingerprint = 0;
    std::uint32_t source = kNone;  // a part, or kOutput once it is stored there
    bool ended = false;
    bool comparable = false;  // another part must have the same fingerprint
  };
  void begin(const analysis::StudyPlan& plan);
  void require_same_study(const analysis::StudyPlan& plan, const std::filesystem::path& folder) const;
  void read_part(analysis::StoredStudy& study, const analysis::StudyPlan& plan, std::uint32_t source);
  void consider(Run& run, const analysis::RunState& state, std::uint32_t source, std::size_t point);
  void write_points(analysis::StoredStudy& study, std::uint32_t source);
  void write_runs(analysis::StoredStudy& study, std::uint32_t source);
  const std::filesystem::path& folder(std::uint32_t source) const;
  std::span<Run> runs_of_point(std::size_t point) { return runs_[slots_[point]]; }

  std::filesystem::path output_;
  std::unique_ptr<analysis::Store> store_;
  std::optional<analysis::StudyPlan> plan_;
  std::filesystem::path first_;  // folder that the plan was read from
  std::vector<std::filesystem::path> parts_;
  std::vector<std::size_t> slots_;        // by point; equal points share one
  std::vector<std::vector<Run>> runs_;    // by slot and repetition
  std::vector<std::uint32_t> describer_;  // by point: the first part that describes it
  std::uint64_t added_ = 0;
};

/// How many of the missing runs belong to each of `count` parts: by number of the part, without parts that miss none.
std::map<std::uint32_t, std::uint64_t> missing_by_part(const Plan& plan, std::span<const RunTask> missing,
                                                       std::uint32_t count);

}  // namespace hearsay::scenarios
