#pragma once
// The results of a study so far, in one SQLite file, DIR/results.sqlite (tables: store_file.hpp). All runs ever stored
// remain in it: a study that is changed and run again reuses those that it still needs.
//
// While a study runs the file is a live database that others may read (WAL; a rollback journal on network file
// systems, where WAL does not work). One process writes, on one thread; committed runs survive the process and a loss of
// power. After close() it is a single plain file, unless a reader still has it open.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/store/participants.hpp"
#include "analysis/store/store_file.hpp"
#include "analysis/store/study.hpp"

namespace hearsay::analysis {

/// A point of a plan. `key` identifies its options.
struct StudyPoint {
  std::string key;
  std::vector<std::string> labels;
  std::uint32_t repetitions = 1;
  std::string described_by{};  ///< identifies the description of the point
  std::vector<std::string> tuned{};
};

/// The study to run: everything needed to read the store without the scenario.
struct StudyPlan {
  StudyHead head;
  std::string record_key;
  std::vector<StudyPoint> points;
  std::map<std::string, std::string> info{};  ///< stored unchanged
};

/// Whether a store contains a planned run.
struct KnownRun {
  enum class State : std::uint8_t {
    kNew,
    kCached,      ///< stored
    kUnfinished,  ///< failed or interrupted
    kUnrecorded,  ///< stored, but with other metrics recorded
    kDamaged,     ///< stored, but not as it was written
  };
  State state = State::kNew;
  bool comparable = false;        ///< kUnrecorded: a repeated run must have this fingerprint
  std::uint64_t fingerprint = 0;  ///< of a run that ended
};

/// Which runs of a study a store contains.
struct KnownStudy {
  std::vector<std::vector<KnownRun>> runs;  ///< by point and repetition
  std::vector<bool> described;              ///< whether the description of the point is stored
  std::vector<bool> outdated;               ///< whether another one is, or a damaged one
  std::vector<std::int64_t> damaged{};      ///< ids of the damaged runs
  /// By point: mean wall-clock time of its stored runs, s; nothing if there is none.
  std::vector<std::optional<double>> seconds{};
};

KnownStudy known(Database& database, const StudyPlan& plan);

class Store {
 public:
  /// Opens the store of a folder to write; creates both if there are none. Throws OutputError: the folder cannot be
  /// written, another process writes there, the file is damaged or of another version. `lock`: of the folder, if the
  /// caller has locked it.
  explicit Store(const std::filesystem::path& folder, std::shared_ptr<const FolderLock> lock = nullptr);
  /// Without close(), what has not been committed is lost, and errors are ignored.
  ~Store();

  /// Erases what is damaged.
  KnownStudy known(const StudyPlan& plan);

  /// Makes this the study of the store; runs of other studies remain stored. To be committed with the descriptions of
  /// its points: those of another study must not pass for them.
  void begin_study(const StudyPlan& plan);
  void put_point(std::size_t number, const PointResult& point, const Participants& participants = {});
  /// `run.point` is a number in that study. Replaces a stored run of the same point, repetition and metrics.
  void put_run(const RunResult& run);
  /// Makes everything since the last commit permanent.
  void commit();

  /// Commits and leaves one plain file. The folder remains locked as long as this object lives.
  void close();

 private:
  void begin();
  void erase(std::int64_t run);
  /// What is stored of a run but its row.
  void erase_values(std::int64_t run);
  /// Stores a text that points share; returns its id.
  std::int64_t document(const std::string& text);
  void insert_scalars(std::int64_t point, std::optional<std::int64_t> run,
                      const std::vector<Scalar>& scalars);

  std::shared_ptr<const FolderLock> lock_;
  std::unique_ptr<Database> database_;
  bool in_transaction_ = false;
  StudyPlan plan_;
  struct Place {
    std::int64_t id;
    std::size_t width;  // of its series; known once the point is described
  };
  std::vector<Place> places_;  // of the points
  std::int64_t finished_ = 0;
};

}  // namespace hearsay::analysis
