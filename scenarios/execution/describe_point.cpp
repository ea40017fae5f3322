// What is said of a point as a whole.
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <set>

#include "analysis/metrics/measured_models.hpp"
#include "analysis/metrics/recorder.hpp"
#include "analysis/theory/central_bounds.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "scenarios/execution/experiment.hpp"
#include "scenarios/study/sweep/selection.hpp"

namespace hearsay::scenarios {

std::vector<std::shared_ptr<const models::ReleaseSchedule>> Experiment::schedules() const {
  const std::atomic<bool> at_once = true;  // accounts are opened at the start
  analysis::Recorder recorder({}, solved_->problem.owners(), {}, &at_once);
  models::World world = prepare(0);
  scenario_.protocol->run(world, recorder);
  std::vector<std::shared_ptr<const models::ReleaseSchedule>> all;
  for (std::size_t owner = 0; owner < solved_->problem.owners(); ++owner)
    all.push_back(world.ledger.account(static_cast<sim::AgentId>(owner) + (hub_ ? 1 : 0)).schedule);
  return all;
}

std::vector<analysis::Scalar> Experiment::noise_of_bounds(double horizon) const {
  const models::Problem& problem = solved_->problem;
  const auto p = static_cast<double>(problem.p());
  std::vector<analysis::Scalar> all;
  for (sim::AgentId agent = hub_ ? 1 : 0; const auto& schedule : schedules()) {
    const Eigen::Index n = problem.n(all.size());
    double energy = 0;
    if (schedule) {
      const models::Step& step = schedule->step(0);  // all of a central learner's releases are equal
      energy = models::noise_energy(step.kind, p, models::noise_scale(privacy_.sensitivity(n), step));
    }
    all.push_back({"setting.epsilon", agent++,
                   analysis::epsilon_of_noise(privacy_.bound, horizon, static_cast<double>(n), energy / p)});
  }
  return all;
}

std::vector<double> Experiment::renyi() const {
  const auto planned = schedules();
  std::set<const models::ReleaseSchedule*> all;
  for (std::size_t owner = 0; owner < planned.size(); ++owner)
    if (solved_->problem.n(owner) > 0) all.insert(planned[owner].get());
  if (all.contains(nullptr) || scenario_.protocol->entry().own_models)
    throw std::invalid_argument("scores are computed from models that the protocol does not release");
  std::vector<double> largest(models::renyi_orders().size() + 1);
  for (const models::ReleaseSchedule* const schedule : all)
    std::ranges::transform(largest, schedule->renyi(), largest.begin(), std::ranges::max);
  return largest;
}

analysis::PointResult Experiment::describe_point(std::vector<std::string> labels) const {
  const models::Problem& problem = solved_->problem;
  analysis::PointResult point;
  point.labels = std::move(labels);
  point.owners = problem.owners();
  point.first_owner = hub_ ? 1 : 0;
  if (needs_optimum(scenario_)) {
    const models::Optimum& optimum = study_.reference.get();
    point.scalars = {{"optimum.objective", {}, optimum.value},
                     {"optimum.kkt_residual", {}, optimum.kkt_residual},
                     {"optimum.gap", {}, optimum.gap}};
  }
  if (privacy_.active()) {
    const bool gradients = scenario_.protocol->entry().gradients;
    if (gradients) point.scalars.push_back({"privacy.bound", {}, privacy_.bound});
    point.scalars.push_back({"privacy.delta", {}, privacy_.delta});
    // By turn, the protocol records the cost: epsilon_turn.
    for (std::size_t owner = 0; !privacy_.by_turn() && owner < point.owners; ++owner) {
      const auto agent = static_cast<sim::AgentId>(owner) + point.first_owner;
      point.scalars.push_back({"privacy.epsilon", agent, privacy_.epsilon[owner]});
      const bool update = privacy_.unit == models::PrivacyUnit::kOwner;
      if (gradients)
        point.scalars.push_back({"privacy.sensitivity", agent,
                                 update
                                     ? privacy_.sensitivity_of_sum(1)
                                     : scenario_.protocol->release_sensitivity(privacy_, problem.n(owner))});
      if (privacy_.expected)
        point.scalars.push_back({"privacy.steps", agent, static_cast<double>(privacy_.steps[owner])});
    }
  }
  for (const auto& [name, value] : scenario_.protocol->numbers(study_))
    point.scalars.push_back({name, {}, value});
  const auto append = [](auto& to, auto&& more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  const bool bounds = !scenario_.analysis.bounds.empty();
  const auto horizon = bounds ? scenario_.protocol->planned_iterations(study_) : std::nullopt;
  if (bounds) append(point.scalars, analysis::setting_scalars(problem, study_.reference.get()));
  if (horizon && privacy_.active()) append(point.scalars, noise_of_bounds(static_cast<double>(*horizon)));
  if (!scenario_.baselines.empty()) {
    // An owner alone may have no minimiser that can be found.
    append(point.scalars, assemble("/baselines", [&] {
             return analysis::baselines(problem, study_.reference.get(), scenario_.baselines,
                                        point.first_owner);
           }));
  }
  point.unaccounted = problem.data().fitted_on_private_data;
  const std::string& from = problem.data().similarity_from;
  if (!from.empty() && std::holds_alternative<sim::Similarity>(scenario_.network.topology.kind()))
    point.unaccounted.push_back(fmt::format("similarity graph ({})", from));
  if (privacy_.source == models::BoundSource::kFromData)
    point.unaccounted.push_back("privacy.bound_from_data: gradient bound");
  append(point.unaccounted, study_.exact_reads->all());
  point.notes = problem.data().notes;
  if (ends_by_exact_target()) {
    point.notes.push_back(fmt::format(
        "warning: stop.target ends runs by {} without noise: epsilon does not cover when a run ends",
        (*scenario_.stop.target->metric).name));
  }
  if (!scenario_.privacy.adversaries.empty()) {
    point.notes.push_back(
        scenario_.stop.target || scenario_.stop.wall
            ? "epsilon_seen is the ledger's epsilon: the end of a run depends on values or on the computer's speed"
            : "epsilon_seen is a guarantee towards an adversary whose seen.ADVERSARY.exact in scalars.csv is 1; else "
              "gradients, which react to what was released, are taken as fixed, and the ledger's epsilon is the "
              "guarantee; neither covers private values that are used without noise");
  }
  append(point.notes, scenario_.protocol->notes(study_));
  if (bounds && !horizon)
    point.notes.push_back(fmt::format("analysis.bounds: they are of central learners; protocol {} has none",
                                      scenario_.protocol->entry().name));
  const auto* own = std::get_if<models::PythonModel>(&scenario_.model.network);
  if (privacy_.active() && own != nullptr) {
    point.notes.push_back(fmt::format(
        "the guarantee assumes that of the class {} a record's gradient depends on no other record, and that "
        "its sums and norms of gradients, if it has them, are those of its gradients",
        own->code.as<models::ModelCode>().name));
  }
  if (scenario_.renyi) {
    assemble("/tune/trials", [&] {
      if (!point.unaccounted.empty())
        throw std::invalid_argument("no guarantee covers all that a trial reads: " +
                                    point.unaccounted.front());
      const std::vector<double> curve = renyi();
      for (std::size_t k = 0; k < curve.size(); ++k)
        if (std::isfinite(curve[k])) point.scalars.push_back({renyi_name(k), {}, curve[k]});
    });
  }
  for (const std::string& note : topology_.notes()) point.notes.push_back("topology: " + note);
  if (!privacy_.active() && scenario_.privacy.clip)
    point.notes.emplace_back("privacy.clip has no effect with mechanism none");
  for (const std::string& warning : privacy_.warnings) point.notes.push_back("warning: " + warning);
  return point;
}

}  // namespace hearsay::scenarios
