#include "scenarios/execution/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/metrics/measured_models.hpp"
#include "analysis/metrics/recorder.hpp"
#include "analysis/trace/trace_text.hpp"
#include "models/run/rehearsal.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/execution/snapshots.hpp"
#include "scenarios/execution/splitting.hpp"
#include "scenarios/study/fit_network.hpp"
#include "scenarios/study/point_fit.hpp"
#include "sim/check.hpp"
#include "sim/state/archive.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

sim::Streams study_streams(const Scenario& s) {
  return {s.seed, 0};
}

sim::Engine::Options engine_options(const Scenario& s, Eigen::Index p, bool hub, bool by_events) {
  const auto vector = static_cast<std::size_t>(p);
  return {.network = s.network,
          .clocks = s.clocks,
          .vector_length = vector,
          .payload_width = vector * s.protocol->entry().vectors,
          .delivery =
              s.protocol->entry().broadcasts && !by_events ? sim::Delivery::kLazy : sim::Delivery::kByEvents,
          .hub = hub,
          .time_limit = s.stop.time.value_or(sim::kNever),
          .event_limit = s.stop.events.value_or(kNoLimit),
          .observe_every = s.record.every.time.value_or(sim::kNever)};
}

// The data of agents that flip the labels of their training records: -1 and +1, or classes 0, ..., K - 1.
models::DataSet with_flipped_labels(models::DataSet data, const models::HostileAgents& hostile,
                                    sim::AgentId first) {
  const auto signs = [](const models::Shard& shard) { return (shard.target.array().abs() == 1).all(); };
  const bool two = data.classes.empty() && std::ranges::all_of(data.train, signs);
  const auto last = static_cast<double>(models::classes_of(data) - 1);
  for (std::size_t owner = 0; owner < data.owners(); ++owner) {
    if (!hostile.is(static_cast<sim::AgentId>(owner) + first)) continue;
    Eigen::VectorXd& target = data.train[owner].target;
    target = two ? Eigen::VectorXd(-target) : Eigen::VectorXd(last - target.array());
  }
  return data;
}

// Adds what adversaries have seen at the end of a run, "seen.ADVERSARY.WHAT", by agent; numbers that are not finite are left
// out. The agent of owner j is first_owner + j.
void add_seen(const models::Views& views, sim::AgentId first_owner, std::vector<analysis::Scalar>& scalars) {
  for (const models::Views::OfAdversary& one : views.adversaries()) {
    const auto add = [&](std::string_view what, std::optional<sim::AgentId> agent, double value) {
      if (std::isfinite(value)) scalars.push_back({fmt::format("seen.{}.{}", one.name, what), agent, value});
    };
    add("exact", {}, one.label == models::ViewLabel::kExact ? 1 : 0);
    add("certain", {}, one.certain ? 1 : 0);
    for (std::size_t owner = 0; owner < one.owners.size(); ++owner) {
      const models::Seen& seen = one.owners[owner];
      if (std::isnan(seen.epsilon)) continue;
      const sim::AgentId agent = static_cast<sim::AgentId>(owner) + first_owner;
      add("epsilon", agent, seen.epsilon);
      add("ledger", agent, seen.ledger);
      add("mu_squared", agent, seen.mu_squared);
      add("local_mu_squared", agent, seen.local_mu_squared);
      add("first", agent, seen.first);
      if (!one.hops.empty()) add("distance", agent, one.hops[agent]);
      add("linear_mu_squared", agent, seen.linear);
      add("one_label_mu_squared", agent, seen.one_label);
    }
  }
}

// That the rank of a view is in doubt; empty if not.
std::string doubt(const models::Views& views) {
  const auto one = std::ranges::find(views.adversaries(), false, &models::Views::OfAdversary::certain);
  if (one == views.adversaries().end()) return {};
  return fmt::format(
      "the rank of what {} has seen cannot be distinguished from rounding errors: epsilon_seen is the local value of every owner of "
      "whom it has seen anything",
      one->name);
}

}  // namespace

std::shared_ptr<const SolvedProblem> solve(const Scenario& scenario, std::uint32_t repetition,
                                           const std::function<void(models::DataSet&)>& change) {
  const sim::Streams streams(scenario.seed,
                             scenario.draws_data() ? scenario.first_repetition + repetition : 0);
  models::DataSet data = assemble("/data", [&] { return models::make_data(scenario.data, streams); });
  models::name_classes(data, scenario.model);
  if (change) change(data);
  return assemble("/model",
                  [&] { return std::make_shared<const SolvedProblem>(std::move(data), scenario.model); });
}

Experiment::Experiment(const Scenario& given, std::shared_ptr<const SolvedProblem> solved,
                       std::uint32_t repetition, std::shared_ptr<const models::ReleaseCache> schedules,
                       const std::atomic<bool>* interrupted, const Scenario* past)
    : scenario_(bound(given, solved->problem.data())),
      solved_(std::move(solved)),
      hub_(scenario_.protocol->entry().hub),
      privacy_(assemble("/privacy",
                        [&] {
                          return models::resolve_budget(scenario_.privacy, solved_->problem, solved_->optimum,
                                                        hub_ ? 1 : 0, study_streams(scenario_),
                                                        std::move(schedules),
                                                        scenario_.protocol->entry().gradients);
                        })),
      topology_(assemble("/network/topology",
                         [&] {
                           const models::DataSet& data = solved_->problem.data();
                           return topology_of(scenario_,
                                              static_cast<sim::AgentId>(data.owners()) + (hub_ ? 1 : 0),
                                              data.similarity ? &*data.similarity : nullptr, repetition);
                         })),
      study_{solved_->problem,
             topology_,
             privacy_,
             solved_->optimum,
             stop_limits(scenario_),
             {},
             scenario_.protocol->entry().own_models,
             scenario_.protocol->entry().messages,
             scenario_.protocol->mixing()},
      engine_(engine_options(scenario_, solved_->problem.p(), hub_,
                             past != nullptr || !models::is_none(scenario_.adversaries))) {
  if (!models::is_none(scenario_.adversaries)) {
    assemble("/adversaries", [&] {
      hostile_.emplace(scenario_.adversaries, topology_, hub_ ? 1 : 0, scenario_.model.classifies(),
                       study_streams(scenario_), scenario_.protocol->learner());
    });
    if (hostile_->any_flips_labels())
      flipped_.emplace(with_flipped_labels(solved_->problem.data(), *hostile_, hub_ ? 1 : 0), scenario_.model,
                       models::Classes::kPerturbed);  // which may leave one class
    study_.hostile = &*hostile_;
    if (privacy_.active() && privacy_.trust == models::Trust::kAggregator &&
        std::ranges::any_of(hostile_->groups(), &models::HostileGroup::decides_late))
      study_.exact(
          "adversaries: what omniscient owners contribute depends on contributions of others before noise is added");
    study_.flipped = flipped_ ? &*flipped_ : nullptr;
  }
  study_.adversaries = scenario_.privacy.adversaries;
  for (const MetricChoice& m : scenario_.record.metrics) study_.metrics.push_back((*m).measured().name);
  if (scenario_.stop.target) study_.metrics.push_back((*scenario_.stop.target->metric).measured().name);
  if (scenario_.splitting) study_.metrics.push_back((*scenario_.splitting->level).measured().name);
  if (const auto* own = std::get_if<models::PythonMetrics>(&scenario_.metrics)) {
    study_.own_metrics = scenario_.own_metrics();
    study_.own_probe =
        assemble("/metrics", [&] { return own->code.as<models::MetricsCode>().make(own->code.values()); });
  }
  if (needs_optimum(scenario_)) {
    assemble("/data", [&] { solved_->problem.require_records_of_all(); });
    assemble("/model", [&] { solved_->optimum.get(); });
  }
  assemble("/protocol", [&] { scenario_.protocol->check(study_); });
  if (ends_by_exact_target()) {
    study_.exact(fmt::format(
        "stop.target: the end of the run, and with it the number of releases, depends on {} without noise",
        (*scenario_.stop.target->metric).name));
  }
  // What a run settles before it begins is settled by its past.
  const std::optional<Scenario> before =
      past == nullptr ? std::nullopt : std::optional(bound(*past, solved_->problem.data()));
  const Scenario& begins = before ? *before : scenario_;
  const sim::Engine::Options unfitted = engine_;
  fit_network(engine_, begins.events, topology_, study_streams(scenario_));
  const auto round_trips = [&] {
    return sim::RoundTrips(engine_, topology_, study_streams(scenario_), engine_.payload_width);
  };
  if (scenario_.protocol->needs_round_trips()) study_.round_trips = round_trips();
  assemble("/privacy/adversaries", [&] {
    models::require_members(scenario_.privacy.adversaries, topology_.agents());
    const bool drawn = scenario_.network.topology.graph().draw == sim::GraphDraw::kRepetition;
    if (!drawn) models::require_links(scenario_.privacy.adversaries, topology_);
  });
  if (privacy_.expected) {
    privacy_.steps = assemble("/privacy/steps", [&] {
      return models::expected_releases(*begins.protocol, study_, engine_, scenario_.seed, interrupted);
    });
    if (privacy_.steps.empty()) throw Interrupted();
    privacy_.planned = true;
    assemble("/protocol", [&] { scenario_.protocol->check(study_); });
  }
  if (past != nullptr && past != &given) {
    engine_ = unfitted;
    fit_network(engine_, scenario_.events, topology_, study_streams(scenario_));
    if (scenario_.protocol->needs_round_trips()) {
      sim::RoundTrips own = round_trips();
      own.settle_by(study_.round_trips);
      study_.round_trips = std::move(own);
    }
  }
  // A timeout that no reply keeps in the past may be one of the branch.
  if (scenario_.protocol->needs_round_trips() && past != &given)
    assemble("/protocol", [&] { scenario_.protocol->check_timeout(models::setting_of(study_)); });
  // The other fits of options are checked when the study is planned (PointFit).
  const auto& tests = solved_->problem.data().test;
  const bool tested =
      std::ranges::any_of(tests, [](const models::Shard& shard) { return shard.target.size() > 0; });
  require_measurable(scenario_, tested);
}

bool Experiment::ends_by_exact_target() const {
  return privacy_.active() && scenario_.stop.target && (*scenario_.stop.target->metric).exact;
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
    case sim::End::kPaused:  // it never ends so
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

models::World Experiment::prepare(std::uint32_t repetition, sim::TraceSink* trace,
                                  std::optional<std::uint32_t> noise) const {
  const sim::Streams own = streams_of(repetition);
  return models::World(study_, engine_, noise ? own.with_noise_of(*noise) : own, trace);
}

sim::Streams Experiment::streams_of(std::uint32_t repetition) const {
  return {scenario_.seed, scenario_.first_repetition + repetition, scenario_.repeat.antithetic()};
}

std::optional<models::Views> Experiment::views(std::uint32_t repetition, const models::Observer& observing,
                                               const std::atomic<bool>* interrupted) const {
  if (scenario_.privacy.adversaries.empty() || scenario_.stop.target || scenario_.stop.wall)
    return std::nullopt;
  return follow(repetition, scenario_.privacy.adversaries, observing, interrupted);
}

models::Views Experiment::follow(std::uint32_t repetition, const std::vector<models::Adversary>& adversaries,
                                 const models::Observer& observing, const std::atomic<bool>* interrupted,
                                 models::SeenRows* keep) const {
  return models::follow(*scenario_.protocol, study_, engine_, streams_of(repetition), adversaries, observing,
                        static_cast<double>(memory_left()) / 2, interrupted, keep);
}

sim::End Experiment::run_within_memory(models::World& world, analysis::Recorder& recorder) const {
  try {
    return scenario_.protocol->run(world, recorder);
  } catch (const std::bad_alloc&) {
    const analysis::Series& series = recorder.series();
    const double messages = static_cast<double>(world.engine.memory()),
                 results = static_cast<double>(series.samples.capacity() * sizeof(analysis::Sample) +
                                               series.values.capacity() * sizeof(double));
    throw sim::Error(
        sim::Error::Kind::kOutOfMemory, results > messages ? "/record" : "/protocol",
        fmt::format(
            "out of memory in a run that has come to need {} for messages in flight and {} for results; this "
            "process can use {}",
            byte_text(messages), byte_text(results), byte_text(static_cast<double>(memory_of_machine()))));
  }
}

analysis::RunResult Experiment::run(std::uint32_t repetition, sim::TraceSink* trace,
                                    const std::atomic<bool>* interrupted, const Keeping* kept) const {
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

  std::optional<models::Views> views = this->views(repetition, recorder, interrupted);
  if (views && views->adversaries().empty()) views.reset();  // interrupted, or it diverges
  std::optional<models::ViewMarks> marks;
  if (views && trace != nullptr) trace = &marks.emplace(*views, hub_ ? 1 : 0, *trace);
  models::World world = assemble("/protocol", [&] { return prepare(repetition, trace); });
  if (views) world.views = &*views;
  std::optional<Snapshots> snapshots;
  if (kept != nullptr) {
    // What a run has recorded goes before what it is.
    const auto recorded = [&](auto&& archive) {
      archive(recorder);
      if (marks) archive(*marks);
      if (kept->trace != nullptr) archive(*kept->trace);
    };
    recorder.keeper = &snapshots.emplace(
        *kept, kept->place ? scenario_.record.snapshot : std::nullopt,
        Recording{[recorded](std::ostream& out) { recorded(cereal::BinaryOutputArchive(out)); },
                  [recorded](std::istream& in) { recorded(cereal::BinaryInputArchive(in)); }},
        scenario_.continuation);
  }
  analysis::RunResult result;
  result.repetition = repetition;
  result.end = end_of(world, run_within_memory(world, recorder), recorder);
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
  if (views && world.engine.fingerprint().value() != views->events()) {
    // Numbers that are not finite are not sent, and end runs.
    sim::check(result.status != analysis::Status::kDone ||
                   views->not_finite() != world.engine.traffic().lost_as(sim::LossReason::kNotFinite),
               "a run has other events than the one that its views are of");
    if (result.message.empty() && result.status == analysis::Status::kDone)
      result.message =
          "messages with numbers that are not finite were lost, so that what adversaries see is not worked out";
    views.reset();
  }
  if (marks && views) marks->end();
  if (views && result.end != analysis::RunEnd::kInterrupted) add_seen(*views, hub_ ? 1 : 0, result.scalars);
  if (privacy_.expected) result.scalars.push_back({"privacy.used", {}, world.ledger.median_used()});
  if (scenario_.analysis.control_variates) {
    result.scalars.push_back({"control.ticks", {}, world.engine.tick_residual()});
    result.scalars.push_back({"control.losses", {}, world.engine.loss_residual()});
    result.scalars.push_back({"control.latency", {}, world.engine.latency_residual()});
    result.scalars.push_back({"control.noise", {}, world.tally.noise - world.tally.expected_noise});
    std::erase_if(result.scalars, [](const auto& s) { return std::isnan(s.value); });
  }
  if (result.message.empty()) result.message = warning(world, result.end);
  if (result.message.empty() && views) result.message = doubt(*views);
  result.fingerprint = world.fingerprint();
  result.events = world.engine.events();
  result.iterations = world.iterations;
  result.time = world.engine.now();
  result.traffic = world.engine.traffic();
  result.series = recorder.take();
  if (scenario_.record.models == KeptModels::kFinal) result.models = analysis::MeasuredModels(world).copy();
  result.wall = recorder.seconds();
  return result;
}

void Experiment::add_rare_event(analysis::RunResult& run, const std::atomic<bool>* interrupted) const {
  if (!scenario_.splitting || run.end == analysis::RunEnd::kInterrupted) return;
  sim::Engine::Options by_events = engine_;
  by_events.delivery = sim::Delivery::kByEvents;
  scenarios::add_rare_event(
      {*scenario_.splitting, *scenario_.protocol, study_, by_events, streams_of(run.repetition),
       scenario_.record.every, scenario_.analysis.confidence, interrupted},
      run.scalars);
}

}  // namespace hearsay::scenarios
