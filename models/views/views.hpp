#pragma once
// What adversaries see of a run, and the privacy that is left to each owner: the network's part of it.
//
// A run is made once more, with the same events, on vectors that are not models but rows of coefficients: entry j of a
// row belongs to release j of the run. A release is the unit row j, a gradient and a public start are 0, and the
// protocol's own sums and multiples, the same code as in any run, carry the rows to whoever receives them. What an adversary has
// received, sent and released by t is its view (view.hpp), which gives mu(u -> A, t) of each owner u, and with it
//
//   epsilon(u -> A, t) = min( least epsilon with delta_mu(epsilon) <= delta,  the ledger's epsilon of u at t )
//
// Later views hold earlier ones: epsilon at t is the least of the values at t and later. A step that is not linear gives
// a new column, which stands for what was put in: whoever sees it is taken to have seen that (StandIn::transform).
// Releases that are not Gaussian, or whose noise is shared, cost the ledger's epsilon once anything that has one is seen.
// Where the rank of a view is in doubt, an owner that it has anything of costs the local value, sum_s q_s^2.
//
// What it assumes. No event, step or weight depends on a value: protocols whose Entry says linear, and runs that end by no
// measured value. Gradients are changes fixed in advance:
//   exact            Every release that has reached the adversary was computed at a public vector, or at sums of what it
//                    had seen by then. Then epsilon is a guarantee (adaptive composition: Denisov et al. 2022).
//   fixed_gradients  Else a gradient is taken at a model with noise that the adversary has not seen, and reacts to it. Then
//                    epsilon is not a guarantee; the ledger's is.
// With squared loss, all records of an owner in each gradient, none scaled down, and no box, the reaction is linear and
// can be followed, too: `linear` bounds mu^2 where labels change, and `one_label` where one does, which is attained where a
// record's features have the worst direction. Up to 8 parameters and 200 releases.
//
// Cost: rows have as many numbers as the run has releases, R; a run with them takes about R/p as long as one with models,
// and a view of m rows m^2 R multiplications.
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/privacy/budget/adversary.hpp"
#include "models/run/any_protocol.hpp"
#include "models/run/world.hpp"
#include "models/views/follower.hpp"

namespace hearsay::models {

enum class ViewLabel { kExact, kFixedGradients };
constexpr auto choices_of(ViewLabel) {
  return std::to_array<sim::Choice>({{"exact", "A guarantee."},
                                     {"fixed_gradients",
                                      "Not a guarantee: gradients react to noise that the adversary has not "
                                      "seen. The ledger's value is."}});
}

/// What an adversary has of one owner at the end of a run. All NaN for an owner that is part of it.
struct Seen {
  double mu_squared = 0, local_mu_squared = 0;  ///< NaN where a release is not Gaussian
  double epsilon = 0, ledger = 0;               ///< towards the adversary; towards everybody, by the ledger
  double linear = std::numeric_limits<double>::quiet_NaN(),
         one_label = linear;      ///< mu^2; NaN where they do not apply
  sim::Time first = sim::kNever;  ///< when anything with a release of the owner was first seen, s
};

/// All adversaries of one run.
class Views {
 public:
  struct OfAdversary {
    std::string name;
    ViewLabel label = ViewLabel::kExact;
    bool certain = true;                ///< whether the rank of its view at the end is beyond doubt
    std::vector<std::uint32_t> hops{};  ///< of each agent from it; empty where no agent is part of it
    std::vector<Seen> owners;
  };
  const std::vector<OfAdversary>& adversaries() const { return adversaries_; }
  /// In the order of time.
  const std::vector<FirstSight>& firsts() const { return firsts_; }
  /// The engine's fingerprint of a run with these views.
  std::uint64_t events() const { return events_; }
  /// Messages that were lost as not finite in it.
  std::uint64_t not_finite() const { return not_finite_; }
  /// epsilon of each owner at an observation of the run, the largest over the adversaries; NaN for owners that are part
  /// of all of them, and where a run that has diverged was observed at another moment.
  void epsilon_at(std::uint64_t iteration, sim::Time time, std::span<double> out) const;
  /// When anything of each owner was first seen by an adversary; NaN if that was not until `time`.
  void first_until(sim::Time time, std::span<double> out) const;

 private:
  friend Views follow(const AnyProtocol&, const Study&, const sim::Engine::Options&, const sim::Streams&,
                      const std::vector<Adversary>&, const Observer&, double, const std::atomic<bool>*,
                      SeenRows*);
  struct Sample {
    std::uint64_t iteration;
    sim::Time time;
    std::vector<double> epsilon = {}, delta = {};  // adversary by adversary, of each owner
  };
  std::uint64_t events_ = 0, not_finite_ = 0;
  std::vector<OfAdversary> adversaries_;
  std::vector<FirstSight> firsts_;
  std::vector<Sample> samples_;
};

/// Adds the first sightings to a trace, each after the events of its time.
class ViewMarks final : public sim::TraceSink {
 public:
  ViewMarks(const Views& views, sim::AgentId first_owner, sim::TraceSink& sink)
      : views_(views), first_owner_(first_owner), sink_(sink) {}
  void record(const sim::TraceRecord& record) override {
    pass(record.time);
    iteration_ = record.iteration;
    sink_.record(record);
  }
  /// Adds those that are left: the run has ended.
  void end() { pass(sim::kNever); }
  auto state() { return std::tie(next_, iteration_); }

 private:
  void pass(sim::Time until);

  const Views& views_;
  sim::AgentId first_owner_;
  sim::TraceSink& sink_;
  std::size_t next_ = 0;
  std::uint64_t iteration_ = 0;
};

/// Whether gradients may react linearly, and be followed: squared loss, no box, none scaled down, few parameters.
bool may_react_linearly(const Problem& problem, const Budget& privacy);

/// The views of the run of `streams`, at the observations that `observing` asks for. `memory`: bytes that it may use at most;
/// throws sim::Error (kOutOfMemory) where it needs more. Nothing, with adversaries() empty, once `interrupted`, which may be
/// null, is true. `keep`, which may be null, gets what the first adversary sees. Observations are made where
/// study.asks_for("epsilon_seen"), else only the end. The study's privacy is active; no limit of the run depends on a value.
Views follow(const AnyProtocol& protocol, const Study& study, const sim::Engine::Options& engine,
             const sim::Streams& streams, const std::vector<Adversary>& adversaries,
             const Observer& observing, double memory, const std::atomic<bool>* interrupted = nullptr,
             SeenRows* keep = nullptr);

}  // namespace hearsay::models
