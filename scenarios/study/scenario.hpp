#pragma once
// A scenario as plain options: all inputs of a run.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/conclusions/conclusion_options.hpp"
#include "analysis/metrics/baselines.hpp"
#include "analysis/trace/trace_options.hpp"
#include "models/data/data_options.hpp"
#include "models/hostile/hostile_agents.hpp"
#include "models/learning/problem.hpp"
#include "models/privacy/budget/privacy_options.hpp"
#include "models/registry.hpp"
#include "models/run/code_metrics.hpp"
#include "scenarios/study/metric_choice.hpp"
#include "scenarios/study/repeat.hpp"
#include "sim/clocks/clocks.hpp"
#include "sim/network/network.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// The interval between samples; at most one of these.
struct EveryOptions {
  std::optional<std::uint64_t> iterations, vectors, bytes;
  std::optional<sim::Time> time;
  void describe(sim::Visitor& v);
};

/// Stopping criterion on a metric, checked at every sample or at an interval of iterations.
struct TargetOptions {
  MetricChoice metric{"relative_fitness"};
  std::optional<double> below, above;
  std::optional<std::uint64_t> check_every;
  void describe(sim::Visitor& v);
};

/// The run ends at the first limit reached.
struct StopOptions {
  std::optional<std::uint64_t> iterations, vectors, bytes, events;
  std::optional<sim::Time> time;
  std::optional<double> wall;  ///< s
  std::optional<TargetOptions> target;
  bool budgets_spent = false;
  void describe(sim::Visitor& v);
};

/// How the series of runs are stored.
enum class Keep { kRuns, kAggregate };
constexpr auto choices_of(Keep) {
  return std::to_array<sim::Choice>(
      {{"runs", "write the series of each run, in series.csv"},
       {"aggregate",
        "write mean and quantiles over the repetitions of a point, in quantiles.csv; no series.csv"}});
}

/// Which models of a run are stored.
enum class KeptModels { kNone, kFinal };
constexpr auto choices_of(KeptModels) {
  return std::to_array<sim::Choice>(
      {{"none", "store no models"},
       {"final",
        "store the parameters of the models that metrics measure, at the end of each run, in "
        "models.csv; the privacy budget does not cover all of them in every protocol"}});
}

/// How often the state of a run is kept: by one of them, at most.
inline constexpr double kSnapshotWall = 60;  // s
struct SnapshotOptions {
  std::optional<double> wall;  ///< s; kSnapshotWall if nothing is given
  std::optional<sim::Time> time;
  std::optional<std::uint64_t> iterations;
  void describe(sim::Visitor& v);
};

struct RecordOptions {
  EveryOptions every;
  std::vector<MetricChoice> metrics{MetricChoice("relative_fitness"), MetricChoice("objective")};
  Keep keep = Keep::kRuns;
  KeptModels models = KeptModels::kNone;
  std::optional<analysis::TraceOptions> trace;
  std::optional<SnapshotOptions> snapshot = SnapshotOptions{};  ///< nothing: states are not kept
  void describe(sim::Visitor& v);
};

/// Towards which values of its level function a rare event lies.
enum class Towards { kAbove, kBelow };
constexpr auto choices_of(Towards) {
  return std::to_array<sim::Choice>({{"above", "a level is reached by values of at least it"},
                                     {"below", "a level is reached by values of at most it"}});
}

struct GivenLevels {
  static constexpr std::string_view kName = "given";
  static constexpr std::string_view kHelp =
      "Levels in the order in which they are reached. Short form: the list.";
  static constexpr std::string_view kExample = "[0.8, 0.6, 0.5]";
  static constexpr sim::Shorthand kShorthand{"values", sim::Shorthand::kList};
  std::vector<double> values;
  void describe(sim::Visitor& v);
};
struct AutoLevels {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp =
      "Levels that about a share of runs reach from the one before, by trial runs, which cost up to twice as much as the estimate.";
  static constexpr std::string_view kExample = R"({"type": "auto", "last": 0.5})";
  static constexpr sim::Shorthand kShorthand{"last", sim::Shorthand::kNone};
  double last = 0, share = 0.2;
  void describe(sim::Visitor& v);
};

/// The probability that a metric reaches a level before the end of a run (analysis/conclusions/splitting.hpp).
struct SplittingOptions {
  MetricChoice level{"fraction_up"};
  Towards towards = Towards::kAbove;
  std::variant<GivenLevels, AutoLevels> levels;
  std::uint32_t effort = 1000;
  std::optional<std::uint64_t> check_every;
  void describe(sim::Visitor& v);
};

struct Scenario {
  std::uint32_t version = 1;
  std::string name, description;
  std::uint64_t seed = 1;
  models::DataOptions data;
  models::ModelOptions model;
  sim::NetworkOptions network;
  sim::ClockOptions clocks;
  std::vector<sim::TimelineEvent> events;
  models::ProtocolChoice protocol;
  models::HostileOptions adversaries;
  models::MetricsOptions metrics;
  models::PrivacyOptions privacy;
  StopOptions stop;
  RecordOptions record;
  std::vector<analysis::Baseline> baselines;
  analysis::ConclusionOptions analysis;
  std::optional<SplittingOptions> splitting;
  Repeat repeat;
  /// Its repetitions are numbered from this one in their random numbers; no option.
  std::uint32_t first_repetition = 0;
  std::uint32_t continuation = 0;  ///< sim::Streams::continued(); no option
  bool audited = false;            ///< nothing is measured, so that theta* is not needed; no option
  bool renyi =
      false;  ///< its point is described with the Renyi divergences of an owner's releases; no option
  void describe(sim::Visitor& v);

  /// The metrics of its own that it has code for.
  std::span<const models::ProtocolMetric> own_metrics() const;
  bool measures(std::string_view metric) const { return models::declares(own_metrics(), metric); }
  /// Whether each repetition draws its own data.
  bool draws_data() const { return data.draw() == models::Draw::kRepetition; }
  /// Whether each repetition draws its own data or network.
  bool draws_anew() const {
    return draws_data() || network.topology.graph().draw == sim::GraphDraw::kRepetition;
  }
};

/// Whether theta* and f* are computed, which requires that every owner has a record.
bool needs_optimum(const Scenario& scenario);

}  // namespace hearsay::scenarios
