#include "sim/engine/transport.hpp"

#include "sim/engine/network.hpp"

namespace hearsay::sim {

Transport::Transport(const LinkOptions& options, std::size_t vector_length, const Topology& topology,
                     const Streams& streams, AgentId hub, const NetworkFiles& files)
    : links_(options, topology, streams, hub, files),
      bandwidth_(options.bandwidth, topology.agents(), streams),
      vector_length_(vector_length),
      header_(options.header),
      bytes_per_number_(options.bytes_per_number),
      fifo_messages_(options.send_order == MessageOrder::kFifo),
      fifo_publications_(options.order == PublicationOrder::kFifo),
      sent_(topology.agents()) {
  if (fifo_messages_ || fifo_publications_) last_arrival_.assign(2 * topology.edges(), 0);
}

}  // namespace hearsay::sim
