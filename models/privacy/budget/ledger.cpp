#include "models/privacy/budget/ledger.hpp"

#include <algorithm>
#include <map>

namespace hearsay::models {

void Ledger::verify() const {
  std::map<const ReleaseSchedule*, const Account*> most;
  for (const Account& a : accounts_) {
    sim::check(a.releases <= a.release_limit, "an agent has made more releases than its budget allows");
    if (!a.schedule) continue;
    const Account*& greatest = most[a.schedule.get()];
    if (greatest == nullptr || a.releases > greatest->releases) greatest = &a;
  }
  for (const auto& [schedule, account] : most) {
    const Guarantee spent = account->spent();
    sim::check(spent.epsilon <= schedule->budget() * (1 + ReleaseSchedule::kTolerance) &&
                   spent.delta <= schedule->delta() * (1 + ReleaseSchedule::kTolerance),
               "an agent has spent more than its budget");
  }
}

}  // namespace hearsay::models
