#include "scenarios/execution/seen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hearsay::scenarios {

void add_seen(const models::Views& views, sim::AgentId first_owner, std::vector<analysis::Scalar>& scalars) {
  for (const models::Views::OfAdversary& one : views.adversaries()) {
    const auto add = [&](std::string_view what, std::optional<sim::AgentId> agent, double value) {
      if (std::isfinite(value)) scalars.push_back({fmt::format("seen.{}.{}", one.name, what), agent, value});
    };
    add("exact", {}, one.label == models::ViewLabel::kExact ? 1 : 0);
    add("certain", {}, one.certain ? 1 : 0);
    for (std::size_t owner = 0; owner < one.owners.size(); ++owner) {
      const models::Seen& seen = one.owners[owner];
      if (std::isnan(seen.epsilon)) continue;
      const sim::AgentId agent = static_cast<sim::AgentId>(owner) + first_owner;
      add("epsilon", agent, seen.epsilon);
      add("ledger", agent, seen.ledger);
      add("mu_squared", agent, seen.mu_squared);
      add("local_mu_squared", agent, seen.local_mu_squared);
      add("first", agent, seen.first);
      if (!one.hops.empty()) add("distance", agent, one.hops[agent]);
      add("linear_mu_squared", agent, seen.linear);
      add("one_label_mu_squared", agent, seen.one_label);
    }
  }
}

std::string doubt(const models::Views& views) {
  const auto one = std::ranges::find(views.adversaries(), false, &models::Views::OfAdversary::certain);
  if (one == views.adversaries().end()) return {};
  return fmt::format(
      "the rank of what {} has seen cannot be distinguished from rounding errors: epsilon_seen is the local value of every owner of "
      "whom it has seen anything",
      one->name);
}

}  // namespace hearsay::scenarios
