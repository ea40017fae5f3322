#include "scenarios/runner/network_fit.hpp"

#include "scenarios/runner/experiment.hpp"
#include "sim/engine/unreachable.hpp"

namespace hearsay::scenarios {

void fit_network(sim::Engine::Options& options, const sim::Topology& topology, const sim::Streams& streams) {
  const sim::NetworkOptions& network = options.network;
  const sim::AgentId agents = topology.agents(), first = options.hub ? 1 : 0;
  const sim::AgentId hub = options.hub ? 0 : sim::kNoAgent;
  auto files = std::make_shared<sim::NetworkFiles>();
  assemble("/network/latency", [&] {
    files->read_latency(network.links.latency);
    sim::Latency(network.links.latency, topology, hub, streams, files->latency);
  });
  assemble("/network/loss", [&] {
    files->read_losses(network.links.loss);
    sim::Loss(network.links.loss, topology, hub, streams, files->losses);
  });
  assemble("/network/bandwidth", [&] { sim::Bandwidth(network.links.bandwidth, agents, streams); });
  assemble("/network/availability", [&] {
    files->read_sessions(network.availability);
    sim::Availability(network.availability, streams, agents, first, files->sessions);
  });
  assemble("/clocks", [&] {
    files->read_ticks(options.clocks);
    sim::Clocks(options.clocks, agents, streams, first, files->ticks);
  });
  options.files = std::move(files);
  if (const auto why = sim::why_unreachable(options, topology, streams))
    throw AssemblyError("/network", *why);
}

}  // namespace hearsay::scenarios
