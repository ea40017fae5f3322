#pragma once
// Graph files: read, and made a topology of 3 agents.
#include <cmath>

#include "sim/topology/make_topology.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hearsay::fuzz {

inline int read_graph(std::string_view input, sim::GraphFormat format) {
  const auto [letters, text] = split(input, "\n");
  sim::GraphFile file{.path = memory_file(text, "graph"), .format = format};
  sim::GraphOptions options;
  for (const char letter : letters) {
    switch (letter) {
      case 'D':
        file.duplicate_edges = sim::DuplicateEdges::kError;
        break;
      case 'm':
        file.missing_coordinates = sim::MissingCoordinates::kNeighboursMean;
        break;
      case 'd':
        file.missing_coordinates = sim::MissingCoordinates::kDrop;
        break;
      case 'i':
        file.missing_coordinates = sim::MissingCoordinates::kIgnore;
        break;
      case 'w':
        file.weight = "w";
        break;
      case 'l':
        file.latency = "l";
        file.latency_unit = sim::LatencyUnit::kMillisecond;
        break;
      case 'L':
        options.connected = sim::Connected::kLargestComponent;
        break;
      case 'C':
        options.connected = sim::Connected::kConnect;
        break;
      case 'n':
        options.nodes = sim::NodesUsed::kNearest;
        break;
      case 'r':
        options.nodes = sim::NodesUsed::kRandom;
        break;
      case 'M':
        options.weights = sim::EdgeWeights::kMetropolis;
        break;
      case 'G':
        options.weights = sim::EdgeWeights::kGiven;
        break;
      case 's':
        options.overlay = sim::StarOverlay{};
        break;
      case 'h':
        options.overlay = sim::StarOverlay{"a"};
        break;
      default:
        break;
    }
  }
  accepted<sim::TopologyError>([&] {
    const sim::Topology graph = sim::make_topology({file, options}, 3, sim::Streams(1, 0));
    require(graph.agents() == 3, "as many agents as asked for");
    for (std::uint32_t position = 0; position < 2 * graph.edges(); ++position) {
      require(std::isfinite(graph.weight(position)) && graph.weight(position) >= 0, "weights are finite");
      require(graph.latency().empty() || graph.latency()[position] >= 0, "latencies are numbers");
    }
  });
  return 0;
}

}  // namespace hearsay::fuzz
