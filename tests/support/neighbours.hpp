#pragma once
// Whether the events of a private run depend on exact values: one scenario on two data sets that differ in one record,
// with the same noise. Where a manifest lists no exact read, every event of the two runs must be the same.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/execution/experiment.hpp"
#include "sim/check.hpp"

namespace hearsay::test {

/// The first events of a run, a line each, without the numbers that are sent or released.
class EventLog final : public sim::TraceSink {
 public:
  static constexpr std::size_t kMost = 5000;

  void record(const sim::TraceRecord& r) override {
    full = lines.size() >= kMost;
    if (full) return;
    lines.push_back(fmt::format("{:a} s {} agent {} peer {} message {:x} cause {:x} {} bytes iteration {} {}",
                                r.time, sim::name(r.kind), r.agent, r.peer, r.message, r.cause, r.bytes,
                                r.iteration, r.detail));
  }
  std::vector<std::string> lines;
  std::atomic<bool> full = false;  // ends the run
};

/// The same data, but for the first record of the owner that has the most: half of its features (but for a constant one),
/// another class, or another size of its target, within the declared bounds.
inline models::DataSet neighbour_of(models::DataSet data) {
  models::Shard& shard = *std::max_element(
      data.train.begin(), data.train.end(),
      [](const models::Shard& a, const models::Shard& b) { return a.target.size() < b.target.size(); });
  const Eigen::Index free = shard.features.cols() - (data.bias ? 1 : 0);
  shard.features.row(0).head(free) /= 2;
  double& y = shard.target[0];
  if (!data.classes.empty()) {
    y = y == 0 ? 1 : 0;
  } else {
    const bool two_classes = y == 1 || y == -1;
    const double bound = data.bounds ? data.bounds->target : std::numeric_limits<double>::infinity();
    y = two_classes ? -y : !std::isfinite(bound) ? y + 1000 : std::abs(y) > bound / 2 ? 0 : bound;
  }
  return data;
}

struct NeighbourRuns {
  bool applies = false;  ///< private, and the runs end (or fail) by themselves
  std::vector<std::string> listed{};
  std::string difference{};  ///< of the events; empty: none
};

/// Runs the first repetition on both: the data of `scenario`, and those of `other` (the same but for the files that it
/// reads) or, where that is null, neighbour_of() them. Throws what the assembly on the first data set throws.
inline NeighbourRuns compare_neighbours(const scenarios::Scenario& scenario,
                                        const scenarios::Scenario* given = nullptr) {
  NeighbourRuns runs;
  const auto one = scenarios::solve(scenario, 0);
  const scenarios::Experiment first(scenario, one);
  if (!first.privacy().active()) return runs;
  runs.listed = first.describe_point({}).unaccounted;
  std::shared_ptr<const scenarios::SolvedProblem> other;
  try {
    other = given != nullptr ? scenarios::solve(*given, 0)
                             : std::make_shared<const scenarios::SolvedProblem>(
                                   neighbour_of(one->problem.data()), scenario.model);
  } catch (const sim::Error&) {  // such as classes of which none is left
    return runs;
  }
  runs.applies = true;
  const auto events_of = [&](const scenarios::Experiment& experiment) {
    EventLog log;
    const analysis::RunResult result = experiment.run(0, &log, &log.full);
    if (!log.full) log.lines.push_back(fmt::format("end: {}", analysis::name(result.end)));
    return log.lines;
  };
  const std::vector<std::string> a = events_of(first);
  std::vector<std::string> b;
  try {
    b = events_of(scenarios::Experiment(given != nullptr ? *given : scenario, other));
  } catch (const sim::Error& error) {
    b = {fmt::format("refused: {}", error.what())};
  }
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x != a.end() || y != b.end())
    runs.difference = fmt::format("event {}: {} | {}", x - a.begin(), x == a.end() ? "none" : *x,
                                  y == b.end() ? "none" : *y);
  return runs;
}

}  // namespace hearsay::test
