#pragma once
// Records the metrics of one run at each observation.
#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/metrics/metric.hpp"
#include "analysis/metrics/model_check.hpp"
#include "analysis/store/study.hpp"
#include "models/run/observer.hpp"

namespace hearsay::analysis {

/// A value of a metric (of a per-agent one: of its mean over owners) that ends a run.
struct Target {
  const Metric* metric = nullptr;
  double below = -std::numeric_limits<double>::infinity();
  double above = std::numeric_limits<double>::infinity();
};

/// The first value of a run that exceeded 1e6 (v + z), or that was finite at the start and no longer is. v: the value at
/// the start, or the metric's scale if that is larger; z: the squared norm of all noise added so far, which raises an
/// objective in proportion. Such a run has a large cost of privacy, but it is stable.
struct Divergence {
  std::string metric;  ///< of a per-agent one with the agent: "test_error_by_owner of agent 3"
  double start = 0, value = 0;
  Sample at;
  auto state() { return std::tie(metric, start, value, at); }
};

class Recorder final : public models::Observer {
 public:
  /// `owners`: number of values of a per-agent metric. The run is aborted once `interrupted` is true (it may be
  /// null) or `wall` seconds of wall-clock time have passed.
  Recorder(std::vector<const Metric*> metrics, std::size_t owners, std::optional<Target> target = {},
           const std::atomic<bool>* interrupted = nullptr,
           double wall = std::numeric_limits<double>::infinity());

  void observe(const models::World& world) override;
  bool reached(const models::World& world) override;
  bool should_abort() override;

  /// The state in which the target was reached; nothing if it was not.
  const std::optional<Sample>& reached_at() const { return reached_at_; }
  bool interrupted() const { return aborted_ && interrupted_ != nullptr && *interrupted_; }
  /// Whether the wall-clock limit aborted the run.
  bool out_of_time() const { return aborted_ && !interrupted(); }

  const Series& series() const { return series_; }
  Series take() { return std::move(series_); }
  /// Numbers of one sample.
  std::size_t width() const { return layout_.width(); }
  /// Whether the run has diverged so far: by a recorded value, by its models (ModelCheck), those of `world` being the
  /// last, or by a vector that an honest agent sent. One sentence with what diverged, its values and the time; nothing if
  /// it has not.
  std::optional<std::string> divergence(const models::World& world) const;

  /// What it has recorded, and how long it has taken.
  template <class Archive>
  void serialize(Archive& archive) {
    double passed = seconds();
    archive(series_, ordinary_, divergence_, models_, reached_at_, passed);
    if constexpr (Archive::is_loading::value) before_ += passed - seconds();
  }
  /// Wall-clock time, s, of the whole run.
  double seconds() const {
    return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  void judge(const models::World& world, std::span<const double> values);

  std::vector<const Metric*> metrics_;
  SeriesLayout layout_;
  std::vector<double>
      ordinary_;  // v by column; infinite: may grow; NaN: not judged, as it was not finite at the start
  std::optional<Divergence> divergence_;
  ModelCheck models_;
  std::optional<Target> target_;
  std::vector<double> target_values_;
  std::optional<Sample> reached_at_;
  const std::atomic<bool>* interrupted_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double before_ = 0;  // s, of the run until it was interrupted
  double wall_;
  bool aborted_ = false;
  Series series_;
};

}  // namespace hearsay::analysis
