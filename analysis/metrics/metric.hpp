#pragma once
// Metrics: pure functions of the state of a run. They draw no random numbers and change nothing, so measuring
// more often never changes a run.
//
// "The model" of a metric is the learner's if there is one (agent 0 of a star); else the metric is the mean over agents
// of its value at each agent's own model. Exact losses, fitness and distances are computed from private data
// without noise: they are diagnostics of the simulator that a real network could not publish.
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/metrics/statistic.hpp"
#include "analysis/store/study.hpp"
#include "models/run/world.hpp"

namespace hearsay::analysis {

struct Metric {
  std::string_view name, help;
  /// Writes one number, or one for each owner in order. Without it and of_models the protocol measures it, or the study's own
  /// code.
  void (*of_world)(const models::World& world, std::span<double> out) = nullptr;
  std::string_view unit{};
  bool per_agent = false;          ///< one value for each agent that holds data, else one
  bool needs_test = false;         ///< needs test records
  bool needs_optimum = false;      ///< needs theta* of the pooled problem
  bool needs_classes = false;      ///< needs a loss for classes
  bool needs_adversaries = false;  ///< needs privacy.adversaries
  bool exact = true;               ///< may depend on private values that are not released
  Better better = Better::kLower;  ///< higher: of an owner's values, the smallest are the worst
  /// The smallest value that divergence is measured by (analysis::Divergence). Null: the metric may grow.
  double (*scale)(const models::World& world) = nullptr;
  const Metric* of = nullptr;  ///< of a statistic: the metric with a value for each owner
  Statistic statistic = Statistic::kMean;
  /// Of the models that are measured (MeasuredModels), or of a group of them: columns, at least one.
  using Models = Eigen::Ref<const Eigen::MatrixXd>;
  double (*of_models)(const models::World& world, const Models& models) = nullptr;

  void measure(const models::World& world, std::span<double> out) const;
  /// Of one with a value for each owner, the mean of the known ones; `values` has room for all.
  double mean(const models::World& world, std::span<double> values) const;
  /// The metric that is measured: of a statistic, the one it is of.
  const Metric& measured() const { return of == nullptr ? *this : *of; }
  /// Whether it is measured here, not by the protocol or the study's own code.
  bool is_general() const { return of_world != nullptr || of_models != nullptr; }
  /// Whether it is of honest or of hostile agents alone.
  bool of_group() const { return of != nullptr && is_group(statistic); }

  std::size_t size(std::size_t owners) const { return per_agent ? owners : 1; }
  MetricInfo info() const {
    return {std::string(name), std::string(help), std::string(unit), per_agent, better};
  }
};

/// All metrics: those of every run, then those that the protocols of the table declare, then those of declare(). The table
/// of protocols must be complete when this is first called.
std::span<const Metric> metrics();
/// Adds metrics of code that has been loaded; keeps copies of the texts. Not while runs are made. Throws
/// std::invalid_argument for a name that another quantity has.
void declare(std::span<const models::ProtocolMetric> metrics);
/// The statistics of those with a value for each owner, "metric.statistic". Not while runs are made.
const std::deque<Metric>& statistics();
/// The metric or statistic of that name, or null.
const Metric* find_metric(std::string_view name);

}  // namespace hearsay::analysis
