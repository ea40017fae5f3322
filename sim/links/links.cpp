#include "sim/links/links.hpp"

#include <stdexcept>

#include "sim/engine/network_files.hpp"

namespace hearsay::sim {

void LinkOptions::describe(Visitor& v) {
  v(latency,
    {.name = "latency",
     .help = "Time a message takes on a link, drawn anew for every message unless `drawn` says else.",
     .unit = "s",
     .min = 0});
  v(late_legs, {.name = "late_legs",
                .help = "Messages of which direction are late, in a star with a hub; loss is of both."});
  v(loss, {.name = "loss", .help = "Which messages are lost; decided when they are sent."});
  v(bandwidth, {.name = "bandwidth",
                .help = "How fast agents send and receive: transfers of one sender queue, then those of one "
                        "receiver; lost messages use the uplink too."});
  v(header, {.name = "header", .help = "Size of a message beside its numbers.", .unit = "B"});
  v(bytes_per_number,
    {.name = "bytes_per_number", .help = "Size of a number in a message.", .unit = "B", .min = 1});
  v(order, {.name = "order", .help = "Which of a neighbour's publications an agent goes by."});
  v(send_order,
    {.name = "send_order", .help = "In which order the messages of one agent to another arrive."});
}

Links::Links(const LinkOptions& options, const Topology& topology, const Streams& streams, AgentId hub,
             const NetworkFiles& files)
    : latency_(options.latency, topology, hub, streams, files.latency),
      legs_(options.late_legs),
      hub_(hub),
      loss_(options.loss, topology, hub, streams, files.losses),
      sent_(2 * topology.edges()) {
  if (legs_ != LateLegs::kBoth && hub_ == kNoAgent)
    throw std::invalid_argument("late_legs needs a hub to tell directions by: say both");
}

}  // namespace hearsay::sim
