#pragma once
// Reads the study that a store holds, one run at a time.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/series_rows.hpp"
#include "analysis/results/store.hpp"

namespace hearsay::analysis {

class StoredStudy {
 public:
  /// Throws OutputError if the folder holds no store, or one without a study.
  explicit StoredStudy(const std::filesystem::path& folder);

  const StudyHead& head() const { return head_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::size_t points() const { return points_; }
  /// What the study was begun with; empty if there is no such thing.
  std::string info(std::string_view name);
  /// Point `number` with its scalars. `key` identifies its options.
  PointResult point(std::size_t number);
  std::string key(std::size_t number);

  using ForPoint = std::function<void(const PointResult& point)>;
  using ForRun = std::function<void(const PointResult& point, const RunResult& run)>;
  /// Goes through the study in order of point, then repetition, whatever the order its runs ran in: of each
  /// point calls `for_point`, then `for_run` with every run that is there. Cost of a run: some 10 us.
  void each_run(const ForPoint& for_point, const ForRun& for_run);
  /// One run with its series; nothing if it is not there.
  std::optional<RunResult> run(std::size_t number, std::uint32_t repetition);

 private:
  RunResult read_run(Statement& row, std::size_t number, const PointResult& point, std::int64_t point_id);
  void hold(std::int64_t id, const PointResult& point);
  std::vector<Scalar> read_scalars(Statement& rows);

  std::filesystem::path folder_;
  std::unique_ptr<Database> database_;
  StudyHead head_;
  std::size_t points_ = 0;
  std::int64_t record_ = 0;
  std::unique_ptr<Statement> point_, run_scalars_, point_scalars_, runs_;
  std::unique_ptr<RunSeriesRows> series_;
  std::unique_ptr<AggregateRows> aggregates_;
  std::int64_t held_ = 0;  // point whose repetitions are in together_
  SeriesByRepetition together_;
};

}  // namespace hearsay::analysis
