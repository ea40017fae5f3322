#pragma once
// The results of a study: its points, the outcome of each run, and the values of its metrics at a sequence of samples.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/trace.hpp"

namespace hearsay::analysis {

/// Which values of a metric are better; none: neither smaller nor larger ones, or it is not known.
enum class Better : std::uint8_t { kLower, kHigher, kNone };
inline constexpr std::array<std::string_view, 3> kBetterNames{"lower", "higher", "none"};
inline std::string_view name(Better better) {
  return kBetterNames.at(static_cast<std::size_t>(better));
}

/// The description of a metric.
struct MetricInfo {
  std::string name, help, unit;
  bool per_agent = false;  ///< one value for each agent that holds data, else one
  Better better = Better::kLower;
  bool operator==(const MetricInfo&) const = default;
};

/// The state of a run when its metrics were recorded.
struct Sample {
  std::uint64_t iteration = 0;
  double time = 0;                                     ///< simulated s
  std::uint64_t vectors = 0, bytes = 0, messages = 0;  ///< sent so far, including lost ones

  std::array<double, 5> numbers() const {
    return {static_cast<double>(iteration), time, static_cast<double>(vectors), static_cast<double>(bytes),
            static_cast<double>(messages)};
  }
  auto state() { return std::tie(iteration, time, vectors, bytes, messages); }
};

/// The metrics of one run over its course.
struct Series {
  std::vector<Sample> samples;
  std::vector<double> values;  ///< samples x SeriesLayout::width(), sample by sample
  auto state() { return std::tie(samples, values); }
};

/// The order of the values of one sample: metrics in order, a per-agent one with a value for each owner.
class SeriesLayout {
 public:
  /// One value of a sample.
  struct Column {
    std::size_t metric;
    std::optional<sim::AgentId> agent;  ///< of a per-agent metric
  };

  SeriesLayout() = default;
  /// Agent of owner j is first_owner + j.
  SeriesLayout(const std::vector<MetricInfo>& metrics, std::size_t owners, sim::AgentId first_owner = 0);

  std::size_t width() const { return begin_.back(); }
  std::size_t metrics() const { return per_agent_.size(); }
  Column column(std::size_t c) const;

  /// The values of one metric within those of one sample.
  template <class T>
  std::span<T> values_of(std::size_t metric, std::span<T> sample) const {
    return sample.subspan(begin_[metric], begin_[metric + 1] - begin_[metric]);
  }
  /// The values of sample k.
  std::span<const double> sample(const Series& series, std::size_t k) const {
    return std::span(series.values).subspan(k * width(), width());
  }
  /// The mean over its known values of each metric at sample k.
  std::vector<double> means(const Series& series, std::size_t k) const;

 private:
  std::vector<std::size_t> begin_{0};  // first column of each metric, then the width
  std::vector<bool> per_agent_;        // by metric
  sim::AgentId first_owner_ = 0;
};

/// The mean of the values that are not NaN, as they are of owners without test records; NaN if there is none.
double mean_of_known(std::span<const double> values);

/// The outcome of a run: done, diverged (see analysis::Divergence), failed, or interrupted before its end. Diverged and
/// failed runs have a message.
enum class Status : std::uint8_t { kDone, kDiverged, kFailed, kInterrupted };
inline constexpr std::array<std::string_view, 4> kStatusNames{"done", "diverged", "failed", "interrupted"};
inline std::string_view name(Status status) {
  return kStatusNames.at(static_cast<std::size_t>(status));
}

/// Why a run ended: the protocol finished, a limit of "stop" was reached, no event was pending, it was interrupted, or
/// it failed.
// clang-format off
enum class RunEnd : std::uint8_t {
  kFinished, kIterations, kTime, kVectors, kBytes, kEvents, kIdle, kTarget, kWall, kBudgets, kInterrupted,
  kFailed
};
inline constexpr std::array<std::string_view, 12> kEndNames{
  "finished", "iterations", "time", "vectors", "bytes", "events", "idle", "target", "wall", "budgets", "interrupted",
  "failed"};
// clang-format on
inline std::string_view name(RunEnd end) {
  return kEndNames.at(static_cast<std::size_t>(end));
}

/// A number of a point or of a run, or of one of its agents.
struct Scalar {
  std::string name;
  std::optional<sim::AgentId> agent;
  double value = 0;
};

/// The parameters of an agent's model.
struct AgentModel {
  sim::AgentId agent = 0;
  std::vector<double> parameters{};
};

/// One run: a repetition of a point.
struct RunResult {
  std::size_t point = 0;
  std::uint32_t repetition = 0;
  Status status = Status::kDone;
  std::string message{};  ///< why it diverged or failed
  RunEnd end = RunEnd::kFinished;
  std::uint64_t fingerprint = 0, events = 0, iterations = 0;
  double time = 0;  ///< simulated s
  sim::Traffic traffic{};
  Series series{};
  std::vector<Scalar> scalars{};  ///< where it reached its target; of its problem, where each run draws one
  std::vector<AgentModel> models{};  ///< at its end, by agent; empty unless the study keeps them
  double wall = 0;                   ///< s
  std::string host{};                ///< the machine that made it; empty: this one
};

/// One combination of the swept values.
struct PointResult {
  std::vector<std::string> labels{};       ///< one per axis
  std::vector<std::string> tuned{};        ///< one per tuned option: the value selected for the point
  std::vector<Scalar> scalars{};           ///< of the problem: optimum, baselines, noise
  std::vector<std::string> unaccounted{};  ///< what was fitted on private data without accounting
  std::vector<std::string> notes{};
  std::size_t owners = 0;
  sim::AgentId first_owner = 0;  ///< agent of owner 0
};

/// The values of "record.every", in the order of Sample::numbers().
inline constexpr std::array<std::string_view, 4> kEveryNames{"iterations", "time", "vectors", "bytes"};

/// What all runs of a study share.
struct StudyHead {
  std::vector<std::string> axes;
  /// Options that are no axes because one value of them was selected for each point.
  std::vector<std::string> tuned{};
  std::vector<std::size_t>
      groups{};  ///< by axis: equal for axes that vary together; empty: all are independent
  /// By axis, then by tuned option: the texts of tables and figures for labels that have another one there.
  std::vector<std::map<std::string, std::string>> shown{};
  std::vector<MetricInfo> metrics;
  bool aggregate = false;   ///< tables have statistics over a point's repetitions in place of their series
  bool models = false;      ///< runs keep their final models
  bool by_time = false;     ///< samples are at equal times, not at equal iterations
  std::size_t every = 0;    ///< what was equal between samples: a place in Sample::numbers()
  bool antithetic = false;  ///< repetitions 2k and 2k + 1 are antithetic pairs: their means are independent

  SeriesLayout layout(const PointResult& point) const { return {metrics, point.owners, point.first_owner}; }
  /// The labels of a point in tables and figures.
  std::vector<std::string> shown_labels(std::vector<std::string> labels) const;
  /// The labels of its tuned options there.
  std::vector<std::string> shown_tuned(std::vector<std::string> labels) const;
  /// Number of the metric of that name; nothing if it is not recorded.
  std::optional<std::size_t> metric(std::string_view wanted) const;
};

/// The last value that a run recorded of each metric; per-agent metrics as their mean over owners. Empty if
/// it recorded nothing.
std::vector<double> final_values(const StudyHead& study, const PointResult& point, const RunResult& run);

}  // namespace hearsay::analysis
