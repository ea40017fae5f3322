#include "scenarios/study/fit_network.hpp"

#include <fmt/format.h>

#include "scenarios/study/errors.hpp"
#include "sim/engine/unreachable.hpp"

namespace hearsay::scenarios {

void fit_network(sim::Engine::Options& options, const std::vector<sim::TimelineEvent>& events,
                 const sim::Topology& topology, const sim::Streams& streams) {
  sim::NetworkOptions& network = options.network;
  const sim::AgentId agents = topology.agents(), first = options.hub ? 1 : 0;
  const sim::AgentId hub = options.hub ? 0 : sim::kNoAgent;
  assemble("/events", [&] { options.timeline = sim::unfold(events, network, agents, options.time_limit); });
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
    files->read_sessions(network.availability, agents);
    sim::Availability(network.availability, streams, agents, first, files->sessions);
  });
  assemble("/network/compute_time", [&] { sim::ComputeTime(network.compute_time, agents, first, streams); });
  assemble("/events", [&] {
    files->read_changes(options.timeline);
    sim::require_fit(options.timeline, *files, topology, streams, hub);
  });
  assemble("/clocks", [&] {
    files->read_ticks(options.clocks);
    sim::Clocks(options.clocks, agents, streams, first, files->ticks);
  });
  options.files = std::move(files);
  if (const auto why = sim::why_unreachable(options, topology, streams))
    throw sim::OptionError("/network", *why);
}

}  // namespace hearsay::scenarios
