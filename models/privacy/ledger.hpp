#pragma once
// What each agent has been allowed to spend and has spent. Every release is charged here, before it leaves;
// one that would exceed the budget is refused.
//
// Accountant `basic`: releases that are each epsilon_t-differentially private compose to sum_t epsilon_t
// (Dwork, McSherry, Nissim, Smith 2006). Lost messages stay spent: a release is charged when it is made, not
// when it is received.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/check.hpp"
#include "sim/time.hpp"

namespace hearsay::models {

struct Account {
  double budget = std::numeric_limits<double>::infinity();  ///< epsilon in all
  double spent = 0;                                         ///< epsilon so far
  std::uint64_t releases = 0;
  std::uint64_t release_limit = std::numeric_limits<std::uint64_t>::max();
};

class Ledger {
 public:
  /// Rounding of a sum of at most 1e7 equal steps stays below this, relative to the budget.
  static constexpr double kTolerance = 1e-9;

  explicit Ledger(sim::AgentId agents = 0) : accounts_(agents) {}

  void open(sim::AgentId agent, double budget, std::uint64_t release_limit) {
    sim::check(release_limit > 0, "an account was opened without a release");
    accounts_[agent] = {.budget = budget, .release_limit = release_limit};
    ++open_;
  }
  /// Whether the agent may make one more release of `epsilon`.
  bool affords(sim::AgentId agent, double epsilon) const {
    const Account& a = accounts_[agent];
    return a.releases < a.release_limit && a.spent + epsilon <= a.budget * (1 + kTolerance);
  }
  /// Charges one release; it must be affordable.
  void charge(sim::AgentId agent, double epsilon) {
    sim::check(affords(agent, epsilon), "a release was charged that the budget does not allow");
    Account& a = accounts_[agent];
    a.spent += epsilon;
    if (++a.releases == a.release_limit) --open_;
  }
  /// Whether no account that was opened allows another release. O(1).
  bool all_spent() const { return open_ == 0; }
  const Account& account(sim::AgentId agent) const { return accounts_[agent]; }
  sim::AgentId agents() const { return static_cast<sim::AgentId>(accounts_.size()); }

  /// Throws sim::InvariantError if any agent has spent more than its budget.
  void verify() const {
    for (const Account& a : accounts_) {
      sim::check(a.spent <= a.budget * (1 + kTolerance) && a.releases <= a.release_limit,
                 "an agent has spent more than its budget");
    }
  }

 private:
  std::vector<Account> accounts_;
  std::size_t open_ = 0;  // accounts with releases left
};

}  // namespace hearsay::models
