#pragma once
// The results of a study: its points and the outcome of each run.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/series.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::analysis {

/// The outcome of a run: done, diverged (a metric was not finite), failed (see its message), or interrupted
/// before its end.
enum class Status : std::uint8_t { kDone, kDiverged, kFailed, kInterrupted };
std::string_view name(Status status);

/// Why a run ended: the protocol finished, a limit of "stop" was reached, no event was pending, or it was
/// interrupted.
enum class RunEnd : std::uint8_t {
  kFinished,
  kIterations,
  kTime,
  kVectors,
  kBytes,
  kEvents,
  kIdle,
  kTarget,
  kWall,
  kBudgets,
  kInterrupted
};
std::string_view name(RunEnd end);

/// The enumerator of a name; nothing if there is none.
std::optional<Status> status_of(std::string_view name);
std::optional<RunEnd> end_of(std::string_view name);

/// A number that belongs to a point or run as a whole, perhaps to one of its agents.
struct Scalar {
  std::string name;
  std::optional<sim::AgentId> agent;
  double value = 0;
};

/// One run: a repetition of a point.
struct RunResult {
  std::size_t point = 0;
  std::uint32_t repetition = 0;
  Status status = Status::kDone;
  std::string message{};  ///< why it failed
  RunEnd end = RunEnd::kFinished;
  std::uint64_t fingerprint = 0, events = 0, iterations = 0;
  double time = 0;  ///< simulated s
  sim::Traffic traffic{};
  Series series{};
  std::vector<Scalar>
      scalars{};    ///< where it reached its target; of its own problem, where each run draws one
  double wall = 0;  ///< s
};

/// One combination of the swept values.
struct PointResult {
  std::vector<std::string> labels{};       ///< one per axis
  std::vector<Scalar> scalars{};           ///< of the problem: optimum, baselines, noise
  std::vector<std::string> unaccounted{};  ///< what was fitted on private data without accounting
  std::vector<std::string> notes{};
  std::size_t owners = 0;
  sim::AgentId first_owner = 0;  ///< agent of owner 0
};

/// What all runs of a study share.
struct StudyHead {
  std::vector<std::string> axes;
  std::vector<std::size_t> groups{};  ///< by axis: equal for axes that vary together; empty: each by itself
  std::vector<MetricInfo> metrics;
  bool aggregate = false;  ///< the series of a point's repetitions are stored together
  bool by_time = false;    ///< samples are at equal times, not at equal iterations

  SeriesLayout layout(const PointResult& point) const { return {metrics, point.owners, point.first_owner}; }
  /// Number of the metric of that name; nothing if it is not recorded.
  std::optional<std::size_t> metric(std::string_view wanted) const;
};

/// The last value that a run recorded of each metric; per-agent metrics as their mean over owners. Empty if
/// it recorded nothing.
std::vector<double> final_values(const StudyHead& study, const PointResult& point, const RunResult& run);

}  // namespace hearsay::analysis
