#pragma once
// Writes down the metrics of one run whenever it is told to look.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/metrics/metric.hpp"
#include "models/core/protocol.hpp"

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

/// A value of a metric that ends a run: of a per-agent one, of its mean over owners.
struct Target {
  const Metric* metric = nullptr;
  double below = -std::numeric_limits<double>::infinity();
  double above = std::numeric_limits<double>::infinity();
};

class Recorder final : public models::Observer {
 public:
  /// `owners`: how many values a per-agent metric has. The run is broken off once `interrupted` is true (it
  /// may be null) or `wall` seconds have gone by.
  Recorder(std::vector<const Metric*> metrics, std::size_t owners, std::optional<Target> target = {},
           const std::atomic<bool>* interrupted = nullptr,
           double wall = std::numeric_limits<double>::infinity());

  void observe(const models::World& world) override;
  bool reached(const models::World& world) override;
  bool should_abort() override;

  /// Where the target was reached; nothing if it was not.
  const std::optional<Mark>& reached_at() const { return reached_at_; }
  bool interrupted() const { return broken_off_ && interrupted_ != nullptr && *interrupted_; }
  /// Whether it was time that broke the run off.
  bool out_of_time() const { return broken_off_ && !interrupted(); }

  const Series& series() const { return series_; }
  Series take() { return std::move(series_); }
  /// Numbers of one mark.
  std::size_t width() const { return width_; }
  /// Whether every number so far is finite.
  bool finite() const { return finite_; }

 private:
  std::vector<const Metric*> metrics_;
  std::size_t owners_, width_ = 0;
  std::optional<Target> target_;
  std::vector<double> target_values_;
  std::optional<Mark> reached_at_;
  const std::atomic<bool>* interrupted_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double wall_;
  bool broken_off_ = false;
  Series series_;
  bool finite_ = true;
};

}  // namespace hearsay::analysis
