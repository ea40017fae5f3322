#include "models/privacy/budget/ledger.hpp"

#include <algorithm>
#include <map>

namespace hearsay::models {

void Ledger::verify() const {
  std::map<const SpendingPlan*, const Account*> most;
  for (const Account& a : accounts_) {
    sim::check(a.releases <= a.release_limit, "an agent has made more releases than its budget allows");
    if (!a.plan) continue;
    const Account*& greatest = most[a.plan.get()];
    if (greatest == nullptr || a.releases > greatest->releases) greatest = &a;
  }
  for (const auto& [plan, account] : most) {
    const Guarantee spent = account->spent();
    sim::check(spent.epsilon <= plan->budget() * (1 + SpendingPlan::kTolerance) &&
                   spent.delta <= plan->delta() * (1 + SpendingPlan::kTolerance),
               "an agent has spent more than its budget");
  }
}

}  // namespace hearsay::models
