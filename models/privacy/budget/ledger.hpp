#pragma once
// What each agent may spend and has spent. Every release is charged here before it is sent; one beyond its
// schedule is refused. Lost messages stay charged: a release is charged when it is made, not when it is
// received. Sending the same released vector again costs nothing.
//
// The releases of an agent are those of its ReleaseSchedule, in order: charging means counting, and the amount
// spent is composed on request.
#include <algorithm>
#include <limits>
#include <vector>

#include "models/privacy/budget/release_schedule.hpp"
#include "sim/check.hpp"
#include "sim/time.hpp"

namespace hearsay::models {

struct Account {
  std::shared_ptr<const ReleaseSchedule> schedule;  ///< null: releases cost nothing
  std::uint64_t releases = 0;
  std::uint64_t release_limit = 0;

  /// (epsilon, delta) of the releases so far, composed; 0 without privacy.
  Guarantee spent() const { return schedule ? schedule->after(releases) : Guarantee{}; }
  /// The budget; 0 without privacy.
  double epsilon_budget() const { return schedule ? schedule->budget() : 0; }
  double delta_budget() const { return schedule ? schedule->delta() : 0; }
  /// The epsilon of the next release alone, or of the last one once all are made; 0 without privacy, and for
  /// Gaussian releases without a stated (epsilon, delta).
  double epsilon_step() const {
    if (!schedule) return 0;
    return epsilon_alone(schedule->step(std::min(releases, release_limit - 1)));
  }
};

class Ledger {
 public:
  explicit Ledger(sim::AgentId agents = 0) : accounts_(agents) {}

  /// Without a schedule releases are free and unlimited. An agent without an open account may release nothing.
  void open(sim::AgentId agent, std::shared_ptr<const ReleaseSchedule> schedule) {
    sim::check(!closed_, "an account was opened after on_start");
    Account& a = accounts_[agent];
    sim::check(a.release_limit == 0, "an account was opened twice");
    a.release_limit = schedule ? schedule->releases() : std::numeric_limits<std::uint64_t>::max();
    a.schedule = std::move(schedule);
    ++open_;
  }
  /// One account for all agents: every release is charged to each of them.
  void open_shared(std::shared_ptr<const ReleaseSchedule> schedule) {
    sim::check(open_ == 0, "a shared account was opened while others are open");
    shared_ = true;
    open(0, std::move(schedule));
  }
  /// No more account is opened: a run that goes on from a saved state has those that its own start opens.
  void close() { closed_ = true; }
  /// Whether the agent may make one more release.
  bool affords(sim::AgentId agent, std::uint64_t releases = 1) const {
    const Account& a = account(agent);
    return a.releases <= a.release_limit && a.release_limit - a.releases >= releases;
  }
  /// Charges one release; it must be affordable.
  void charge(sim::AgentId agent) {
    sim::check(affords(agent), "a release was charged that the budget does not allow");
    Account& a = accounts_[shared_ ? 0 : agent];
    if (++a.releases == a.release_limit) --open_;
  }
  /// Whether no account that was opened allows another release. O(1).
  bool all_spent() const { return open_ == 0; }
  /// Of the releases that a budget is planned for, the share that has been made: the lower median over the accounts
  /// with a budget; 0 without any. O(agents).
  double median_used() const {
    std::vector<double> used;
    for (const Account& a : accounts_)
      if (a.schedule) used.push_back(static_cast<double>(a.releases) / static_cast<double>(a.release_limit));
    if (used.empty()) return 0;
    const auto median = used.begin() + static_cast<std::ptrdiff_t>((used.size() - 1) / 2);
    std::nth_element(used.begin(), median, used.end());
    return *median;
  }
  const Account& account(sim::AgentId agent) const { return accounts_[shared_ ? 0 : agent]; }
  sim::AgentId agents() const { return static_cast<sim::AgentId>(accounts_.size()); }

  /// Throws sim::InvariantError if any agent has spent more than its budget: if it has made more releases than its
  /// schedule has, all of which together keep the budget under the accountant, as was checked when it was made, and
  /// part of which never costs more.
  void verify() const {
    for (const Account& a : accounts_) {
      sim::check(a.releases <= a.release_limit, "an agent has made more releases than its budget allows");
      sim::check(!a.schedule || a.release_limit == a.schedule->releases(), "an account with another limit");
    }
  }

  /// What has been spent; the accounts are those of the start.
  template <class Archive>
  void serialize(Archive& archive) {
    for (Account& a : accounts_) archive(a.releases);
    archive(open_);
  }

 private:
  std::vector<Account> accounts_;
  std::size_t open_ = 0;  // accounts with releases left
  bool shared_ = false;   // the first is everyone's
  bool closed_ = false;   // the start has been made
};

}  // namespace hearsay::models
