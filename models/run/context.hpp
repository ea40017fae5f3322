#pragma once
// What a protocol can reach of a run, by what it touches: the network, models, private data, and the run itself.
#include <Eigen/Core>

#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "models/run/world.hpp"

namespace hearsay::models {

using Vector = Eigen::Map<const Eigen::VectorXd>;

/// The payload of a message, valid while it is handled.
inline Vector vector_of(std::span<const double> numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}
inline Vector vector_of(const sim::Message& message) {
  return vector_of(message.payload);
}

/// The last publication of a neighbour that has reached a reader.
struct Heard {
  Vector model;               ///< valid until the next event
  std::uint32_t version = 0;  ///< number of the neighbour's publication, from 1; 0: its public start
  sim::Time sent = 0;         ///< when it was published, s
};

/// The noise of one release, for mechanisms that do not just add it.
struct ReleaseNoise {
  const Step* step;             ///< what the release costs; null where it is free: no noise
  sim::Stream stream;           ///< (kNoise, agent), index = number of the release
  const sim::Streams& streams;  ///< of the run
  sim::AgentId agent;
  std::uint32_t number;               ///< of the release
  const Eigen::VectorXd* prescribed;  ///< use instead of drawn noise, if not null
  double strength = 1;                ///< World::noise_factor
  /// Noise is what is drawn from `stream`, times this. See sim::Streams::mirrored().
  double factor() const { return streams.mirrored() ? -strength : strength; }
  /// For draws that are not symmetric noise, after the noise.
  sim::Stream own() const { return streams.mirrored() ? streams.own_noise(agent, 0, number) : stream; }
};

class Context {
 public:
  using In = Eigen::Ref<const Eigen::VectorXd>;

  explicit Context(World& world) : world_(world) {}

  // --- Network: who is there, and what they are sent ---

  sim::Time now() const { return world_.engine.now(); }
  sim::AgentId agents() const { return world_.engine.agents(); }
  /// When agents tick.
  const sim::Clocks& clocks() const { return world_.engine.clocks(); }
  bool up(sim::AgentId i) const { return world_.engine.up(i); }
  sim::Neighbours neighbours(sim::AgentId i) const { return world_.engine.topology().neighbours(i); }
  std::uint32_t degree(sim::AgentId i) const { return world_.engine.topology().degree(i); }

  /// Sends a message to a neighbour; `payload` is copied. It arrives as on_message.
  void send(sim::AgentId from, sim::AgentId to, std::uint16_t tag, std::uint32_t conversation) {
    send_numbers(from, std::span(&to, 1), tag, conversation, {});
  }
  void send(sim::AgentId from, sim::AgentId to, std::uint16_t tag, std::uint32_t conversation,
            const In& payload) {
    send(from, std::span(&to, 1), tag, conversation, payload);
  }
  /// The same message to several neighbours; it is copied once.
  void send(sim::AgentId from, std::span<const sim::AgentId> to, std::uint16_t tag,
            std::uint32_t conversation, const In& payload) {
    send_numbers(from, to, tag, conversation, numbers(payload));
  }
  void send(sim::AgentId from, const sim::Neighbours& to, std::uint16_t tag, std::uint32_t conversation,
            const In& payload) {
    std::vector<sim::AgentId> room(to.size());
    send(from, to.part(0, to.size(), room.data()), tag, conversation, payload);
  }
  /// Keeps the payload of a message that is being handled.
  sim::HeldPayload hold(const sim::Message& message) { return world_.engine.hold(message); }
  /// Tells all neighbours a new state, p numbers. Returns the number of the publication, from 1.
  std::uint32_t publish(sim::AgentId from, const In& state) {
    if (world_.misconduct == nullptr) [[likely]]
      return world_.engine.publish(from, numbers(state));
    return publish_as(from, numbers(state));
  }
  /// What reader last heard of a neighbour; before anything has arrived, the neighbour's public start. O(log
  /// degree).
  Vector latest(sim::AgentId reader, sim::AgentId neighbour);
  /// The same of the reader's k-th neighbour, with its publication number and time. O(1).
  Heard heard(sim::AgentId reader, std::uint32_t k) {
    const sim::Latest heard = world_.engine.latest(reader, k);
    if (heard.version == 0) return {world_.start(neighbours(reader)[k])};
    return {vector_of(heard.payload), heard.version, heard.sent};
  }
  /// f(k, neighbour, heard): what agent i has heard of each neighbour at a moment, at which it ticks.
  template <class F>
  void read(sim::AgentId i, sim::Moment at, Prepared& out, F&& f) const {
    world_.engine.read(i, at, [&](std::uint32_t k, sim::AgentId neighbour, const sim::Latest& heard) {
      out.versions_.push_back(heard.version);
      f(k, neighbour,
        heard.version == 0 ? Heard{world_.start(neighbour)}
                           : Heard{vector_of(heard.payload), heard.version, heard.sent});
    });
  }
  /// Number of agent i's last publication; 0: none.
  std::uint32_t published(sim::AgentId i) const { return world_.engine.version(i); }
  /// Agent i computes from now on for as long as the scenario says: what the handler sends, publishes or sets a
  /// timer for happens when it is done, and it handles nothing in between. To be called before what takes time
  /// is sent; see sim::Engine::compute.
  void compute(sim::AgentId i) { world_.engine.compute(i); }
  /// Whether agent i computes; the agent of a handler does in on_up alone, if it returns before its computation has ended.
  bool busy(sim::AgentId i) const { return world_.engine.busy(i); }
  /// When what agent i sends now leaves it.
  sim::Time leaves(sim::AgentId i) const { return world_.engine.leaves(i); }
  /// Fires on_timer(agent, tag, number) after `delay` s, or when the agent is up again; never after an infinite delay.
  void after(sim::AgentId agent, sim::Time delay, std::uint16_t tag, std::uint32_t number = 0) {
    if (delay < sim::kNever) world_.engine.after(agent, delay, tag, number);
  }
  /// The message came too late to be used: counted and traced as lost, `stale`.
  void discard(const sim::Message& message) { world_.engine.discard(message); }

  /// For rules that are studied with an oracle: whether agent i is hostile, which no agent knows.
  bool is_hostile(sim::AgentId i) const {
    return world_.study.hostile != nullptr && world_.study.hostile->is(i);
  }

  // --- Models: public, p numbers each; what metrics look at ---

  Eigen::Index p() const { return problem().p(); }
  Eigen::MatrixXd::ColXpr model(sim::AgentId i) { return world_.models.col(i); }
  /// Of all agents, p x agents.
  const Eigen::MatrixXd& models() const { return world_.models; }
  /// out = grad g(theta) of the regulariser.
  void regulariser_gradient(const Eigen::VectorXd& theta, Eigen::VectorXd& out) const {
    problem().regulariser_gradient(theta, out);
  }
  /// The public start of agent i's model: value() gives p numbers, or one for all.
  template <class F>
  void start(sim::AgentId i, F&& value) {
    if (world_.stand_in == nullptr || !world_.stand_in->follows()) world_.models.col(i) = value();
  }
  /// `x` has just been made of `input`, and of inputs of earlier calls that are still in the models, by a step that is not
  /// linear, for whoever follows the run: all others are sums and multiples with public factors, in protocols whose Entry
  /// says so (linear).
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a reference, which is written through.
  void transformed(Eigen::Ref<Eigen::VectorXd> x, const In& input) {
    if (world_.stand_in != nullptr) world_.stand_in->transform(x, input);
  }
  /// out = what agent i's rule (models/aggregation/) makes of the vectors, which change. Returns false, and `out` is as it was,
  /// if there are too few. Draws from random(kPurpose, i).
  template <class Rule>
  bool aggregate(const Rule& rule, sim::AgentId i, Gathered& in, Eigen::VectorXd& out) {
    const auto draw = [&] { return random(rule.kPurpose, i); };
    if (world_.stand_in == nullptr || !world_.stand_in->follows()) return rule(in, out, draw);
    const Eigen::VectorXd result = followed(in);
    if (!rule(in, out, draw)) return false;
    out = result;
    return true;
  }
  /// The same of a few vectors with equal weights, around `centre`, which is the result if there are too few.
  template <class Rule>
  Eigen::VectorXd aggregate(const Rule& rule, sim::AgentId i, const In& centre,
                            std::initializer_list<In> vectors) {
    Gathered gathered{.centre = centre};
    for (const In& vector : vectors) gathered.add(1.0 / static_cast<double>(vectors.size()), vector);
    Eigen::VectorXd out = centre;
    aggregate(rule, i, gathered, out);
    return out;
  }
  /// Clamps to the box, and counts the coordinates moved.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a reference, which is written through.
  void project(Eigen::Ref<Eigen::VectorXd> theta) {
    if (world_.stand_in != nullptr) {
      if (problem().model().theta_max) world_.stand_in->transform(theta, theta);
      return;
    }
    world_.tally.projections += static_cast<std::uint64_t>(theta.size());
    world_.tally.clipped += static_cast<std::uint64_t>(problem().project(theta));
  }

  // --- Private data: read as Sensitive, leaves the owner only through a charged release ---

  std::size_t owners() const { return problem().owners(); }
  /// Number of the owner whose data agent i holds, and the other way round.
  std::size_t owner(sim::AgentId i) const { return world_.owner(i); }
  sim::AgentId agent_of(std::size_t owner) const { return world_.agent(owner); }
  /// n_i of the owner whose data agent i holds, and n: public.
  Eigen::Index records(sim::AgentId i) const { return problem().n(world_.owner(i)); }
  Eigen::Index records() const { return problem().n(); }

  /// Mean gradient at theta of the loss over agent i's records, each record's gradient bounded as the
  /// scenario says. `known`: the records' scores at theta, if a metric has left them; see Problem::mean_loss. Throws
  /// std::invalid_argument for a theta at which that bound does not hold: one outside the box from which it is derived.
  Sensitive gradient(sim::AgentId i, const In& theta, std::span<const double> known = {});
  /// The same with a sensitivity that the protocol states.
  Sensitive gradient(sim::AgentId i, const In& theta, double sensitivity);
  /// The same of a subsample: the sum over `records` of agent i divided by `divisor`, a public number.
  Sensitive gradient(sim::AgentId i, const In& theta, double sensitivity,
                     std::span<const Eigen::Index> records, double divisor);
  /// Anything else that f(problem, owner), a VectorXd of p numbers in a linear protocol, computes from agent i's records. `sensitivity` is its
  /// largest change between neighbouring data sets, in the mechanism's norm; needed for a release only.
  template <class F>
  Sensitive from_data(sim::AgentId i, F&& f, double sensitivity = std::numeric_limits<double>::infinity()) {
    if (world_.stand_in != nullptr && world_.stand_in->follows())
      return {Eigen::VectorXd::Zero(p()), sensitivity};
    Sensitive result(f(records_of(i), world_.owner(i)), sensitivity);
    if (world_.stand_in != nullptr) result.value_.setZero();  // only its length is used
    return result;
  }
  /// What agent i has computed from LocalVectors, to be released.
  Sensitive sensitive(const In& x, double sensitivity);
  /// Takes a sensitive vector for use inside its owner.
  LocalVector keep_local(Sensitive sensitive) { return LocalVector(std::move(sensitive.value_)); }
  /// The same without an allocation, in place of what `out` held.
  void keep_local(Sensitive sensitive, LocalVector& out) {
    out.value_.swap(sensitive.value_);
    world_.give_back(std::move(sensitive.value_));
  }

  /// The scenario's privacy: budgets, steps and schedules are public.
  const Budget& privacy() const { return world_.study.privacy; }
  /// Opens agent i's account, once, in on_start; later is a sim::InvariantError. So many equal releases that together
  /// just keep its budget under the accountant, or the `overlap`-th part of it where up to so many owners may hold the
  /// same record. Throws std::invalid_argument if privacy.steps is another number: see Budget::steps_or.
  void open_account(sim::AgentId i, std::uint64_t releases, std::uint32_t overlap = 1);
  /// The same by the scenario's schedule, for a protocol that knows when agent i will tick, or by turns.
  void open_account(sim::AgentId i, const Timetable& timetable);
  /// Of a protocol that has no privacy: releases are free. Throws sim::InvariantError with privacy.
  void open_account(sim::AgentId i);
  /// Whether agent i's account allows one more release.
  bool may_release(sim::AgentId i, std::uint64_t releases = 1) const {
    return world_.ledger.affords(i, releases);
  }
  /// Whether no agent may release any more.
  bool all_spent() const { return world_.ledger.all_spent(); }
  /// Adds the noise of the account's next release and charges it, in one. The noise is drawn from (kNoise, i),
  /// index = number of the release. Nothing if the account does not allow it: then nothing is drawn or charged.
  /// The vector is valid until the next release of the run.
  std::optional<Vector> release(sim::AgentId i, Sensitive sensitive);
  /// A release by another mechanism than additive noise: mechanism(problem, owner, ReleaseNoise&) computes from
  /// agent i's records the value to release, which must be private at the step's cost. Charged as release().
  template <class F>
  auto release_by(sim::AgentId i, F&& mechanism)
      -> std::optional<std::invoke_result_t<F, const Problem&, std::size_t, ReleaseNoise&>> {
    if (!may_release(i)) return std::nullopt;
    ReleaseNoise noise = next_noise(i);
    if constexpr (std::is_same_v<std::invoke_result_t<F, const Problem&, std::size_t, ReleaseNoise&>,
                                 Eigen::VectorXd>) {
      if (world_.stand_in != nullptr && world_.stand_in->follows()) {
        Eigen::VectorXd out = Eigen::VectorXd::Zero(p());
        world_.stand_in->release(i, noise.step, std::numeric_limits<double>::infinity(), out);
        charge(i, numbers(out));
        return out;
      }
    }
    auto given_out = mechanism(records_of(i), world_.owner(i), noise);
    charge(i, world_.engine.tracing() ? numbers_given(given_out) : std::vector<double>());
    return given_out;
  }

  /// release(i, gradient(i, model(i), known)), if it has not been prepared.
  std::optional<Vector> release_gradient(sim::AgentId i, Prepared& ready, std::span<const double> known = {});

  // --- Ticks that can be prepared, by protocols with the hook prepare ---

  /// What the tick of agent i needs, which is handled: protocol.prepare(), now or before; counts how stale it is.
  template <class P>
  Prepared& prepared(sim::AgentId i, const P& protocol) {
    const std::uint32_t room = world_.engine.prepared();
    Prepared& ready = room == sim::Lookahead::kNone ? world_.at_tick_ : world_.rooms_[room];
    if (room == sim::Lookahead::kNone) prepare(i, world_.engine.moment(), protocol, ready);
    for (std::uint32_t k = 0; k < ready.versions_.size(); ++k)
      world_.engine.note_latest(i, k, ready.versions_[k]);
    count_staleness(ready.behind, now() - ready.sent);
    return ready;
  }
  template <class P>
  void prepare(sim::AgentId i, sim::Moment at, const P& protocol, std::uint32_t room) const {
    prepare(i, at, protocol, world_.rooms_[room]);
  }
  /// Within prepare: agent i's next release will be of the gradient at its model. At the tick itself it is left to
  /// release_gradient.
  void prepare_release(sim::AgentId i, Prepared& out) const;
  /// What it costs, about, and whether it can be done: not in runs of rows of coefficients, with hostile agents or replayed
  /// noise.
  sim::Preparation preparation() const;
  void make_rooms(std::uint32_t count);
  HEARSAY_PREFETCH void prefetch_room(std::uint32_t room) const {
    const Prepared& soon = world_.rooms_[room];
    __builtin_prefetch(&soon);
    __builtin_prefetch(soon.mix.data());
    __builtin_prefetch(soon.next_.noisy_.data());
  }

  // --- What is computed ahead, by protocols with the hooks foresee_tick and foresee_message ---

  /// Whether it can be: not in runs of rows of coefficients, with hostile agents, replayed noise or a trace.
  bool foresees() const {
    return world_.stand_in == nullptr && world_.misconduct == nullptr && world_.prescribed_noise == nullptr &&
           !world_.engine.tracing();
  }
  /// Where something has been computed ahead for agent i, whose event is handled; sim::Speculation::kNone: nowhere.
  std::uint32_t foreseen(sim::AgentId i) const { return world_.engine.foreseen(i); }
  /// Releases that agent i has made.
  std::uint64_t releases(sim::AgentId i) const { return world_.ledger.account(i).releases; }
  /// Some records of an agent, the divisor of their sum and its sensitivity; see gradient().
  struct Batch {
    double sensitivity;
    std::span<const Eigen::Index> records;
    double divisor;
  };
  /// What release(i, gradient(i, theta)), or of a batch, if not null, would give out as the release `later` releases after
  /// agent i's next; without noise if it is `inside` the owner. Returns whether its account allows it; what it counts is added to `out`.
  bool foresee_release(sim::AgentId i, std::uint64_t later, const In& theta, const Batch* batch, bool inside,
                       Foreseen& out) const;
  /// Clamps to the box likewise.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a reference, which is written through.
  void foresee_projection(Eigen::Ref<Eigen::VectorXd> theta, Tally& tally) const {
    tally.projections += static_cast<std::uint64_t>(theta.size());
    tally.clipped += static_cast<std::uint64_t>(problem().project(theta));
  }
  /// What has been foreseen of agent i is used: counts it and its releases, and charges for so many of them.
  void use_foreseen(sim::AgentId i, const Tally& before, std::span<const Tally> releases,
                    std::uint64_t charged);
  /// What random(purpose, i) will give. Needs keep_draws(purpose).
  sim::Stream next_random(std::uint32_t purpose, sim::AgentId i) const {
    return world_.streams.protocol(purpose, i, 0, draws(purpose, i));
  }
  /// Streams given so far.
  std::uint32_t draws(std::uint32_t purpose, sim::AgentId i) const { return world_.draws_[purpose][i]; }
  /// From now on they may be read on other threads.
  void keep_draws(std::uint32_t purpose);

  // --- A trusted aggregator: the hub, agent 0, with privacy.trust aggregator; see docs/privacy.md ---

  /// Opens the account of the hub's releases, once, in on_start; null without privacy. It is every owner's account: each
  /// release covers all of them.
  void open_shared_account(std::shared_ptr<const ReleaseSchedule> releases);
  /// Sends agent i's contribution to the hub: scaled down to norm at most privacy().bound, and sealed, so that only
  /// collect() reads it. A conversation is used once by an owner. One of an honest agent that is not finite ends the run.
  void entrust(sim::AgentId i, std::uint16_t tag, std::uint32_t conversation, const LocalVector& x);
  /// Adds what has arrived to the sum. Throws sim::InvariantError if its owner has contributed already, or at another
  /// position of the tree.
  void collect(const sim::Message& message, EntrustedSum& sum);
  /// Gives out (sum + noise)/divisor and charges the shared account; the noise is for contributions of norm at most the
  /// bound, whoever has made one. Nothing if the account does not allow it. The divisor is public.
  std::optional<Vector> release(EntrustedSum& sum, double divisor);

  // --- The run: randomness, progress, statistics ---

  /// A fresh stream of the protocol's own purpose for agent i: index = how many it has been given before.
  sim::Stream random(std::uint32_t purpose, sim::AgentId i);
  /// A stream of the protocol's own purpose for place k of agent i, the same for the same index.
  sim::Stream keyed(std::uint32_t purpose, sim::AgentId i, std::uint32_t k, std::uint32_t index) const {
    return world_.streams.protocol(purpose, i, k, index);
  }
  /// One more iteration is complete; call it last in a handler, and at most once.
  void count_iteration() { ++world_.iterations; }
  std::uint64_t iterations() const { return world_.iterations; }
  /// Records how stale what an update used was: updates of the receiver since, and age in s.
  void count_staleness(double steps, sim::Time age) {
    ++world_.tally.updates;
    world_.tally.staleness_steps += steps;
    world_.tally.staleness_time += age;
  }

  /// A reply has come, in time or late. What a protocol with a timeout has not used is said of its run.
  void count_reply(bool in_time) {
    world_.tally.matches = true;
    world_.tally.in_time += in_time ? 1 : 0;
  }

  /// A message is about to be delivered. Returns whether its numbers are finite.
  bool arrive(const sim::Message& message) { return world_.misconduct == nullptr || arrive_as(message); }

 private:
  void send_numbers(sim::AgentId from, std::span<const sim::AgentId> to, std::uint16_t tag,
                    std::uint32_t conversation, std::span<const double> payload) {
    if (world_.misconduct == nullptr) [[likely]]
      return world_.engine.send(from, to, tag, conversation, payload);
    send_as(from, to, tag, conversation, payload);
  }
  // With hostile agents.
  void send_as(sim::AgentId from, std::span<const sim::AgentId> to, std::uint16_t tag,
               std::uint32_t conversation, std::span<const double> payload);
  std::uint32_t publish_as(sim::AgentId from, std::span<const double> state);
  bool arrive_as(const sim::Message& message);
  // What stands for a vector that is made of others by a step that is not linear.
  Eigen::VectorXd followed(const Gathered& inputs) const;
  Misconduct::Reach reach() const;
  // The problem that agent i's records are taken from: that of the time when what it computes leaves it.
  const Problem& records_of(sim::AgentId i) const {
    const bool flips = world_.study.flipped != nullptr && world_.study.hostile->flips_labels(i, leaves(i));
    return flips ? *world_.study.flipped : problem();
  }
  template <class P>
  void prepare(sim::AgentId i, sim::Moment at, const P& protocol, Prepared& out) const {
    out.releases_ = false;
    out.versions_.clear();
    protocol.prepare(i, at, *this, out);
  }
  Sensitive mean_gradient(sim::AgentId i, const In& theta, std::span<const double> known, double sensitivity);
  void compute_gradient(sim::AgentId i, const In& theta, std::span<const double> known, Eigen::VectorXd& out,
                        Tally& tally) const;
  void compute_gradient(sim::AgentId i, const In& theta, const Batch& batch, Eigen::VectorXd& out,
                        Tally& tally) const;
  // `out`: with the noise of the release `later` releases after agent i's next.
  void perturb(sim::AgentId i, std::uint64_t later, double sensitivity, const Eigen::VectorXd& value,
               Eigen::VectorXd& out, Tally& tally) const;
  static std::span<const double> numbers(const In& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }
  /// The step of agent i's next release, or one after it; null where it is free.
  const Step* next_step(sim::AgentId i, std::uint64_t later = 0) const;
  ReleaseNoise next_noise(sim::AgentId i, std::uint64_t later = 0) const;
  /// The numbers that a release_by releases, for the trace.
  static std::vector<double> numbers_given(const Eigen::VectorXd& x) { return {x.begin(), x.end()}; }
  /// Record after record: its features, its target.
  static std::vector<double> numbers_given(const Shard& shard);
  void charge(sim::AgentId i, std::span<const double> given_out);
  void add_tree_noise(EntrustedSum& sum, double scale, sim::Stream& stream);
  // The pad of what agent i has sealed: what is sealed twice is open.
  void seal(sim::AgentId i, std::uint32_t conversation, std::span<double> x) const;
  const Problem& problem() const { return world_.problem(); }

  World& world_;
};

}  // namespace hearsay::models
