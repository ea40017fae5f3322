#pragma once
// Graph files: read, and made a topology of 3 agents.
#include <cmath>

#include "sim/topology/make_topology.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

namespace hearsay::fuzz {

struct Graph {
  sim::GraphFile file;
  sim::GraphOptions options;
};

inline constexpr Letter<Graph> kLetters[] = {
    {'D', [](auto& g) { g.file.duplicate_edges = sim::DuplicateEdges::kError; }},
    {'m', [](auto& g) { g.file.missing_coordinates = sim::MissingCoordinates::kNeighboursMean; }},
    {'d', [](auto& g) { g.file.missing_coordinates = sim::MissingCoordinates::kDrop; }},
    {'i', [](auto& g) { g.file.missing_coordinates = sim::MissingCoordinates::kIgnore; }},
    {'w', [](auto& g) { g.file.weight = "w"; }},
    {'l',
     [](auto& g) {
       g.file.latency = "l";
       g.file.latency_unit = sim::LatencyUnit::kMillisecond;
     }},
    {'L', [](auto& g) { g.options.connected = sim::Connected::kLargestComponent; }},
    {'C', [](auto& g) { g.options.connected = sim::Connected::kConnect; }},
    {'n', [](auto& g) { g.options.nodes = sim::NodesUsed::kNearest; }},
    {'r', [](auto& g) { g.options.nodes = sim::NodesUsed::kRandom; }},
    {'M', [](auto& g) { g.options.weights = sim::EdgeWeights::kMetropolis; }},
    {'G', [](auto& g) { g.options.weights = sim::EdgeWeights::kGiven; }},
    {'s', [](auto& g) { g.options.overlay = sim::StarOverlay{}; }},
    {'h', [](auto& g) { g.options.overlay = sim::StarOverlay{"a"}; }},
};

inline int read_graph(std::string_view input, sim::GraphFormat format) {
  const auto [letters, text] = split(input, "\n");
  Graph given{.file = {.path = memory_file(text, "graph"), .format = format}, .options = {}};
  apply(letters, kLetters, given);
  accepted<sim::TopologyError>([&] {
    const sim::Topology graph = sim::make_topology({given.file, given.options}, 3, sim::Streams(1, 0));
    require(graph.agents() == 3, "as many agents as asked for");
    for (std::uint32_t position = 0; position < 2 * graph.edges(); ++position) {
      require(std::isfinite(graph.weight(position)) && graph.weight(position) >= 0, "weights are finite");
      require(graph.latency().empty() || graph.latency()[position] >= 0, "latencies are numbers");
    }
  });
  return 0;
}

}  // namespace hearsay::fuzz
