#include "sim/network/network.hpp"

#include <algorithm>

namespace hearsay::sim {

void NetworkOptions::describe(Visitor& v) {
  v(topology, {.name = "topology", .help = "Graph of the links between agents."});
  links.describe(v);
  v(compute_time,
    non_negative(
        "compute_time",
        "Duration of a computation; the agent reads at its start, sends at its end and is busy in "
        "between. A distribution is drawn for each computation by default (see `drawn`); a list has a "
        "value for each agent except a hub.",
        "s"));
  v(availability, {.name = "availability",
                   .help = "Times at which agents are up (churn, dropout); enforced for every protocol."});
  v(in_flight, {.name = "in_flight", .help = "Handling of messages that arrive while the receiver is down."});
  const std::vector<OneAvailability> all = laws(availability);
  const bool coin =
      std::any_of(all.begin(), all.end(), [](const auto& law) { return std::holds_alternative<Coin>(law); });
  v.check(in_flight == InFlight::kLost || !coin, "in_flight",
          "held messages are not allowed with availability coin");
}

void NetworkFiles::read_latency(const LatencyOptions& options) {
  if (const auto* matrix = std::get_if<MatrixLatency>(&options.law))
    latency = SquareMatrix::read(matrix->path, matrix->unit * (matrix->round_trip ? 0.5 : 1));
}

void NetworkFiles::read_losses(const LossOptions& options, const Names& names) {
  for (const OneLossOptions& law : sim::losses(options)) {
    const auto* edges = std::get_if<EdgeLoss>(&law);
    losses.push_back(edges != nullptr ? EdgeList::read(edges->path, names) : nullptr);
  }
}

void NetworkFiles::read_sessions(const AvailabilityOptions& options, const Topology& topology) {
  for (const OneAvailability& law : sim::laws(options)) {
    const auto* trace = std::get_if<AvailabilityTrace>(&law);
    sessions.push_back(trace != nullptr ? Sessions::read(*trace, topology.agents(), topology.names())
                                        : nullptr);
  }
}

void NetworkFiles::read_ticks(const ClockOptions& options, const Names& names) {
  if (const auto* trace = std::get_if<ClockTrace>(&options); trace != nullptr && trace->path)
    ticks = TickList::read(*trace->path, names);
}

void NetworkFiles::read_changes(const Timeline& timeline, const Names& names) {
  for (const Timeline::Entry& entry : timeline.entries) {
    NetworkFiles& files = changes.emplace_back();
    if (entry.changes.latency) files.read_latency(*entry.changes.latency);
    if (entry.changes.loss) files.read_losses(*entry.changes.loss, names);
  }
}

void require_fit(const Timeline& timeline, const NetworkFiles& files, const Topology& topology,
                 const Streams& streams, AgentId hub) {
  const AgentId agents = topology.agents(), first = hub == kNoAgent ? 0 : 1;
  for (std::size_t n = 0; n < timeline.entries.size(); ++n) {
    const LawChanges& to = timeline.entries[n].changes;
    if (to.latency) Latency(*to.latency, topology, hub, streams, files.changes[n].latency);
    if (to.loss) Loss(*to.loss, topology, hub, streams, files.changes[n].losses);
    if (to.bandwidth) Bandwidth(*to.bandwidth, agents, streams);
    if (to.compute_time) ComputeTime(*to.compute_time, agents, first, streams);
  }
}

NetworkFiles NetworkFiles::of(const NetworkOptions& network, const ClockOptions& clocks,
                              const Timeline& timeline, const Topology& topology) {
  NetworkFiles files;
  files.read_latency(network.links.latency);
  files.read_losses(network.links.loss, topology.names());
  files.read_sessions(network.availability, topology);
  files.read_ticks(clocks, topology.names());
  files.read_changes(timeline, topology.names());
  return files;
}

}  // namespace hearsay::sim
