#include "sim/engine/network_options.hpp"

#include <algorithm>

namespace hearsay::sim {

void NetworkOptions::describe(Visitor& v) {
  v(topology, {.name = "topology", .help = "Graph of the links between agents."});
  links.describe(v);
  v(compute_time,
    {.name = "compute_time",
     .help = "Time a computation takes; the agent reads at its start, sends at its end and does nothing else "
             "in between. A distribution is drawn for each computation unless `drawn` says otherwise.",
     .unit = "s",
     .min = 0});
  v(availability, {.name = "availability", .help = "When agents are up; enforced for every protocol."});
  v(in_flight,
    {.name = "in_flight", .help = "What happens to a message that arrives while its receiver is down."});
  const std::vector<OneAvailability> all = laws(availability);
  const bool coin =
      std::any_of(all.begin(), all.end(), [](const auto& law) { return std::holds_alternative<Coin>(law); });
  v.check(in_flight == InFlight::kLost || !coin, "in_flight",
          "held messages are not allowed with availability coin");
}

}  // namespace hearsay::sim
