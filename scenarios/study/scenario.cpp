#include "scenarios/study/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/conclusions/splitting.hpp"
#include "scenarios/language/input_error.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

void StopOptions::describe(sim::Visitor& v) {
  v(iterations, {.name = "iterations",
                 .help = "Maximum number of iterations of the protocol; by default unlimited.",
                 .min = 1});
  v(time, {.name = "time",
           .help = "Maximum simulated time; by default unlimited.",
           .unit = "s",
           .min = 0,
           .open_min = true});
  v(vectors, {.name = "vectors",
              .help = "Maximum number of vectors of p numbers sent on links; by default unlimited.",
              .min = 1});
  v(bytes, {.name = "bytes",
            .help = "Maximum number of bytes sent on links; by default unlimited.",
            .unit = "B",
            .min = 1});
  v(events,
    {.name = "events", .help = "Maximum number of simulator events; by default unlimited.", .min = 1});
  v(wall, {.name = "wall",
           .help = "Wall-clock limit (not reproducible across machines); by default unlimited.",
           .unit = "s",
           .min = 0,
           .open_min = true});
  v(target, {.name = "target",
             .help = "Stopping criterion on a metric; the scalars reached_at record when it was met."});
  v(budgets_spent,
    {.name = "budgets_spent",
     .help = "End the run once all releases that the privacy budgets allow have been made, and federated "
             "servers have used their answers."});
  v.check(
      iterations || time || vectors || bytes || events || wall || budgets_spent, "",
      "a run needs a limit that it is sure to reach: give iterations, time, vectors, bytes, events, wall or "
      "budgets_spent");
}

void TargetOptions::describe(sim::Visitor& v) {
  v(metric, {.name = "metric",
             .help = "Metric to check; for a metric with one value per owner, the mean over owners.",
             .required = true});
  v(below, {.name = "below", .help = "Threshold: the criterion is met when the metric is below it."});
  v(above, {.name = "above", .help = "Threshold: the criterion is met when the metric is above it."});
  v(check_every,
    {.name = "check_every", .help = "Iterations between checks; by default at every sample.", .min = 1});
  v.check(below.has_value() != above.has_value(), "", "give exactly one of below and above");
}

void EveryOptions::describe(sim::Visitor& v) {
  v(iterations, {.name = "iterations", .help = "Iterations between samples.", .min = 1});
  v(time,
    {.name = "time", .help = "Simulated time between samples.", .unit = "s", .min = 0, .open_min = true});
  v(vectors,
    {.name = "vectors", .help = "Number of vectors of p numbers sent on links between samples.", .min = 1});
  v(bytes, {.name = "bytes", .help = "Bytes sent on links between samples.", .unit = "B", .min = 1});
  const int given = (iterations ? 1 : 0) + (time ? 1 : 0) + (vectors ? 1 : 0) + (bytes ? 1 : 0);
  v.check(given <= 1, "", "give at most one of iterations, time, vectors and bytes, found {}", given);
}

MetricChoice::MetricChoice(std::string_view name) : metric_(analysis::find_metric(name)) {
  sim::check(metric_ != nullptr, "a default metric is not in the table");
}

void MetricChoice::describe_as(sim::Visitor& v, const sim::About& about) {
  std::vector<sim::Choice> all;
  for (const analysis::Metric& m : analysis::metrics()) all.push_back({m.name, m.help});
  for (const analysis::Metric& m : analysis::statistics()) all.push_back({m.name, m.help, false});
  const auto found = std::ranges::find(all, metric_->name, &sim::Choice::name);
  auto index = static_cast<std::size_t>(found - all.begin());
  v.one_of(index, all, about);
  metric_ = analysis::find_metric(all[index].name);
}

namespace {

void check_metrics(const std::vector<MetricChoice>& metrics, sim::Visitor& v) {
  v.check(!metrics.empty(), "metrics", "expected at least one metric, found an empty list");
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    const auto same = [&](const MetricChoice& m) { return &*m == &*metrics[k]; };
    const bool is_first =
        std::none_of(metrics.begin(), metrics.begin() + static_cast<std::ptrdiff_t>(k), same);
    v.check(is_first, fmt::format("metrics/{}", k), "{} is listed twice: remove one", (*metrics[k]).name);
  }
}

}  // namespace

void SnapshotOptions::describe(sim::Visitor& v) {
  v(wall, {.name = "wall",
           .help = "Wall-clock time between snapshots; by default a minute.",
           .unit = "s",
           .min = 0,
           .open_min = true});
  v(time,
    {.name = "time", .help = "Simulated time between snapshots.", .unit = "s", .min = 0, .open_min = true});
  v(iterations, {.name = "iterations", .help = "Iterations between snapshots.", .min = 1});
  const int given = (wall ? 1 : 0) + (time ? 1 : 0) + (iterations ? 1 : 0);
  v.check(given <= 1, "", "give at most one of wall, time and iterations, found {}", given);
}

void RecordOptions::describe(sim::Visitor& v) {
  v(every, {.name = "every",
            .help = "Interval between samples; the start and the end of a run are always sampled."});
  v(metrics,
    {.name = "metrics",
     .help =
         "Metrics to record. METRIC.STATISTIC is a statistic over owners of a metric with one value per "
         "owner, such as test_error_by_owner.worst_decile; statistics: mean, median, min, max, "
         "lower_quartile, upper_quartile, worst_decile, and q1 to q4, the mean of each quarter of owners "
         "by number of training records. With adversaries, METRIC.honest and METRIC.hostile are of those agents "
         "alone, also for metrics of models with one value."});
  v(keep, {.name = "keep", .help = "Storage and export of series."});
  v(models, {.name = "models",
             .help = "Storage and export of the models of every run: those of the learner, or of all agents "
                     "that learn."});
  v(trace, {.name = "trace", .help = "Write the event trace of one run; by default no trace."});
  v(snapshot,
    {.name = "snapshot",
     .help = "How often the state of a run is kept, so that a run that is killed goes on where it was; null: "
             "never. By wall-clock time, saving takes at most a twentieth of it."});
  check_metrics(metrics, v);
}

void GivenLevels::describe(sim::Visitor& v) {
  v(values, {.name = "values", .help = "The last one is the rare event.", .required = true});
  v.check(!values.empty(), "values", "expected at least one level, found an empty list");
}

void AutoLevels::describe(sim::Visitor& v) {
  v(last, {.name = "last", .help = "The rare event.", .required = true});
  v(share, {.name = "share",
            .help = "Share of runs that a level is to be reached by.",
            .min = 0,
            .max = 1,
            .open_min = true,
            .open_max = true});
}

void SplittingOptions::describe(sim::Visitor& v) {
  v(level,
    {.name = "level",
     .help = "Metric whose levels are counted; for a metric with one value per owner, the mean over owners.",
     .required = true});
  v(towards, {.name = "towards", .help = "Values by which levels are reached."});
  v(levels, {.name = "levels", .help = "Levels, each less likely than the one before.", .required = true});
  v(effort, {.name = "effort", .help = "Runs at each level.", .min = 2, .max = 1e6});
  v(check_every,
    {.name = "check_every", .help = "Iterations between checks; by default at every sample.", .min = 1});
  const auto* given = std::get_if<GivenLevels>(&levels);
  for (std::size_t k = 1; given != nullptr && k < given->values.size(); ++k) {
    const double before = given->values[k - 1], after = given->values[k];
    v.check(towards == Towards::kAbove ? after > before : after < before, "levels",
            "expected levels that {}, found {:g} after {:g}",
            towards == Towards::kAbove ? "increase" : "decrease", after, before);
  }
  if (given != nullptr)
    v.check(given->values.size() <= analysis::kMostLevels, "levels", "expected at most {} levels, found {}",
            analysis::kMostLevels, given->values.size());
}

namespace {

void check_analysis(const Scenario& s, sim::Visitor& v) {
  const analysis::ConclusionOptions& o = s.analysis;
  std::vector<std::pair<std::string, std::string>> wanted;  // where, and the metric
  for (std::size_t k = 0; k < o.slopes.size(); ++k)
    wanted.emplace_back(fmt::format("analysis/slopes/{}/of", k), o.slopes[k].of);
  for (std::size_t k = 0; k < o.bounds.size(); ++k)
    wanted.emplace_back(fmt::format("analysis/bounds/{}/of", k), o.bounds[k].of);
  for (std::size_t k = 0; k < o.gains.size(); ++k) {
    const auto& all = sim::kChoices<analysis::ComparedMetric>;
    wanted.emplace_back(fmt::format("analysis/gains/{}", k), all[static_cast<std::size_t>(o.gains[k])].name);
  }
  Names recorded;
  for (const MetricChoice& m : s.record.metrics) recorded.emplace_back((*m).name);
  for (const auto& [where, name] : wanted) {
    v.check(std::ranges::count(recorded, name) > 0, where,
            analysis::find_metric(name) != nullptr
                ? fmt::format("{} is not recorded: add it to record.metrics", name)
                : fmt::format("expected one of record.metrics ({}), found \"{}\"{}",
                              fmt::join(recorded, ", "), printable(name), did_you_mean(name, recorded)));
  }
  v.check(o.gains.empty() || std::ranges::count(s.baselines, analysis::Baseline::kIsolated) > 0,
          "analysis/gains", "gains require the baseline isolated: add it to baselines");
}

void check_model(const Scenario& s, sim::Visitor& v) {
  const models::Entry& entry = s.protocol->entry();
  const auto message = [&](std::string_view expected, std::string_view found) {
    return fmt::format("protocol {} requires a {}: expected {}, found {}{}", entry.name,
                       entry.any_linear ? "linear model" : "model of one score, theta . x", expected, found,
                       entry.open ? "; set any_model in its class if it works with others" : "");
  };
  v.check(entry.any_model || s.model.convex(), "model/network",
          message("linear", std::visit([](const auto& network) { return network.kName; }, s.model.network)));
  v.check(entry.any_model || entry.any_linear || s.model.loss.scalar(), "model/loss",
          message("squared, logistic, hinge or smoothed_hinge", s.model.loss.name()));
  v.check(entry.any_model || !s.model.start, "model/start",
          "protocol {} has a start of its own: remove model.start, or {}", entry.name,
          entry.open ? "set any_model in its class" : "choose a federated or gossip protocol");
}

void check_metrics(const Scenario& s, sim::Visitor& v) {
  for (const models::ProtocolMetric& own : s.own_metrics())
    v.check(!models::declares(s.protocol->metrics(), own.name), "metrics",
            "the protocol has a metric {}: choose another name", own.name);
}

// Owners have the places of the graph's agents if both are drawn from the same streams and no node is renumbered.
void check_positions(const Scenario& s, sim::Visitor& v) {
  const auto* data = std::get_if<models::LinearSeparators>(&s.data.kind());
  if (data == nullptr || !std::holds_alternative<models::SeparatorsByPosition>(data->separators)) return;
  const auto* graph = std::get_if<sim::RandomGeometric>(&s.network.topology.kind());
  v.check(
      graph != nullptr, "network",
      "separators by_position follow the positions of the agents: set network.topology to random_geometric");
  if (graph == nullptr) return;
  const sim::GraphOptions& o = s.network.topology.graph();
  v.check((s.data.draw() == models::Draw::kRepetition) == (o.draw == sim::GraphDraw::kRepetition), "network",
          "separators by_position follow the positions of the agents: set data.draw and "
          "network.topology.draw to the same value");
  v.check(!graph->torus && !o.overlay && !o.size && o.nodes == sim::NodesUsed::kFirst &&
              o.connected != sim::Connected::kLargestComponent,
          "network",
          "separators by_position follow the positions of the agents: remove torus, overlay, size, nodes and "
          "connected largest_component from network.topology");
  v.check(!s.protocol->entry().hub, "protocol",
          "separators by_position follow the positions of the agents: use a protocol without a learner");
}

// Expected releases are those until a run ends, which has to be known without data.
void check_expected_steps(const Scenario& s, sim::Visitor& v) {
  v.check(!s.privacy.expects_steps() || s.stop.time || s.stop.iterations || s.stop.vectors || s.stop.bytes ||
              s.stop.events,
          "privacy/steps",
          "\"expected\" needs a limit that is reached without data: set stop.time, stop.iterations, "
          "stop.vectors, stop.bytes or stop.events");
}

// Behaviours that a protocol does not allow.
void check_hostile(const Scenario& s, sim::Visitor& v) {
  const std::vector<models::HostileGroup> groups = models::groups_of(s.adversaries);
  const models::Entry& entry = s.protocol->entry();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const models::Behaviour& behaviour = groups[g].behaviour;
    const std::string place = "adversaries/" + models::place_of(s.adversaries, g) + "behaviour";
    const auto* const rider = std::get_if<models::FreeRider>(&behaviour);
    v.check(s.protocol->sends() || std::holds_alternative<models::LabelFlip>(behaviour), place,
            "agents of protocol {} send nothing: choose label_flip, or another protocol", entry.name);
    v.check(!groups[g].reads_models() || entry.messages.models || entry.open, place,
            "agents of protocol {} send no models to single neighbours: choose another behaviour",
            entry.name);
    v.check(!entry.broadcasts || !std::holds_alternative<models::Equivocate>(behaviour), place,
            "agents of protocol {} tell all neighbours the same: choose another behaviour", entry.name);
    v.check(!entry.broadcasts || rider == nullptr || rider->sends != models::Ridden::kReceived,
            place + "/sends", "agents of protocol {} publish, and receive no message: choose zeros or old",
            entry.name);
  }
}

// Precision is that of recorded metrics.
void check_repeat(const Scenario& s, sim::Visitor& v) {
  const UntilPrecise* const rule = s.repeat.until();
  for (std::size_t k = 0; rule != nullptr && k < rule->until.size(); ++k) {
    const std::string_view name = (*rule->until[k].metric).name;
    v.check(std::ranges::any_of(s.record.metrics, [&](const MetricChoice& m) { return (*m).name == name; }),
            fmt::format("repeat/until/{}/metric", k), "expected one of record.metrics, found {}", name);
  }
}

}  // namespace

void Scenario::describe(sim::Visitor& v) {
  v(version, {.name = "version", .help = "Version of the scenario language.", .min = 1, .max = 1});
  v(name, {.name = "name", .help = "Title of the study."});
  v(description, {.name = "description", .help = "Description of the study."});
  v(seed, {.name = "seed", .help = "Seed of all random numbers."});
  v(data, {.name = "data", .help = "Records and their owners."});
  v(model, {.name = "model", .help = "Model to learn."});
  v(network, {.name = "network", .help = "Topology, links and availability."});
  v(clocks, {.name = "clocks", .help = "Clocks: times at which each agent ticks."});
  v(events, {.name = "events", .help = "What happens to the network at given times, in any order."});
  v(protocol, {.name = "protocol", .help = "Learning protocol.", .required = true});
  v(adversaries, {.name = "adversaries", .help = "Agents that are hostile or faulty, and what they send."});
  v(metrics,
    {.name = "metrics", .help = "Metrics of your own, in addition to those of hearsay and of the protocol."});
  v(privacy, {.name = "privacy", .help = "Privacy mechanism, budget and accountant."});
  v(stop, {.name = "stop", .help = "Limits of a run; the run ends at the first limit reached."});
  v(record, {.name = "record", .help = "Metrics and traces to record."});
  v(baselines,
    {.name = "baselines", .help = "Baselines to compare with, solved exactly and without privacy."});
  v(analysis,
    {.name = "analysis", .help = "Slopes, bounds and gains to compute from the results of all points."});
  v(splitting,
    {.name = "splitting",
     .help =
         "Estimate the probability of a rare event, by runs that go on from those that come close to it."});
  v(repeat, {.name = "repeat",
             .help = "Number of repetitions of every point, or how precise its results are to be."});
  check_analysis(*this, v);
  check_model(*this, v);
  check_metrics(*this, v);
  check_positions(*this, v);
  check_expected_steps(*this, v);
  check_repeat(*this, v);
  check_hostile(*this, v);
  v.check(!splitting || (!stop.target && !stop.wall), "splitting",
          "the runs of a rare event end by its levels: remove stop.target and stop.wall");
}

std::span<const models::ProtocolMetric> Scenario::own_metrics() const {
  const auto* own = std::get_if<models::PythonMetrics>(&metrics);
  if (own == nullptr || !own->code.loaded()) return {};
  return own->code.as<models::MetricsCode>().metrics;
}

bool needs_optimum(const Scenario& scenario) {
  const auto needs = [](const MetricChoice& m) { return (*m).needs_optimum; };
  return (!scenario.audited && scenario.protocol->entry().joint && scenario.model.one_score()) ||
         !scenario.analysis.bounds.empty() || !scenario.baselines.empty() ||
         std::any_of(scenario.record.metrics.begin(), scenario.record.metrics.end(), needs) ||
         (scenario.stop.target && needs(scenario.stop.target->metric)) ||
         (scenario.splitting && needs(scenario.splitting->level));
}

}  // namespace hearsay::scenarios
