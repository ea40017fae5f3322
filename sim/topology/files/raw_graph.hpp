#pragma once
// The text fields of a graph file, before they are interpreted.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/files/graph_file.hpp"

namespace hearsay::sim {

struct RawNode {
  std::string name = {};
  std::string longitude = {}, latitude = {}, x = {}, y = {};  ///< empty where not given
};

struct RawEdge {
  AgentId a, b;
  std::string weight = {}, latency = {};  ///< empty where not given
};

struct RawGraph {
  std::vector<RawNode> nodes;
  std::vector<RawEdge> edges;
};

// Each throws TopologyError without the file's name in front, or a parser's std::exception.
RawGraph read_graphml(const std::string& text, const GraphFile& options);
RawGraph read_dot(const std::string& text, const GraphFile& options);
RawGraph read_edge_list(const std::string& text, const GraphFile& options);

/// Whether two names are the same, ignoring case (of ASCII).
bool same_name(std::string_view a, std::string_view b);

/// The text on one line of at most 80 bytes, for messages.
std::string one_line(std::string_view text);

/// Stores an attribute of a node; returns whether it is one that is read.
bool take_attribute(RawNode& node, std::string_view name, const std::string& value);
/// Stores an attribute of an edge if it is one that is read: `options` name weight and latency.
void take_attribute(RawEdge& edge, std::string_view name, const std::string& value, const GraphFile& options);

/// Throws TopologyError for nesting more than 100 deep: the parsers recurse.
void require_shallow(std::size_t depth);

/// Numbers nodes in the order of their names, by value if all are whole numbers.
void sort_by_name(RawGraph& graph);

/// Gives the draft its places if any node has one. kNeighboursMean: in rounds, each of which places every node
/// without a place at the mean of its neighbours' places (on the Earth: of their directions from its centre). Throws
/// TopologyError if nodes remain without a place, or places in degrees and in metres mix.
void settle_places(Draft& draft, std::vector<std::optional<Place>> places, MissingCoordinates policy);

}  // namespace hearsay::sim
