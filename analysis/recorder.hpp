#pragma once
// Writes down the metrics of one run whenever it is told to look.
#include <cstdint>
#include <vector>

#include "analysis/metric.hpp"
#include "models/protocol.hpp"

namespace hearsay::analysis {

/// Where a run stood when it was looked at.
struct Mark {
  std::uint64_t iteration = 0;
  double time = 0;  ///< s
  std::uint64_t vectors = 0, bytes = 0;
};

/// The metrics of one run over its course.
struct Series {
  std::vector<Mark> marks;
  std::vector<double> values;  ///< marks x width: of each mark all metrics in order, per-agent ones expanded
};

class Recorder final : public models::Observer {
 public:
  /// `owners`: how many values a per-agent metric has.
  Recorder(std::vector<const Metric*> metrics, std::size_t owners);

  void observe(const models::World& world) override;

  const Series& series() const { return series_; }
  Series take() { return std::move(series_); }
  /// Numbers of one mark.
  std::size_t width() const { return width_; }
  /// Whether every number so far is finite.
  bool finite() const { return finite_; }

 private:
  std::vector<const Metric*> metrics_;
  std::size_t owners_, width_ = 0;
  Series series_;
  bool finite_ = true;
};

}  // namespace hearsay::analysis
