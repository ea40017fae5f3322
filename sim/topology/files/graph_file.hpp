#pragma once
// Graphs read from files: GraphML and DOT by Boost's parsers, and lists of edges.
//
// Directed edges become links in both directions. Nodes are numbered in the order of a GraphML file; those of DOT and
// of edge lists by their names (by value if all names are whole numbers). A GraphML node is named by its "label", or
// by its number in the file. Names of attributes are case insensitive.
//
// Coordinates: node attributes Longitude and Latitude (or lon, lat), degrees; else x and y, or DOT's pos="x,y", metres
// in a plane. An edge list has none.
//
// An edge list has comma, tab, semicolon or space separated columns. The first line may name them; lines that begin
// with # or % are comments. Columns are called source, target, weight and latency, in this order without such a line.
#include "sim/options/describe.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

enum class GraphFormat { kAuto, kGraphMl, kDot, kEdgeList };
constexpr auto choices_of(GraphFormat) {
  return std::to_array<Choice>(
      {{"auto", "By the file name: .graphml or .xml, .dot or .gv, otherwise an edge list."},
       {"graphml", "GraphML."},
       {"dot", "Graphviz DOT."},
       {"edge_list", "Text with one link per line."}});
}

enum class DuplicateEdges { kMerge, kError };
constexpr auto choices_of(DuplicateEdges) {
  return std::to_array<Choice>(
      {{"merge", "Parallel links become one, with the largest weight and the smallest latency."},
       {"error", "Parallel links are an error."}});
}

enum class MissingCoordinates { kError, kNeighboursMean, kDrop, kIgnore };
constexpr auto choices_of(MissingCoordinates) {
  return std::to_array<Choice>(
      {{"error", "A node without coordinates is an error, unless no node has coordinates."},
       {"neighbours_mean",
        "The mean of the neighbours' coordinates (on the Earth: of their directions from its centre), "
        "starting with the neighbours of nodes that have coordinates."},
       {"drop", "Nodes without coordinates are removed, with their links."},
       {"ignore", "No coordinates are read."}});
}

enum class LatencyUnit { kSecond, kMillisecond, kMicrosecond };
constexpr auto choices_of(LatencyUnit) {
  return std::to_array<Choice>({{"s", "Seconds."}, {"ms", "Milliseconds."}, {"us", "Microseconds."}});
}

struct GraphFile {
  static constexpr std::string_view kName = "file";
  static constexpr std::string_view kHelp =
      "Graph from a file (GraphML, DOT, edge list), with coordinates, weights and latencies if the file has "
      "them.";
  InputFile path;
  GraphFormat format = GraphFormat::kAuto;
  DuplicateEdges duplicate_edges = DuplicateEdges::kMerge;
  MissingCoordinates missing_coordinates = MissingCoordinates::kError;
  std::string weight = "weight", latency = "latency";  ///< names of edge attributes or columns
  LatencyUnit latency_unit = LatencyUnit::kSecond;
  void describe(Visitor& v);
};

/// Reads and repairs the graph, whatever the number of agents. Throws TopologyError, a line that names the file.
/// Memory: a small multiple of the file's size.
Draft draw(const GraphFile& options, AgentId, const Streams&);

}  // namespace hearsay::sim
