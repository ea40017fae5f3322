#pragma once
// Reads the study that a store contains, one run at a time.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/store/participants.hpp"
#include "analysis/store/store.hpp"

namespace hearsay::analysis {

/// The outcome of a stored run.
struct RunState {
  std::uint32_t repetition = 0;
  Status status = Status::kDone;
  RunEnd end = RunEnd::kFinished;
  bool intact = true;  ///< else damaged
  std::uint64_t fingerprint = 0;
  double wall = 0;            ///< s
  std::int64_t finished = 0;  ///< runs of the store are numbered as they finish

  /// Whether it has a result that `hearsay run` does not compute again.
  bool ended() const { return intact && (status == Status::kDone || status == Status::kDiverged); }
};

/// How many of the planned runs a store has.
struct Presence {
  std::uint64_t planned = 0, stored = 0;  ///< interrupted runs are not counted as stored
  bool intact = true;                     ///< else runs that were stored are not found
  std::uint64_t missing() const { return planned - stored; }
};

class StoredStudy {
 public:
  /// Throws OutputError if the folder contains no store, or one without a study. Everything read later throws it too
  /// where it is damaged, except runs: see damaged().
  explicit StoredStudy(const std::filesystem::path& folder);
  /// The same for its store, already open.
  StoredStudy(const std::filesystem::path& folder, std::shared_ptr<Database> database);

  const StudyHead& head() const { return head_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::size_t points() const { return points_; }
  /// A value of StudyPlan::info; empty if there is none of that name.
  std::string info(std::string_view name);
  /// The study as it was begun. Points that are not described have an empty `described_by`.
  StudyPlan plan();
  /// From now on everything is read as it is in the store now, whatever others write meanwhile; without effect where
  /// that would keep them from writing, on network file systems.
  void freeze();
  /// Point `number` with its scalars. `key` identifies its options.
  PointResult point(std::size_t number);
  std::string key(std::size_t number);
  std::vector<OwnerFacts> owners(std::size_t number);
  /// Names of the parameters of a point's models; empty unless it was described with them.
  std::vector<std::string> parameters(std::size_t number);
  /// Equal numbers: equal networks. Nothing if the point is not described.
  std::optional<std::int64_t> network_number(std::size_t number);
  NetworkGraph network(std::int64_t network_number);

  /// The outcomes of the stored runs of a point, by repetition; their checksums are compared.
  std::vector<RunState> states(std::size_t number);

  /// Compares the plan and the sealed sets of runs with those that are found. Damaged runs are found.
  Presence presence();

  using ForRun = std::function<void(const RunResult& run)>;
  /// Calls `for_run` for each stored run of a point by repetition, whatever order they ran in, except for damaged ones.
  /// About 15 us per run.
  void runs(std::size_t number, const ForRun& for_run);
  /// Goes through the study in order of points: calls `for_point` for each, then `for_run` for each of its runs.
  void each_run(const std::function<void(const PointResult& point)>& for_point,
                const std::function<void(const PointResult& point, const RunResult& run)>& for_run);
  /// One run with its series; nothing if it is not stored or damaged.
  std::optional<RunResult> run(std::size_t number, std::uint32_t repetition);

  /// The damaged runs met so far, by point and repetition.
  const std::set<std::pair<std::size_t, std::uint32_t>>& damaged() const { return damaged_; }

 private:
  struct Row;
  Row row(std::size_t number);
  void read_runs(const Row& point, std::int64_t first, std::int64_t last, const ForRun& for_run);
  RunResult read_run(const Row& point, const Statement& row);
  std::string document(std::int64_t id);
  /// Whether a row of the table of runs, (id, repetition, ...), is a run of the point; else it is noted as damaged.
  bool intact_row(const Statement& row, std::size_t number, std::int64_t point);
  /// The document in a column of a point; nothing if it has none.
  std::optional<std::int64_t> document_of(std::size_t number, const char* column);
  /// Sets the labels of axes and tuned options.
  template <class Point>
  void decode_labels(const std::string& text, Point& point) const;
  /// from(text of the document).
  template <class From>
  auto from_json(std::int64_t id, From&& from) -> decltype(from(std::string()));
  template <class T>
  void decode(const std::string& text, T& value) const;
  [[noreturn]] void damaged_part(const std::string& what) const;

  std::filesystem::path folder_;
  std::shared_ptr<Database> database_;
  StudyHead head_;
  std::size_t points_ = 0;
  std::string record_;
  std::set<std::pair<std::size_t, std::uint32_t>> damaged_;
};

}  // namespace hearsay::analysis
