#pragma once
// One point of a study, assembled: data, problem, optimum, network and protocol, for any number of runs.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "analysis/store/participants.hpp"
#include "analysis/store/study.hpp"
#include "models/run/world.hpp"
#include "models/views/views.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::analysis {
class Recorder;
}

namespace hearsay::scenarios {

struct Keeping;

/// A problem with its exact solution, computed on first use; shared by all points with the same data and model.
struct SolvedProblem {
  SolvedProblem(models::DataSet data, models::ModelOptions model)
      : problem(std::move(data), model), optimum(problem) {}
  models::Problem problem;
  models::LazyOptimum optimum;
};

/// Makes the data of a scenario for a repetition and its problem. `change`, which may be empty, changes the data first.
/// Throws sim::OptionError.
std::shared_ptr<const SolvedProblem> solve(const Scenario& scenario, std::uint32_t repetition,
                                           const std::function<void(models::DataSet&)>& change = {});

/// Everything that is constant during a run. Immutable, so any number of threads may run it.
class Experiment {
 public:
  /// `repetition` selects the network if each repetition draws its own. `schedules`: of its privacy and parameters,
  /// to be shared; null: its own. Makes runs without data where releases are to be planned (models::expected_releases),
  /// which `interrupted`, which may be null, aborts. `past`: runs go on from those of this one, or are these if it is
  /// `scenario`; null: neither. Throws sim::OptionError, Interrupted.
  Experiment(const Scenario& scenario, std::shared_ptr<const SolvedProblem> solved,
             std::uint32_t repetition = 0, std::shared_ptr<const models::ReleaseCache> schedules = nullptr,
             const std::atomic<bool>* interrupted = nullptr, const Scenario* past = nullptr);
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  sim::Streams streams_of(std::uint32_t repetition) const;
  /// The state before a run of a repetition; `trace` may be null. `noise`: with that of another repetition
  /// (sim::Streams::with_noise_of).
  models::World prepare(std::uint32_t repetition, sim::TraceSink* trace = nullptr,
                        std::optional<std::uint32_t> noise = {}) const;
  /// One run; `interrupted` aborts it. `kept`: how its state is kept, and may be already. All pointers may be null.
  /// Throws InvariantError and sim::Error (kOutOfMemory).
  analysis::RunResult run(std::uint32_t repetition, sim::TraceSink* trace = nullptr,
                          const std::atomic<bool>* interrupted = nullptr,
                          const Keeping* kept = nullptr) const;

  /// A run of the past of these that has ended before they begin, as one of these: with the events that it has missed.
  analysis::RunResult ended_before(analysis::RunResult run, const Experiment& past) const;

  /// Adds what scenario.splitting asks for to the scalars of a run. Throws Interrupted.
  void add_rare_event(analysis::RunResult& run, const std::atomic<bool>* interrupted) const;

  /// What adversaries see of a run: models::follow.
  models::Views follow(std::uint32_t repetition, const std::vector<models::Adversary>& adversaries,
                       const models::Observer& observing, const std::atomic<bool>* interrupted,
                       models::SeenRows* keep = nullptr) const;

  /// The description of the point as a whole: optimum, baselines, noise.
  analysis::PointResult describe_point(std::vector<std::string> labels) const;
  /// Its owners and network. Latencies drawn per link or agent are those of repetition 0.
  analysis::Participants participants() const;
  std::vector<std::string> agent_names() const;
  std::string owner_name(std::size_t owner) const;
  sim::AgentId agents() const { return topology_.agents(); }
  const models::HostileAgents* hostile() const { return study_.hostile; }  ///< null: there are none
  const models::Budget& privacy() const { return privacy_; }
  const models::Problem& problem() const { return solved_->problem; }
  const models::AnyProtocol& protocol() const { return *scenario_.protocol; }
  const sim::Topology& topology() const { return topology_; }

 private:
  /// By owner, the releases that its account allows at the start of a run; null where they cost nothing.
  std::vector<std::shared_ptr<const models::ReleaseSchedule>> schedules() const;
  /// setting.epsilon of each owner of a central learner: analysis/theory/central_bounds.hpp.
  std::vector<analysis::Scalar> noise_of_bounds(double horizon) const;
  /// The largest divergences of an owner's releases, at models::renyi_orders() and infinity. Throws std::invalid_argument if
  /// no account covers what a score is computed from.
  std::vector<double> renyi() const;
  analysis::RunEnd end_of(const models::World& world, sim::End end, const analysis::Recorder& recorder) const;
  /// What adversaries see of a run; nothing without them, and where the end of a run depends on a value.
  std::optional<models::Views> views(std::uint32_t repetition, const models::Observer& observing,
                                     const std::atomic<bool>* interrupted) const;
  /// Whether private runs end by a value that no release covers.
  bool ends_by_exact_target() const;
  /// Throws sim::Error (kOutOfMemory), which names what the run has come to need.
  sim::End run_within_memory(models::World& world, analysis::Recorder& recorder) const;
  /// What is suspicious about a run that has ended; empty if nothing.
  std::string warning(const models::World& world, analysis::RunEnd end) const;
  /// That a run ended with less than half of the releases made that its budget is planned for; empty if not.
  std::string unused_plan(const models::World& world, analysis::RunEnd end, bool warned) const;

  Scenario scenario_;
  std::shared_ptr<const SolvedProblem> solved_;
  bool hub_;
  models::Budget privacy_;
  sim::Topology topology_;
  std::optional<models::HostileAgents> hostile_;
  std::optional<models::Problem> flipped_;  // of those that flip labels
  models::Study study_;
  sim::Engine::Options engine_;
};

}  // namespace hearsay::scenarios
