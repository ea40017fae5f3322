#pragma once
// What each agent may spend and has spent. Every release is charged here, before it leaves; one beyond its
// schedule is refused. Lost messages stay spent: a release is charged when it is made, not when it is
// received. Sending the same released vector again costs nothing.
//
// The releases of an agent are those of its ReleaseSchedule, in order: charging means counting, and what has been
// spent is composed when asked for.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "models/privacy/budget/release_schedule.hpp"
#include "sim/check.hpp"
#include "sim/time.hpp"

namespace hearsay::models {

struct Account {
  std::shared_ptr<const ReleaseSchedule> schedule;  ///< none: releases cost nothing
  std::uint64_t releases = 0;
  std::uint64_t release_limit = 0;

  /// (epsilon, delta) of the releases so far, composed; 0 without privacy.
  Guarantee spent() const { return schedule ? schedule->after(releases) : Guarantee{}; }
  /// What they may come to; 0 without privacy.
  double epsilon_budget() const { return schedule ? schedule->budget() : 0; }
  double delta_budget() const { return schedule ? schedule->delta() : 0; }
  /// The epsilon of the next release, or of the last one once all are made; 0 without privacy, and for
  /// Gaussian releases that no (epsilon, delta) of their own has been stated for.
  double epsilon_step() const {
    if (!schedule) return 0;
    return schedule->step(releases < release_limit ? releases : release_limit - 1).epsilon;
  }
};

class Ledger {
 public:
  explicit Ledger(sim::AgentId agents = 0) : accounts_(agents) {}

  /// Without a schedule releases are free and unlimited. Before its account is opened an agent may release
  /// nothing.
  void open(sim::AgentId agent, std::shared_ptr<const ReleaseSchedule> schedule) {
    Account& a = accounts_[agent];
    sim::check(a.release_limit == 0, "an account was opened twice");
    a.release_limit = schedule ? schedule->releases() : std::numeric_limits<std::uint64_t>::max();
    a.schedule = std::move(schedule);
    ++open_;
  }
  /// Whether the agent may make one more release.
  bool affords(sim::AgentId agent) const {
    return accounts_[agent].releases < accounts_[agent].release_limit;
  }
  /// Charges one release; it must be affordable.
  void charge(sim::AgentId agent) {
    sim::check(affords(agent), "a release was charged that the budget does not allow");
    Account& a = accounts_[agent];
    if (++a.releases == a.release_limit) --open_;
  }
  /// Whether no account that was opened allows another release. O(1).
  bool all_spent() const { return open_ == 0; }
  const Account& account(sim::AgentId agent) const { return accounts_[agent]; }
  sim::AgentId agents() const { return static_cast<sim::AgentId>(accounts_.size()); }

  /// Throws sim::InvariantError if any agent has spent more than its budget under the accountant. Of agents
  /// with the same schedule the one with most releases is looked at: composition is monotone.
  void verify() const;

 private:
  std::vector<Account> accounts_;
  std::size_t open_ = 0;  // accounts with releases left
};

}  // namespace hearsay::models
