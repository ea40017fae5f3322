#include "scenarios/study/fit_network.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "scenarios/study/errors.hpp"
#include "scenarios/study/scenario.hpp"
#include "sim/engine/unreachable.hpp"

namespace hearsay::scenarios {

sim::Timeline timeline_of(const Scenario& s, sim::AgentId agents) {
  sim::NetworkOptions network = s.network;
  return sim::unfold(s.events, network, agents, s.stop.time.value_or(sim::kNever));
}

std::string events_json(const Scenario& s, const Parting& branches) {
  nlohmann::json all = nlohmann::json::array();
  std::vector<sim::Timeline::Entry> entries = timeline_of(s, sim::kMaxAgents).entries;
  if (branches.by_time()) entries.push_back({branches.time, "branches"});
  std::ranges::stable_sort(entries, {}, &sim::Timeline::Entry::at);
  for (const auto& entry : entries) all.push_back({{"time", entry.at}, {"text", entry.text}});
  if (branches.iteration != Parting::kNoIteration)
    all.push_back({{"iteration", branches.iteration}, {"text", "branches"}});
  return all.empty() ? "" : all.dump();
}

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
    files->read_losses(network.links.loss, topology.names());
    sim::Loss(network.links.loss, topology, hub, streams, files->losses);
  });
  assemble("/network/bandwidth", [&] { sim::Bandwidth(network.links.bandwidth, agents, streams); });
  assemble("/network/availability", [&] {
    files->read_sessions(network.availability, topology);
    sim::Availability(network.availability, streams, agents, first, files->sessions);
  });
  assemble("/network/compute_time", [&] { sim::ComputeTime(network.compute_time, agents, first, streams); });
  assemble("/events", [&] {
    files->read_changes(options.timeline, topology.names());
    sim::require_fit(options.timeline, *files, topology, streams, hub);
  });
  assemble("/clocks", [&] {
    files->read_ticks(options.clocks, topology.names());
    sim::Clocks(options.clocks, agents, streams, first, files->ticks);
  });
  options.files = std::move(files);
  if (const auto why = sim::why_unreachable(options, topology, streams))
    throw sim::OptionError("/network", *why);
}

}  // namespace hearsay::scenarios
