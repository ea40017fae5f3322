#include "sim/engine/network_options.hpp"

#include <algorithm>

namespace hearsay::sim {

void NetworkOptions::describe(Visitor& v) {
  v(topology, {.name = "topology", .help = "Who can talk to whom."});
  links.describe(v);
  v(compute_time,
    {.name = "compute_time",
     .help = "Time a computation takes: an agent reads at its start and sends at its end, and does "
             "nothing else meanwhile; drawn anew for every computation unless `drawn` says else.",
     .unit = "s",
     .min = 0});
  v(availability, {.name = "availability", .help = "Who is up when; enforced for every protocol."});
  v(in_flight,
    {.name = "in_flight", .help = "What becomes of a message whose receiver is down when it arrives."});
  const std::vector<OneAvailability> all = laws(availability);
  const bool coin =
      std::any_of(all.begin(), all.end(), [](const auto& law) { return std::holds_alternative<Coin>(law); });
  v.check(in_flight == InFlight::kLost || !coin, "in_flight",
          "can not be held where availability is a coin: nobody comes back");
}

}  // namespace hearsay::sim
