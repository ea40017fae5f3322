#pragma once
// Reads the study that a store contains, one run at a time.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/participants.hpp"
#include "analysis/results/store/series_rows.hpp"

namespace hearsay::analysis {

class StoredStudy {
 public:
  /// Throws OutputError if the folder contains no store, or one without a study.
  explicit StoredStudy(const std::filesystem::path& folder);

  const StudyHead& head() const { return head_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::size_t points() const { return points_; }
  /// A value of StudyPlan::info; empty if there is none of that name.
  std::string info(std::string_view name);
  /// Point `number` with its scalars. `key` identifies its options.
  PointResult point(std::size_t number);
  std::string key(std::size_t number);
  std::vector<OwnerFacts> owners(std::size_t number);
  /// Equal numbers: equal networks. Nothing if the point is not described.
  std::optional<std::int64_t> network_number(std::size_t number);
  NetworkGraph network(std::int64_t network_number);

  using ForRun = std::function<void(const RunResult& run)>;
  /// Calls `for_run` for each stored run of a point by repetition, whatever order they ran in. About 10 us per run.
  void runs(std::size_t number, const ForRun& for_run);
  /// Goes through the study in order of points: calls `for_point` for each, then `for_run` for each of its runs.
  void each_run(const std::function<void(const PointResult& point)>& for_point,
                const std::function<void(const PointResult& point, const RunResult& run)>& for_run);
  /// One run with its series; nothing if it is not stored.
  std::optional<RunResult> run(std::size_t number, std::uint32_t repetition);

 private:
  struct Row;
  Row row(std::size_t number);
  void read_runs(const Row& point, std::int64_t first, std::int64_t last, const ForRun& for_run);
  RunResult read_run(const Row& point, const Statement& row);

  std::filesystem::path folder_;
  std::unique_ptr<Database> database_;
  StudyHead head_;
  std::size_t points_ = 0;
  std::int64_t record_ = 0;
  std::int64_t held_ = 0;  // point whose repetitions are in `together_`
  SeriesByRepetition together_;
};

}  // namespace hearsay::analysis
