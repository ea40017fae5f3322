#include "sim/engine/network_options.hpp"

#include <algorithm>

namespace hearsay::sim {

void NetworkOptions::describe(Visitor& v) {
  v(topology, {.name = "topology", .help = "Graph of the links between agents."});
  links.describe(v);
  v(compute_time,
    {.name = "compute_time",
     .help = "Duration of a computation; the agent reads at its start, sends at its end and is busy in "
             "between. A distribution is drawn for each computation by default (see `drawn`).",
     .unit = "s",
     .min = 0});
  v(availability,
    {.name = "availability", .help = "Times at which agents are up; enforced for every protocol."});
  v(in_flight, {.name = "in_flight", .help = "Handling of messages that arrive while the receiver is down."});
  const std::vector<OneAvailability> all = laws(availability);
  const bool coin =
      std::any_of(all.begin(), all.end(), [](const auto& law) { return std::holds_alternative<Coin>(law); });
  v.check(in_flight == InFlight::kLost || !coin, "in_flight",
          "held messages are not allowed with availability coin");
}

}  // namespace hearsay::sim
