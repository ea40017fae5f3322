#pragma once
// What a protocol sees of a run: the time, its own agent's model and data, its neighbours' messages, and
// nothing of the rest.
#include <Eigen/Core>

#include <optional>
#include <span>

#include "models/core/world.hpp"

namespace hearsay::models {

using Vector = Eigen::Map<const Eigen::VectorXd>;

/// The last publication of a neighbour that has reached a reader.
struct Heard {
  Vector model;               ///< valid until the next event
  std::uint32_t version = 0;  ///< number of the neighbour's publication, from 1; 0: its public start
  sim::Time sent = 0;         ///< when it was published, s
};

class Context {
 public:
  explicit Context(World& world) : world_(world) {}

  sim::Time now() const { return world_.engine.now(); }
  sim::AgentId agents() const { return world_.engine.agents(); }
  // What is public of the problem; the records themselves are reached only through gradient().
  Eigen::Index p() const { return problem().p(); }
  std::size_t owners() const { return problem().owners(); }
  /// n_i of the owner whose data agent i holds, and n.
  Eigen::Index records(sim::AgentId i) const { return problem().n(world_.owner(i)); }
  Eigen::Index records() const { return problem().n(); }
  bool up(sim::AgentId i) const { return world_.engine.up(i); }
  std::span<const sim::AgentId> neighbours(sim::AgentId i) const {
    return world_.engine.topology().neighbours(i);
  }
  std::uint32_t degree(sim::AgentId i) const { return world_.engine.topology().degree(i); }
  /// Number of the owner whose data agent i holds.
  std::size_t owner(sim::AgentId i) const { return world_.owner(i); }
  sim::AgentId agent_of(std::size_t owner) const { return world_.agent(owner); }
  /// out = grad g(theta) of the regulariser.
  void regulariser_gradient(const Eigen::VectorXd& theta, Eigen::VectorXd& out) const {
    problem().regulariser_gradient(theta, out);
  }
  /// The public model of agent i, p numbers: what metrics look at.
  Eigen::MatrixXd::ColXpr model(sim::AgentId i) { return world_.models.col(i); }

  /// Mean gradient at theta of the loss over agent i's records, each record's gradient bounded as the
  /// scenario says.
  Sensitive gradient(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& theta);
  /// The same of a subsample: the sum over `records` of agent i divided by `divisor`, a public number.
  /// `sensitivity` is that of what the protocol makes of it.
  Sensitive gradient(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& theta, double sensitivity,
                     std::span<const Eigen::Index> records, double divisor);
  /// The mean gradient over all of agent i's records with a sensitivity that the protocol states.
  Sensitive gradient(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& theta, double sensitivity);
  /// Something that agent i has worked out from its data (see keep_local), to be released: `sensitivity` is its
  /// largest change between neighbouring data sets, in the mechanism's norm.
  Sensitive local(const Eigen::Ref<const Eigen::VectorXd>& x, double sensitivity);
  /// The minimiser over q of the mean loss of agent i's records at offset + q, plus (ridge/2) norm_2(q)^2: for
  /// keep_local. O(p^3).
  Sensitive fit(sim::AgentId i, const Eigen::Ref<const Eigen::VectorXd>& offset, double ridge);
  /// The same from offset 0, for use inside agent i as its start; worked out once per problem.
  const Eigen::VectorXd& alone(sim::AgentId i, double ridge) const;
  /// Opens agent i's account, once, before its first release: so many equal releases that together just keep its
  /// budget under the accountant, or the `overlap`-th part of it where up to so many owners may hold the same
  /// record.
  void open_account(sim::AgentId i, std::uint64_t releases, std::uint32_t overlap = 1) {
    open_account(i, Timetable{.releases = releases, .overlap = overlap});
  }
  /// The same by the scenario's schedule, for a protocol that knows when agent i will tick.
  void open_account(sim::AgentId i, const Timetable& timetable);
  /// The same by turns, for a protocol whose budget is given by turn.
  void open_account(sim::AgentId i, const Turns& turns);
  /// Of a protocol that has no privacy: releases are free. Throws sim::InvariantError with privacy.
  void open_account(sim::AgentId i);
  /// When agents tick, for such a protocol.
  const sim::Clocks& clocks() const { return world_.engine.clocks(); }
  /// Whether agent i's account allows one more release.
  bool may_release(sim::AgentId i) const { return world_.ledger.affords(i); }
  /// Whether no agent may release any more.
  bool all_spent() const { return world_.ledger.all_spent(); }
  /// Adds the noise of the account's next release and charges it, in one: the only way out for what is
  /// sensitive. The noise is drawn from (kNoise, i), index = number of the release. Nothing if the account does
  /// not allow it: then nothing is drawn or charged. The vector is valid until the next release of the run.
  std::optional<Vector> release(sim::AgentId i, Sensitive sensitive);
  /// The minimiser of the mean loss over agent i's records + lambda norm_2(theta)^2. Its sensitivity, in the L2
  /// norm, is that of the mean gradient over 2 lambda: for a bound that holds of itself, not one that clipping
  /// enforces.
  Sensitive local_minimiser(sim::AgentId i, double lambda);
  /// A release of that minimiser by objective perturbation (objective_perturbation.hpp), for losses whose slope
  /// is at most 1 and norm_2(x) <= 1. Draws and charges as release() does.
  std::optional<Vector> release_minimiser(sim::AgentId i, double lambda);
  /// A release of agent i's records themselves, each on its own (local differential privacy): features scaled to
  /// norm_1 <= clip, then + Laplace(0, 2 clip/eps_x) on each; a class kept, or flipped with probability
  /// 1/(1 + e^epsilon_label) if that is above 0. eps_x = the epsilon of the next release - epsilon_label.
  /// Draws and charges as release() does; without privacy the records as they are.
  std::optional<Shard> release_records(sim::AgentId i, double clip, double epsilon_label);
  /// Takes a sensitive vector for use inside its owner; what is computed from it must never be sent.
  Eigen::VectorXd keep_local(Sensitive sensitive) { return std::move(sensitive.value_); }
  /// The same without an allocation: copies it to `out`, p numbers.
  void keep_local(Sensitive sensitive, Eigen::Ref<Eigen::VectorXd> out) {
    out = sensitive.value_;
    world_.spare_.push_back(std::move(sensitive.value_));
  }

  /// Sends a message to a neighbour; `payload` is copied.
  void send(sim::AgentId from, sim::AgentId to, std::uint16_t tag, std::uint32_t conversation,
            std::span<const double> payload = {}) {
    world_.engine.send(from, to, tag, conversation, payload);
  }
  void send(sim::AgentId from, sim::AgentId to, std::uint16_t tag, std::uint32_t conversation,
            const Eigen::VectorXd& payload) {
    send(from, to, tag, conversation, std::span(payload.data(), static_cast<std::size_t>(payload.size())));
  }
  /// Tells all neighbours of `from` its model.
  void publish(sim::AgentId from) {
    world_.engine.publish(
        from, std::span(world_.models.col(from).data(), static_cast<std::size_t>(world_.models.rows())));
  }
  /// What reader last heard of a neighbour; before anything has arrived, the neighbour's public start. O(log
  /// degree).
  Vector latest(sim::AgentId reader, sim::AgentId neighbour);
  /// The same of the reader's k-th neighbour, O(1).
  Vector latest_of(sim::AgentId reader, std::uint32_t k) { return heard_of(reader, k).model; }
  /// With when and in which publication it was heard; O(1).
  Heard heard_of(sim::AgentId reader, std::uint32_t k);
  /// Agent i computes from now on for as long as the scenario says, if it does: it has read what the handler
  /// reads now, and what the handler has it send, publish or set a timer for happens when it is done. It
  /// handles nothing in between. To be called before what takes time is sent; see sim::Engine::compute.
  void compute(sim::AgentId i) { world_.engine.compute(i); }
  /// When what agent i sends now leaves it.
  sim::Time leaves(sim::AgentId i) const { return world_.engine.leaves(i); }
  /// Fires on_timer(agent, tag, number) after `delay` s, or when the agent is up again.
  void after(sim::AgentId agent, sim::Time delay, std::uint16_t tag, std::uint32_t number = 0) {
    world_.engine.after(agent, delay, tag, number);
  }
  /// The message has come too late to be of use: counted and traced as lost, `stale`.
  void discard(const sim::Message& message) { world_.engine.discard(message); }
  /// A fresh stream of the protocol's own purpose for agent i: index = how many it has been given before.
  sim::Stream random(std::uint32_t purpose, sim::AgentId i);

  /// What the scenario's privacy comes to: budgets, steps and the schedule are public.
  const Privacy& privacy() const { return world_.study.privacy; }
  /// The models of all agents, p x agents, for a protocol's own metrics.
  const Eigen::MatrixXd& models() const { return world_.models; }

  /// Clamps to the box, and counts the coordinates moved.
  void project(Eigen::Ref<Eigen::VectorXd> theta) {
    world_.tally.projections += static_cast<std::uint64_t>(theta.size());
    world_.tally.clipped += static_cast<std::uint64_t>(problem().project(theta));
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

  /// For the driver: from now on latest() answers with the models as they stand where nothing has arrived.
  void freeze_start();
  /// For the driver: agent i's public model is that of the start again.
  void restore_start(sim::AgentId i);

 private:
  /// The step of agent i's next release; null where it is free.
  const Step* next_step(sim::AgentId i) const;
  void charge(sim::AgentId i);
  const Problem& problem() const { return world_.problem(); }
  World& world_;
};

}  // namespace hearsay::models
