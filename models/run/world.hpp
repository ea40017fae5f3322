#pragma once
// All mutable state of one run. Protocols reach it through their Context; metrics read it.
#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/hostile/misconduct.hpp"
#include "models/learning/problem.hpp"
#include "models/learning/solvers/optimum.hpp"
#include "models/privacy/budget/ledger.hpp"
#include "models/run/exact_reads.hpp"
#include "models/run/privacy.hpp"
#include "models/run/sensitive.hpp"
#include "models/run/stand_in.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/round_trips.hpp"
#include "sim/parallel/cache_line.hpp"

namespace hearsay::models {

/// A metric that only one protocol, or a few, can measure, or the study's own code. The same name means the same quantity.
struct ProtocolMetric {
  std::string_view name, help, unit = "";
  bool per_agent = false;   ///< one value for each owner, else one
  bool needs_test = false;  ///< needs test records
  bool exact = true;        ///< may depend on unreleased private values, unlike traffic, times and budgets
  bool lower_is_better = false;   ///< so it is of what diverges, or needs test records, too
  bool higher_is_better = false;  ///< of the study's own code
  bool diverges = false;  ///< a run has diverged if this grows by a factor of 1e6, from its start or from 1
};

inline bool declares(std::span<const ProtocolMetric> metrics, std::string_view name) {
  return std::ranges::find(metrics, name, &ProtocolMetric::name) != metrics.end();
}

/// When a run ends: at the first limit reached.
struct StopLimits {
  std::uint64_t iterations = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t vectors = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  bool budgets_spent = false;  ///< once all budgets are exhausted
  /// A run that only these end has failed after 100 + its agents times as many events that bring it no closer to any.
  std::uint64_t patience = 1'000'000;

  /// Whether one of them ends a run.
  bool any() const {
    return std::min({iterations, vectors, bytes}) < std::numeric_limits<std::uint64_t>::max() ||
           budgets_spent;
  }
};

/// Sums for metrics of what happens inside a protocol.
struct Tally {
  std::uint64_t projections = 0;  ///< coordinates projected onto the box
  std::uint64_t clipped = 0;      ///< of them, moved
  std::uint64_t gradients = 0;    ///< clipped gradients computed
  double clipped_records = 0;     ///< sum over them of the share of records clipped
  double noise = 0;               ///< sum of the squared norms of all noise added to releases
  double expected_noise =
      0;  ///< its expectation, release by release; NaN with a tree, whose sums share noise
  std::uint64_t in_time = 0;   ///< replies that came in time (requests.hpp)
  bool matches = false;        ///< whether replies are counted so
  std::uint64_t updates = 0;   ///< updates made with something received
  double staleness_steps = 0;  ///< sum over them of the receiver's updates since what they answer was sent
  double staleness_time = 0;   ///< s, sum over them of the age of what they used

  /// Adds what one release, or what comes before it, has counted.
  void add(const Tally& other) {
    projections += other.projections;
    clipped += other.clipped;
    gradients += other.gradients;
    clipped_records += other.clipped_records;
    noise += other.noise;
    expected_noise += other.expected_noise;
  }
};

/// A release that is computed before its turn.
class Foreseen {
  friend class Context;
  friend class LocalTraining;             // which uses it inside the owner until it is charged
  Eigen::VectorXd gradient_{}, noisy_{};  // without noise and with it: private
  Tally tally_{};
};

/// What a tick reads and computes of its agent's model and records and of what its neighbours have published, but does not
/// change: a part that can be prepared before its turn (sim/engine/lookahead.hpp). Context makes it and uses it.
struct alignas(sim::kCacheLine) Prepared {
  Eigen::VectorXd mix{};  ///< p numbers that the protocol makes of its neighbours' models
  double behind = 0;      ///< their staleness: publications not yet heard, mean over the neighbours
  sim::Time sent = 0;     ///< s, mean time of those that are used

 private:
  friend class Context;
  std::vector<std::uint32_t> versions_{};  // of what was heard, by neighbour
  Foreseen next_{};                        // release
  bool ahead_ = false;                     // before its turn
  bool releases_ = false;                  // there is one
};

/// Measures what only the running protocol knows, or the study's own code.
class Probe {
 public:
  virtual ~Probe() = default;
  /// Writes the metric of a name that it declares.
  virtual void measure(std::string_view metric, const class World& world, std::span<double> out) const = 0;

 protected:
  Probe() = default;
  Probe(const Probe&) = default;
  Probe& operator=(const Probe&) = default;
};

/// What a run is of; everything in it outlives the run.
struct Study {
  const PublicProblem& problem;
  const sim::Topology& topology;
  const Budget& privacy;
  const LazyOptimum& reference;
  StopLimits stop;
  std::vector<std::string_view> metrics = {};         ///< names of those that are recorded, or end a run
  bool own_models = false;                            ///< Entry::own_models
  MessageForm messages = {};                          ///< Entry::messages
  MixingWeights mixing = MixingWeights::kMetropolis;  ///< of the protocol
  sim::RoundTrips round_trips = {};                   ///< of the network, for protocols with timeouts
  std::optional<sim::Streams> streams = {};           ///< of the run, in its World
  /// The study's own metrics, and what measures them; any thread may use it.
  std::span<const ProtocolMetric> own_metrics = {};
  std::shared_ptr<const Probe> own_probe = {};
  std::shared_ptr<ExactReads> exact_reads = std::make_shared<ExactReads>();
  const HostileAgents* hostile = nullptr;  ///< null: all agents are honest
  const Problem* flipped =
      nullptr;  ///< for those that flip labels: with flipped ones; null: no agent flips them
  std::span<const Adversary> adversaries = {};  ///< of its privacy

  /// The problem with all records, exact and without accounting, for something that is run or released: a step, a start,
  /// a stopping criterion, a refusal. `what` says which option reads what, for the manifest.
  const Problem& exact(std::string_view what) const {
    exact_reads->add(what);
    return diagnosed();
  }
  /// theta*, f* of it.
  const Optimum& exact_optimum(std::string_view what) const {
    exact(what);
    return reference.get();
  }
  /// The problem for metrics and notes, and for what stays inside an owner until it is released. Nothing that is run or
  /// released may depend on it.
  const Problem& diagnosed() const { return static_cast<const Problem&>(problem); }
  /// Whether a metric is recorded or ends a run: what only serves it need not be kept up otherwise.
  bool asks_for(std::string_view metric) const {
    return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
  }
};

/// Passes the records of a trace on, with the iterations that are complete.
class IterationStamp final : public sim::TraceSink {
 public:
  IterationStamp(sim::TraceSink* sink, const std::uint64_t& iterations)
      : sink_(sink), iterations_(iterations) {}
  void record(const sim::TraceRecord& record) override {
    sim::TraceRecord stamped = record;
    stamped.iteration = iterations_;
    sink_->record(stamped);
  }
  void begins_to_wait(const sim::TraceRecord& record) override { sink_->begins_to_wait(record); }

 private:
  sim::TraceSink* sink_;
  const std::uint64_t& iterations_;
};

class Views;

class World {
  IterationStamp stamp_;  // before the engine, which records through it

 public:
  /// `hub`: agent 0 is a learner without data, owner j is agent j + 1; else owner j is agent j.
  World(const Study& study, const sim::Engine::Options& options, const sim::Streams& streams,
        sim::TraceSink* trace = nullptr);

  const Study study;
  sim::Streams streams;
  sim::Engine engine;
  alignas(sim::kCacheLine) Eigen::MatrixXd models;  ///< p x agents: the public model of each agent
  Ledger ledger;
  alignas(sim::kCacheLine) Tally tally;
  std::uint64_t iterations = 0;  ///< completed
  std::uint64_t foreseen = 0;    ///< trainings that were made before their turn
  /// An honest agent that has sent a vector that is not finite: the run ends, as what waits for it would wait for ever.
  sim::AgentId overflowed = sim::kNoAgent;
  bool hub;
  StandIn* stand_in = nullptr;             ///< takes the place of private data and noise, if not null
  std::unique_ptr<Misconduct> misconduct;  ///< null: all agents are honest
  const Probe* probe = nullptr;            ///< of the protocol, while it runs
  const Views* views = nullptr;            ///< of the run, where there are adversaries
  std::string doubt;  ///< a warning of the run, of a protocol that has gone on from a state

  /// With all records: metrics read them.
  const Problem& problem() const { return study.diagnosed(); }
  /// theta*, f*, for metrics; worked out when first asked for.
  const Optimum& optimum() const { return study.reference.get(); }
  /// Made so far by all agents.
  std::uint64_t releases() const { return total_releases_; }
  /// Digest of all that has happened (the engine's fingerprint) and of the bits of all models as they are now.
  std::uint64_t fingerprint() const;
  std::size_t owner(sim::AgentId agent) const { return agent - (hub ? 1 : 0); }
  sim::AgentId agent(std::size_t owner) const { return static_cast<sim::AgentId>(owner) + (hub ? 1 : 0); }

  /// Fetches what is soon read of an agent.
  HEARSAY_PREFETCH void prefetch(sim::AgentId i) const {
    const auto p = static_cast<std::size_t>(models.rows());
    sim::fetch_lines(models.data() + i * p, p * sizeof(double));
  }
  /// From now on the public models as they stand are the start, and no account is opened.
  void freeze_start() {
    if (!models.isZero(0)) start_ = models;
    ledger.close();
  }
  /// Agent i's public model is that of the start again.
  void restore_start(sim::AgentId i) { models.col(i) = start(i); }
  /// The state between events.
  void save(cereal::BinaryOutputArchive& archive) const;
  void load(cereal::BinaryInputArchive& archive);
  /// sim::Streams::continued(), for all that is drawn from now on: see sim::Engine::draw_from().
  void continue_as(std::uint32_t number);
  /// The public start of agent i's model, p numbers.
  Eigen::Map<const Eigen::VectorXd> start(sim::AgentId i) const {
    return {start_.size() == 0 ? zero_.data() : start_.col(i).data(), models.rows()};
  }

  /// Noise to use instead of drawn one, in order of release: for replaying worked examples.
  const std::vector<Eigen::VectorXd>* prescribed_noise = nullptr;
  /// All noise is multiplied by it, and the ledger does not know: for audits, which look at runs without noise.
  double noise_factor = 1;

 private:
  friend class Context;
  template <class Archive>
  void serialize(Archive& archive);
  // p numbers, from those that have been given back.
  Eigen::VectorXd take_vector();
  void give_back(Eigen::VectorXd v) {
    if (v.size() == models.rows()) spare_.push_back(std::move(v));
  }

  // p numbers: the public models at the start, where they are not all 0, and p zeros.
  alignas(sim::kCacheLine) Eigen::MatrixXd start_;
  Eigen::VectorXd zero_;
  std::vector<Prepared> rooms_;                  // of ticks to come
  alignas(sim::kCacheLine) Prepared at_tick_{};  // of one that has not been prepared
  Eigen::VectorXd released_;                     // what the last release gave out
  std::vector<Eigen::VectorXd> spare_;           // vectors that have been used before
  std::uint64_t total_releases_ = 0;
  // Of a protocol's own purposes: draws so far, by purpose and agent.
  std::vector<std::vector<std::uint32_t>> draws_;
};

}  // namespace hearsay::models
