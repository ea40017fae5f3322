#include "scenarios/runner/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/check.hpp"

namespace hearsay::scenarios {

void StopOptions::describe(sim::Visitor& v) {
  v(iterations, {.name = "iterations", .help = "Iterations of the protocol.", .min = 1});
  v(time, {.name = "time", .help = "Simulated time.", .unit = "s", .min = 0, .open_min = true});
  v(vectors, {.name = "vectors", .help = "p-vectors put on links.", .min = 1});
  v(bytes, {.name = "bytes", .help = "Bytes put on links.", .unit = "B", .min = 1});
  v(events, {.name = "events", .help = "Events of the simulator.", .min = 1});
  v(wall, {.name = "wall",
           .help = "Time of the machine; where it ends a run, another machine may end it elsewhere.",
           .unit = "s",
           .min = 0,
           .open_min = true});
  v(target,
    {.name = "target", .help = "A value of a metric that is far enough; the scalars reached_at say where."});
  v(budgets_spent,
    {.name = "budgets_spent", .help = "End once nobody's privacy budget allows another release."});
  v.check(
      iterations || time || vectors || bytes || events || wall || budgets_spent, "",
      "a run needs an end that it is sure to reach: give iterations, time, vectors, bytes, events, wall or "
      "budgets_spent");
}

void TargetOptions::describe(sim::Visitor& v) {
  v(metric,
    {.name = "metric", .help = "Which metric; of one that each agent has, the mean.", .required = true});
  v(below, {.name = "below", .help = "Reached when it is below this."});
  v(above, {.name = "above", .help = "Reached when it is above this."});
  v(check_every, {.name = "check_every",
                  .help = "Iterations from one look at the metric to the next; by default at every record.",
                  .min = 1});
  v.check(below.has_value() != above.has_value(), "", "give one of below and above");
}

void EveryOptions::describe(sim::Visitor& v) {
  v(iterations, {.name = "iterations", .help = "Every so many iterations.", .min = 1});
  v(time, {.name = "time", .help = "Every so much simulated time.", .unit = "s", .min = 0, .open_min = true});
  v(vectors, {.name = "vectors", .help = "Every so many p-vectors on links.", .min = 1});
  v(bytes, {.name = "bytes", .help = "Every so many bytes on links.", .unit = "B", .min = 1});
  const int given = (iterations ? 1 : 0) + (time ? 1 : 0) + (vectors ? 1 : 0) + (bytes ? 1 : 0);
  v.check(given <= 1, "", fmt::format("give one of iterations, time, vectors and bytes, got {}", given));
}

MetricChoice::MetricChoice(std::string_view name) {
  const analysis::Metric* metric = analysis::find_metric(name);
  sim::check(metric != nullptr, "a default metric is not in the table");
  index_ = static_cast<std::size_t>(metric - analysis::metrics().data());
}

void MetricChoice::describe_as(sim::Visitor& v, const sim::About& about) {
  std::vector<sim::Choice> all;
  for (const analysis::Metric& m : analysis::metrics()) all.push_back({m.name, m.help});
  v.one_of(index_, all, about);
}

void RecordOptions::describe(sim::Visitor& v) {
  v(every, {.name = "every",
            .help = "Distance between records; there is always one at the start and one at the end."});
  v(metrics, {.name = "metrics", .help = "What is recorded."});
  v(keep, {.name = "keep", .help = "How what runs write down is kept and exported."});
  v(trace, {.name = "trace", .help = "Write the event trace of one run."});
}

namespace {

void check_analysis(const Scenario& s, sim::Visitor& v) {
  std::vector<std::string_view> wanted, compared;
  for (const auto& slope : s.analysis.slopes) wanted.push_back(slope.of);
  for (const auto& bound : s.analysis.bounds) wanted.push_back(bound.of);
  for (const auto& gain : s.analysis.gains) compared.push_back(gain);
  wanted.insert(wanted.end(), compared.begin(), compared.end());
  for (const std::string_view name : wanted) {
    const bool recorded = std::any_of(s.record.metrics.begin(), s.record.metrics.end(),
                                      [&](const MetricChoice& m) { return (*m).name == name; });
    v.check(recorded, "analysis", fmt::format("{} must be among record.metrics", name));
  }
  for (const std::string_view name : compared) {
    const auto all = analysis::compared_metrics();
    v.check(std::find(all.begin(), all.end(), name) != all.end(), "analysis",
            fmt::format("gains must be of {}, got {}", fmt::join(all, ", "), name));
  }
  const auto& baselines = s.baselines;
  v.check(compared.empty() ||
              std::find(baselines.begin(), baselines.end(), analysis::Baseline::kIsolated) != baselines.end(),
          "analysis", "gains need the baseline isolated: baselines must hold it");
}

}  // namespace

void Scenario::describe(sim::Visitor& v) {
  v(version, {.name = "version", .help = "Version of the scenario language.", .min = 1, .max = 1});
  v(name, {.name = "name", .help = "Title of the study."});
  v(description, {.name = "description", .help = "What the study is about."});
  v(seed, {.name = "seed", .help = "Seed of all randomness."});
  v(data, {.name = "data", .help = "Who holds what records."});
  v(model, {.name = "model", .help = "What is learned from them."});
  v(network, {.name = "network", .help = "Who can talk to whom, and how well."});
  v(clocks, {.name = "clocks", .help = "When each agent ticks."});
  v(protocol, {.name = "protocol", .help = "How they learn together.", .required = true});
  v(privacy, {.name = "privacy", .help = "What leaves an owner, and what it may cost."});
  v(stop, {.name = "stop", .help = "When a run ends: the first of these."});
  v(record, {.name = "record", .help = "What is written down."});
  v(baselines, {.name = "baselines", .help = "What to compare with, solved exactly and without privacy."});
  v(analysis, {.name = "analysis", .help = "What is concluded from the points at the end."});
  v(repeat, {.name = "repeat", .help = "Repetitions of every point.", .min = 1});
  check_analysis(*this, v);
}

}  // namespace hearsay::scenarios
