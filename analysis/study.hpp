#pragma once
// What is known of a study once it has run: its points, and what each run came to.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric.hpp"
#include "analysis/recorder.hpp"
#include "sim/engine.hpp"

namespace hearsay::analysis {

enum class Status : std::uint8_t { kDone, kDiverged, kFailed, kInterrupted };
std::string_view name(Status status);
std::string_view name(sim::End end);

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
  std::string message;  ///< why it failed
  sim::End end = sim::End::kFinished;
  std::uint64_t fingerprint = 0, events = 0, iterations = 0;
  double time = 0;  ///< simulated s
  sim::Traffic traffic;
  Series series;
  std::vector<Scalar> scalars;  ///< of the run's own problem, where every repetition draws its own
  double wall = 0;              ///< s
};

/// One combination of the swept values.
struct PointResult {
  std::vector<std::string> labels;     ///< one an axis
  std::vector<Scalar> scalars;         ///< of the problem: optimum, baselines, noise
  std::vector<std::string> unprivate;  ///< what was fitted on private data without accounting
  std::vector<std::string> notes;
  std::size_t owners = 0;
  sim::AgentId first_owner = 0;  ///< agent of owner 0
};

struct StudyResult {
  std::vector<std::string> axes;
  std::vector<const Metric*> metrics;
  std::vector<PointResult> points;
  std::vector<RunResult> runs;  ///< in order of point, then repetition
};

/// The last value that a run recorded of each metric; per-agent metrics as their mean over owners.
std::vector<double> final_values(const StudyResult& study, const RunResult& run);

}  // namespace hearsay::analysis
