#include "sim/engine/network_files.hpp"

#include "sim/engine/network_options.hpp"

namespace hearsay::sim {

void NetworkFiles::read_latency(const LatencyOptions& options) {
  if (const auto* matrix = std::get_if<MatrixLatency>(&options.law))
    latency = SquareMatrix::read(matrix->path, matrix->unit * (matrix->round_trip ? 0.5 : 1));
}

void NetworkFiles::read_losses(const LossOptions& options) {
  for (const OneLossOptions& law : sim::losses(options)) {
    const auto* edges = std::get_if<EdgeLoss>(&law);
    losses.push_back(edges != nullptr ? EdgeList::read(edges->path) : nullptr);
  }
}

void NetworkFiles::read_sessions(const AvailabilityOptions& options) {
  for (const OneAvailability& law : sim::laws(options)) {
    const auto* trace = std::get_if<AvailabilityTrace>(&law);
    sessions.push_back(trace != nullptr ? Sessions::read(*trace) : nullptr);
  }
}

void NetworkFiles::read_ticks(const ClockOptions& options) {
  if (const auto* trace = std::get_if<ClockTrace>(&options); trace != nullptr && trace->path)
    ticks = TickList::read(*trace->path);
}

NetworkFiles NetworkFiles::of(const NetworkOptions& network, const ClockOptions& clocks) {
  NetworkFiles files;
  files.read_latency(network.links.latency);
  files.read_losses(network.links.loss);
  files.read_sessions(network.availability);
  files.read_ticks(clocks);
  return files;
}

}  // namespace hearsay::sim
