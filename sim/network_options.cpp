#include "sim/network_options.hpp"

namespace hearsay::sim {

void NetworkOptions::describe(Visitor& v) {
  v(topology, {.name = "topology", .help = "Who can talk to whom."});
  links.describe(v);
  v(availability, {.name = "availability", .help = "Who is up when; enforced for every protocol."});
}

}  // namespace hearsay::sim
