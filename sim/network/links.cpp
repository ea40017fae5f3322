#include "sim/network/links.hpp"

#include <stdexcept>

#include "sim/network/network.hpp"

namespace hearsay::sim {

void LinkOptions::describe(Visitor& v) {
  v(latency,
    non_negative(
        "latency",
        "Time a message takes on a link; a distribution is drawn for each message by default (see `drawn`).",
        "s"));
  v(delayed_direction,
    {.name = "delayed_direction",
     .help = "Direction in which messages are delayed, relative to a hub; loss applies to both directions."});
  v(loss, {.name = "loss", .help = "Loss of messages on links, decided when a message is sent."});
  v(bandwidth, {.name = "bandwidth",
                .help = "Rates at which agents send and receive; transfers queue at the sender's uplink, "
                        "then at the receiver's downlink. Lost messages use the uplink too."});
  v(header, {.name = "header", .help = "Size of a message header.", .unit = "B"});
  v(bytes_per_number,
    {.name = "bytes_per_number", .help = "Size of a number in a message.", .unit = "B", .min = 1});
  v(order,
    {.name = "order", .help = "Rule that selects which of a neighbour's publications an agent reads."});
  v(send_order, {.name = "send_order", .help = "Order in which messages from one agent to another arrive."});
}

Links::Links(const LinkOptions& options, const Topology& topology, const Streams& streams, AgentId hub,
             const NetworkFiles& files)
    : latency_(options.latency, topology, hub, streams, files.latency),
      delayed_direction_(options.delayed_direction),
      hub_(hub),
      loss_(options.loss, topology, hub, streams, files.losses),
      sent_(topology) {
  if (delayed_direction_ != DelayedDirection::kBoth && hub_ == kNoAgent)
    throw std::invalid_argument("delayed_direction: expected both, as there is no hub");
}

void Links::change(const LawChanges& changes, const Topology& topology, const Streams& streams,
                   const NetworkFiles& files) {
  if (changes.latency) latency_ = Latency(*changes.latency, topology, hub_, streams, files.latency);
  if (changes.loss) loss_ = Loss(*changes.loss, topology, hub_, streams, files.losses);
}

}  // namespace hearsay::sim
