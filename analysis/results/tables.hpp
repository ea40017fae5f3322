#pragma once
// The tidy tables that a study leaves: one row a number, with a header, for pandas or R. No wall times, so
// that equal studies have equal files.
#include <filesystem>
#include <string>

#include "analysis/results/output_file.hpp"
#include "analysis/results/study.hpp"

namespace hearsay::analysis {

/// The axes as columns of a table, each with the comma after it; and a point's values of them.
std::string axes_header(const StudyHead& study);
std::string axes_labels(const PointResult& point);

/// axes..., repetition, metric, agent, iteration, time_s, vectors, bytes, value
class SeriesTable {
 public:
  SeriesTable(const StudyHead& study, const std::filesystem::path& path);
  void add(const PointResult& point, const RunResult& run);
  void commit() { file_.commit(); }

 private:
  const StudyHead& study_;
  OutputFile file_;
};

/// axes..., repetition, name, agent, value: the numbers of each run and its metrics at the end, and the
/// numbers of each point (no repetition)
class ScalarTable {
 public:
  ScalarTable(const StudyHead& study, const std::filesystem::path& path);
  void add(const PointResult& point);
  void add(const PointResult& point, const RunResult& run);
  void commit() { file_.commit(); }

 private:
  const StudyHead& study_;
  OutputFile file_;
};

/// axes..., repetition, status, end, iterations, time_s, events, messages, delivered, vectors, bytes,
/// lost_..., fingerprint, message
class RunTable {
 public:
  RunTable(const StudyHead& study, const std::filesystem::path& path);
  void add(const PointResult& point, const RunResult& run);
  void commit() { file_.commit(); }

 private:
  OutputFile file_;
};

}  // namespace hearsay::analysis
