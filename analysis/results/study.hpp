#pragma once
// What is known of a study: its points, and what each run came to.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/metric.hpp"
#include "analysis/metrics/recorder.hpp"
#include "sim/engine/engine.hpp"

namespace hearsay::analysis {

/// How a run came out: done, diverged (a metric was not finite), failed (message kept), or interrupted before
/// its end.
enum class Status : std::uint8_t { kDone, kDiverged, kFailed, kInterrupted };
std::string_view name(Status status);

/// What ended a run: the protocol itself, a limit of "stop", nothing left to happen, or an interruption.
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
      scalars{};    ///< where it reached its target; numbers of the run's own problem, if it has one
  double wall = 0;  ///< s
};

/// One combination of the swept values.
struct PointResult {
  std::vector<std::string> labels{};     ///< one an axis
  std::vector<Scalar> scalars{};         ///< of the problem: optimum, baselines, noise
  std::vector<std::string> unprivate{};  ///< what was fitted on private data without accounting
  std::vector<std::string> notes{};
  std::size_t owners = 0;
  sim::AgentId first_owner = 0;  ///< agent of owner 0
};

/// What all runs of a study share.
struct StudyHead {
  std::vector<std::string> axes;
  std::vector<std::size_t> groups{};  ///< by axis: equal for axes that move together; empty: each on its own
  std::vector<const Metric*> metrics;
  bool aggregate = false;  ///< the series of a point's repetitions are kept together
  bool by_time = false;    ///< looked at at equal times, not at equal iterations
};

/// The last value that a run recorded of each metric; per-agent metrics as their mean over owners. Empty if
/// it recorded nothing.
std::vector<double> final_values(const StudyHead& study, const PointResult& point, const RunResult& run);

}  // namespace hearsay::analysis
