#pragma once
// What a graph file says, word for word, before anything is made of it.
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

/// Whether two names are the same but for capitals (of ASCII).
bool same_name(std::string_view a, std::string_view b);

/// On one line and of at most 80 bytes, for messages.
std::string one_line(std::string_view text);

/// Takes an attribute of a node; false if it is none of those that are read.
bool take_attribute(RawNode& node, std::string_view name, const std::string& value);
/// Likewise of an edge: `options` say what weight and latency are called.
bool take_attribute(RawEdge& edge, std::string_view name, const std::string& value, const GraphFile& options);

/// Throws TopologyError where opening and closing marks nest more than 100 deep: parsers recurse.
void require_shallow(std::size_t depth);

/// Numbers nodes in the order of their names, of their values where all are whole numbers; edges follow.
void sort_by_name(RawGraph& graph);

}  // namespace hearsay::sim
