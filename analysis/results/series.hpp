#pragma once
// What a run records: the values of its metrics at a sequence of samples.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace hearsay::analysis {

/// The description of a metric.
struct MetricInfo {
  std::string name, help, unit;
  bool per_agent = false;  ///< one value for each agent that holds data, else one
  bool operator==(const MetricInfo&) const = default;
};

/// The state of a run when its metrics were recorded.
struct Sample {
  std::uint64_t iteration = 0;
  double time = 0;  ///< simulated s
  std::uint64_t vectors = 0, bytes = 0;

  std::array<double, 4> numbers() const {
    return {static_cast<double>(iteration), time, static_cast<double>(vectors), static_cast<double>(bytes)};
  }
};

/// The metrics of one run over its course.
struct Series {
  std::vector<Sample> samples;
  std::vector<double> values;  ///< samples x SeriesLayout::width(), sample by sample
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
  /// The mean over its values of each metric at sample k.
  std::vector<double> means(const Series& series, std::size_t k) const;

 private:
  std::vector<std::size_t> begin_{0};  // first column of each metric, then the width
  std::vector<bool> per_agent_;        // by metric
  sim::AgentId first_owner_ = 0;
};

}  // namespace hearsay::analysis
