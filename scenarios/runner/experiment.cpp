#include "scenarios/runner/experiment.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "analysis/metrics/recorder.hpp"
#include "analysis/theory/central_bounds.hpp"
#include "models/core/option_error.hpp"
#include "models/privacy/accountants/budget.hpp"
#include "scenarios/language/bind_columns.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/runner/fit_network.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

sim::Streams study_streams(const Scenario& s) {
  return {s.seed, 0};
}

sim::Engine::Options engine_options(const Scenario& s, Eigen::Index p, bool hub) {
  const auto vector = static_cast<std::size_t>(p);
  return {.network = s.network,
          .clocks = s.clocks,
          .vector_length = vector,
          .payload_width = vector * s.protocol->entry().vectors,
          .publications_only = s.protocol->entry().broadcasts,
          .hub = hub,
          .time_limit = s.stop.time.value_or(sim::kNever),
          .event_limit = s.stop.events.value_or(kNoLimit),
          .observe_every = s.record.every.time.value_or(sim::kNever)};
}

sim::Topology topology_of(const Scenario& s, const models::DataSet& data, bool hub,
                          std::uint32_t repetition) {
  const auto agents = static_cast<sim::AgentId>(data.owners()) + (hub ? 1 : 0);
  const bool anew = s.network.topology.graph().draw == sim::GraphDraw::kRepetition;
  const std::uint32_t instance = anew ? repetition : 0;
  sim::Topology topology = sim::make_topology(s.network.topology, agents, sim::Streams(s.seed, instance),
                                              data.similarity ? &*data.similarity : nullptr);
  if (hub) {
    for (sim::AgentId i = 1; i < agents; ++i) {
      if (topology.edge(0, i) == 2 * topology.edges()) {
        throw AssemblyError("/network/topology",
                            fmt::format("protocol {} requires a link from agent 0 to every owner; agent {} "
                                        "has none: use a star or an overlay",
                                        s.protocol->entry().name, i));
      }
    }
  }
  sim::require_connected(topology);
  return topology;
}

// The scenario with names of columns replaced by their values.
Scenario bound(Scenario s, const models::DataSet& data) {
  const auto column = [&](const std::string& name) -> const std::vector<double>& {
    const auto found = data.owner_columns.find(name);
    if (found != data.owner_columns.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [there, values] : data.owner_columns) names.push_back(there);
    throw std::invalid_argument(
        fmt::format("expected a column of the data with one number for each owner{}, found '{}'{}",
                    names.empty() ? "; there is none" : fmt::format(" ({})", fmt::join(names, ", ")),
                    printable(name), did_you_mean(name, names)));
  };
  try {
    bind_columns(s, column);
  } catch (const ColumnError& error) {
    throw AssemblyError(error.pointer, error.what());
  }
  return s;
}

}  // namespace

std::shared_ptr<const SolvedProblem> solve(const Scenario& scenario, std::uint32_t repetition) {
  const sim::Streams streams(scenario.seed, scenario.draws_data() ? repetition : 0);
  models::DataSet data = assemble("/data", [&] { return models::make_data(scenario.data, streams); });
  return assemble("/model",
                  [&] { return std::make_shared<const SolvedProblem>(std::move(data), scenario.model); });
}

Experiment::Experiment(const Scenario& given, std::shared_ptr<const SolvedProblem> solved,
                       std::uint32_t repetition)
    : scenario_(bound(given, solved->problem.data())),
      solved_(std::move(solved)),
      hub_(scenario_.protocol->entry().hub),
      privacy_(assemble("/privacy",
                        [&] {
                          return models::resolve_privacy(scenario_.privacy, solved_->problem,
                                                         solved_->optimum, hub_ ? 1 : 0,
                                                         study_streams(scenario_));
                        })),
      topology_(assemble("/network/topology",
                         [&] { return topology_of(scenario_, solved_->problem.data(), hub_, repetition); })),
      study_{solved_->problem,
             topology_,
             privacy_,
             solved_->optimum,
             {.iterations = scenario_.stop.iterations.value_or(kNoLimit),
              .vectors = scenario_.stop.vectors.value_or(kNoLimit),
              .bytes = scenario_.stop.bytes.value_or(kNoLimit),
              .budgets_spent = scenario_.stop.budgets_spent},
             {},
             scenario_.protocol->entry().own_models},
      engine_(engine_options(scenario_, solved_->problem.p(), hub_)) {
  for (const MetricChoice& m : scenario_.record.metrics) study_.metrics.push_back((*m).measured().name);
  if (scenario_.stop.target) study_.metrics.push_back((*scenario_.stop.target->metric).measured().name);
  if (needs_optimum()) {
    assemble("/data", [&] { solved_->problem.require_records_of_all(); });
    assemble("/model", [&] { solved_->optimum.get(); });
  }
  assemble("/privacy/schedule",
           [&] { models::require_schedule(scenario_.protocol->entry(), scenario_.privacy.schedule); });
  assemble("/privacy", [&] { models::require_budget(scenario_.protocol->entry(), privacy_); });
  assemble("/protocol", [&] { scenario_.protocol->check(study_); });
  fit_network(engine_, scenario_.events, topology_, study_streams(scenario_));
  if (scenario_.protocol->has_timeout()) {
    study_.round_trips = sim::RoundTrips(engine_, topology_, study_streams(scenario_), engine_.payload_width);
    assemble("/protocol", [&] { scenario_.protocol->check_timeout(study_); });
  }
  if (scenario_.stop.budgets_spent && !privacy_.active()) {
    throw AssemblyError("/stop/budgets_spent", "requires privacy budgets: set privacy.mechanism");
  }
  for (std::size_t k = 0; k < scenario_.record.metrics.size(); ++k)
    require_measurable(*scenario_.record.metrics[k], fmt::format("/record/metrics/{}", k));
  if (scenario_.stop.target) require_measurable(*scenario_.stop.target->metric, "/stop/target/metric");
}

bool Experiment::needs_optimum() const {
  const auto needs = [](const MetricChoice& m) { return (*m).needs_optimum; };
  return scenario_.protocol->entry().joint || !scenario_.analysis.bounds.empty() ||
         !scenario_.baselines.empty() ||
         std::any_of(scenario_.record.metrics.begin(), scenario_.record.metrics.end(), needs) ||
         (scenario_.stop.target && needs(scenario_.stop.target->metric));
}

void Experiment::require_measurable(const analysis::Metric& metric, const std::string& part_name) const {
  const std::string_view measured = metric.measured().name;
  const auto declares = [&](std::span<const models::ProtocolMetric> all) {
    return std::any_of(all.begin(), all.end(), [&](const auto& m) { return m.name == measured; });
  };
  if (metric.measured().of_world == nullptr && !declares(scenario_.protocol->metrics())) {
    std::vector<std::string_view> others;
    for (const models::ProtocolRow& row : models::protocols()) {
      if (declares(row.metrics)) others.push_back(row.entry.name);
    }
    throw AssemblyError(part_name, fmt::format("{} is a metric of {}, not of {}", measured,
                                               fmt::join(others, ", "), scenario_.protocol->entry().name));
  }
  if (metric.needs_classes && !solved_->problem.loss().is_classifier()) {
    throw AssemblyError(part_name, fmt::format("{} requires a loss for classes, found {}: set model.loss to "
                                               "logistic, hinge or smoothed_hinge",
                                               metric.name, solved_->problem.loss().name()));
  }
  if (!metric.needs_test) return;
  Eigen::Index tested = 0;
  for (const models::Shard& shard : solved_->problem.data().test) tested += shard.target.size();
  if (tested > 0) return;
  throw AssemblyError(
      part_name,
      fmt::format("{} requires test records: set data.test_fraction or data.test_records", metric.name));
}

analysis::RunEnd Experiment::end_of(const models::World& world, sim::End end,
                                    const analysis::Recorder& recorder) const {
  using analysis::RunEnd;
  switch (end) {
    case sim::End::kTime:
      return RunEnd::kTime;
    case sim::End::kEvents:
      return RunEnd::kEvents;
    case sim::End::kIdle:
      return RunEnd::kIdle;
    case sim::End::kFinished:
      break;
  }
  const models::StopLimits& stop = study_.stop;
  const sim::Traffic& traffic = world.engine.traffic();
  if (recorder.interrupted()) return RunEnd::kInterrupted;
  if (recorder.reached_at()) return RunEnd::kTarget;
  if (world.iterations >= stop.iterations) return RunEnd::kIterations;
  if (traffic.vectors >= stop.vectors) return RunEnd::kVectors;
  if (traffic.bytes >= stop.bytes) return RunEnd::kBytes;
  if (stop.budgets_spent && world.ledger.all_spent()) return RunEnd::kBudgets;
  return recorder.out_of_time() ? RunEnd::kWall : RunEnd::kFinished;
}

models::World Experiment::prepare(std::uint32_t repetition, sim::TraceSink* trace) const {
  return models::World(study_, engine_, sim::Streams(scenario_.seed, repetition), trace);
}

analysis::RunResult Experiment::run(std::uint32_t repetition, sim::TraceSink* trace,
                                    const std::atomic<bool>* interrupted) const {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<const analysis::Metric*> metrics;
  for (const MetricChoice& m : scenario_.record.metrics) metrics.push_back(&*m);
  const StopOptions& stop = scenario_.stop;
  std::optional<analysis::Target> target;
  if (stop.target) {
    target.emplace(analysis::Target{.metric = &*stop.target->metric});
    if (stop.target->below) target->below = *stop.target->below;
    if (stop.target->above) target->above = *stop.target->above;
  }
  analysis::Recorder recorder(metrics, solved_->problem.owners(), target, interrupted,
                              stop.wall.value_or(std::numeric_limits<double>::infinity()));
  if (stop.target) recorder.check_every_iterations = stop.target->check_every.value_or(0);
  recorder.every_iterations = scenario_.record.every.iterations.value_or(0);
  recorder.every_vectors = scenario_.record.every.vectors.value_or(0);
  recorder.every_bytes = scenario_.record.every.bytes.value_or(0);

  models::World world = prepare(repetition, trace);
  analysis::RunResult result;
  result.repetition = repetition;
  result.end = end_of(world, scenario_.protocol->run(world, recorder), recorder);
  if (result.end == analysis::RunEnd::kInterrupted) {
    result.status = analysis::Status::kInterrupted;
  } else if (const auto divergence = recorder.divergence(world)) {
    result.status = analysis::Status::kDiverged;
    result.message = fmt::format("{}; reduce {}{}", *divergence, scenario_.protocol->entry().step,
                                 privacy_.active() ? ", or the noise (a larger budget)" : "");
  }
  if (const std::optional<analysis::Sample>& at = recorder.reached_at()) {
    result.scalars = {{"reached_at.iterations", {}, static_cast<double>(at->iteration)},
                      {"reached_at.seconds", {}, at->time},
                      {"reached_at.vectors", {}, static_cast<double>(at->vectors)},
                      {"reached_at.bytes", {}, static_cast<double>(at->bytes)}};
  }
  if (result.message.empty()) result.message = warning(world, result.end);
  result.fingerprint = world.fingerprint();
  result.events = world.engine.events();
  result.iterations = world.iterations;
  result.time = world.engine.now();
  result.traffic = world.engine.traffic();
  result.series = recorder.take();
  result.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

analysis::PointResult Experiment::describe_point(std::vector<std::string> labels) const {
  const models::Problem& problem = solved_->problem;
  analysis::PointResult point;
  point.labels = std::move(labels);
  point.owners = problem.owners();
  point.first_owner = hub_ ? 1 : 0;
  if (needs_optimum()) {
    const models::Optimum& optimum = study_.optimum();
    point.scalars = {{"optimum.objective", {}, optimum.value},
                     {"optimum.kkt_residual", {}, optimum.kkt_residual},
                     {"optimum.gap", {}, optimum.gap}};
  }
  if (privacy_.active()) {
    point.scalars.push_back({"privacy.bound", {}, privacy_.bound});
    point.scalars.push_back({"privacy.delta", {}, privacy_.delta});
    // By turn, the protocol records the cost: epsilon_turn.
    for (std::size_t owner = 0; !privacy_.by_turn() && owner < point.owners; ++owner) {
      const auto agent = static_cast<sim::AgentId>(owner) + point.first_owner;
      point.scalars.push_back({"privacy.epsilon", agent, privacy_.epsilon[owner]});
      point.scalars.push_back({"privacy.sensitivity", agent, privacy_.sensitivity(problem.n(owner))});
    }
  }
  for (const auto& [name, value] : scenario_.protocol->numbers(study_))
    point.scalars.push_back({name, {}, value});
  const auto append = [](auto& to, auto&& more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  if (!scenario_.analysis.bounds.empty())
    append(point.scalars, analysis::setting_scalars(problem, study_.optimum()));
  if (!scenario_.baselines.empty()) {
    append(point.scalars,
           analysis::baselines(problem, study_.optimum(), scenario_.baselines, point.first_owner));
  }
  point.unaccounted = problem.data().fitted_on_private_data;
  if (privacy_.source == models::BoundSource::kFromData)
    point.unaccounted.push_back("privacy.bound_from_data: gradient bound");
  append(point.unaccounted, scenario_.protocol->fitted_on_private_data(study_));
  point.notes = problem.data().notes;
  append(point.notes, scenario_.protocol->notes(study_));
  for (const std::string& note : topology_.notes()) point.notes.push_back("topology: " + note);
  for (const std::string& warning : privacy_.warnings) point.notes.push_back("warning: " + warning);
  return point;
}

}  // namespace hearsay::scenarios
