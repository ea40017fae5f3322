#pragma once
// What a study has come to so far, in one SQLite file, DIR/results.sqlite (tables: store_schema.hpp). It
// keeps every run that it has ever been given: a study that is changed and run again finds in it what is not
// new.
//
// While a study runs the file is a live database that others may read (WAL; a rollback journal on network
// file systems, where WAL does not work). One process writes, one thread of it; what is committed survives
// the process. Closed, it is one plain file.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/results/database.hpp"
#include "analysis/results/study.hpp"

namespace hearsay::analysis {

/// A point as a study asks for it. `key` identifies its options.
struct StudyPoint {
  std::string key;
  std::vector<std::string> labels;
  std::uint32_t repetitions = 1;
  std::string described_by{};  ///< identifies what is to be said of the point as a whole
};

/// What is to be run: everything by which a store is read without the scenario.
struct StudyPlan {
  StudyHead head;
  std::string record_key;
  std::vector<StudyPoint> points;
  std::map<std::string, std::string> info{};  ///< kept as it is
};

/// What a store knows of a run that is asked for.
struct KnownRun {
  enum class State : std::uint8_t {
    kNew,
    kKept,        ///< it is there
    kUnfinished,  ///< it failed or was interrupted
    kUnrecorded,  ///< it is there, but other things were written down
  };
  State state = State::kNew;
  bool comparable = false;        ///< kUnrecorded: it must have this fingerprint again
  std::uint64_t fingerprint = 0;  ///< of a run that ended
};

/// What a store knows of a study.
struct KnownStudy {
  std::vector<std::vector<KnownRun>> runs;  ///< by point and repetition
  std::vector<bool> described;              ///< whether what is to be said of the point is there
};

/// What the store in a database knows of the runs of a study.
KnownStudy known(Database& database, const StudyPlan& plan);

class Store {
 public:
  /// DIR/results.sqlite.
  static std::filesystem::path file(const std::filesystem::path& folder);

  /// Opens the store in a folder to write, or makes both. Throws OutputError: the folder can not be written,
  /// another process writes there, the file is damaged or of another version.
  explicit Store(const std::filesystem::path& folder);
  /// Commits and closes; what goes wrong is lost, so call close().
  ~Store();

  KnownStudy known(const StudyPlan& plan) { return analysis::known(*database_, plan); }

  /// From now on the store is of this study; runs of others stay in it.
  void begin_study(const StudyPlan& plan);
  void put_point(std::size_t number, const PointResult& point);
  /// `run.point` counts in the study that was begun. A run of the same point, repetition and record that is
  /// there is replaced.
  void put_run(const RunResult& run, const std::string& run_key);
  /// Puts the series of all runs that are there of each point together, where the study asks for it. To be called
  /// when no more runs come.
  void aggregate();
  /// What was put since the last commit is kept for good from now on, or thrown away.
  void commit();

  /// Commits and leaves one plain file.
  void close();

 private:
  struct Statements;
  void forget(std::int64_t run);
  std::int64_t insert_run(const RunResult& run, const std::string& run_key);
  void insert_series(std::int64_t id, const RunResult& run);
  void insert_scalars(std::size_t number, std::int64_t run, const std::vector<Scalar>& scalars);
  void begin();

  std::filesystem::path folder_;
  int lock_ = -1;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;
  bool in_transaction_ = false;
  StudyPlan plan_;
  struct Place {
    std::int64_t id;
    std::size_t owners, first_owner;  // of a point that has been described
  };
  std::vector<Place> places_;  // of the points
  std::int64_t record_ = 0, finished_ = 0;
  std::string host_;
  std::vector<double> column_;  // one series, as it is written
};

/// Opens a store to read; it may be live. Throws OutputError also if there is none.
std::unique_ptr<Database> open_store(const std::filesystem::path& folder);

}  // namespace hearsay::analysis
