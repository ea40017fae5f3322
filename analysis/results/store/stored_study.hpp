#pragma once
// Reads the study that a store contains, one run at a time.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/study.hpp"

namespace hearsay::analysis {

class StoredStudy {
 public:
  /// Throws OutputError if the folder contains no store, or one without a study.
  explicit StoredStudy(const std::filesystem::path& folder);
  ~StoredStudy();

  const StudyHead& head() const { return head_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::size_t points() const { return points_; }
  /// A value of StudyPlan::info; empty if there is none of that name.
  std::string info(std::string_view name);
  /// Point `number` with its scalars. `key` identifies its options.
  PointResult point(std::size_t number);
  std::string key(std::size_t number);

  using ForPoint = std::function<void(const PointResult& point)>;
  using ForRun = std::function<void(const PointResult& point, const RunResult& run)>;
  /// Goes through the study in order of point, then repetition, whatever the order its runs ran in: calls
  /// `for_point` for each point, then `for_run` for each of its runs that is stored. About 10 us per run.
  void each_run(const ForPoint& for_point, const ForRun& for_run);
  /// One run with its series; nothing if it is not stored.
  std::optional<RunResult> run(std::size_t number, std::uint32_t repetition);

 private:
  struct Rows;
  struct Row;
  RunResult read_run(const Row& point);

  std::filesystem::path folder_;
  StudyHead head_;
  std::size_t points_ = 0;
  std::unique_ptr<Rows> rows_;
};

}  // namespace hearsay::analysis
