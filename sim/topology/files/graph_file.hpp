#pragma once
// Graphs read from files: GraphML and DOT by Boost's parsers, and lists of edges.
//
// Directed edges are taken as links both ways. Nodes are numbered in the order of a GraphML file; those of
// DOT and of a list of edges in the order of their names, which is that of the numbers where all names are
// whole numbers. A GraphML node is named by its "label", or by its number in the file. Names of attributes do
// not distinguish capitals.
//
// Coordinates: node attributes Longitude and Latitude (or lon, lat), degrees; else x and y, or DOT's
// pos="x,y", metres in a plane. A list of edges has none.
//
// A list of edges is text of comma, tab, semicolon or space separated columns, of which the first line with
// content may give the names; lines that begin with # or % are comments. Columns are called source, target,
// weight and latency, in this order where no line names them.
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

enum class GraphFormat { kAuto, kGraphMl, kDot, kEdgeList };
enum class DuplicateEdges { kMerge, kError };
enum class MissingCoordinates { kError, kNeighboursMean, kDrop, kIgnore };
enum class LatencyUnit { kSecond, kMillisecond, kMicrosecond };

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

/// Reads and mends the graph; how many agents it is for does not matter. Throws TopologyError, a line that
/// names the file. Memory: a small multiple of the file's size.
Draft read_graph(const GraphFile& options);
inline Draft draw(const GraphFile& options, AgentId, const Streams&) {
  return read_graph(options);
}

template <>
struct Choices<GraphFormat> {
  static constexpr std::array kValues{
      Choice{"auto", "By the file name: .graphml or .xml, .dot or .gv, otherwise an edge list."},
      Choice{"graphml", "GraphML."}, Choice{"dot", "Graphviz DOT."},
      Choice{"edge_list", "Text with one link per line."}};
};
template <>
struct Choices<DuplicateEdges> {
  static constexpr std::array kValues{
      Choice{"merge", "Parallel links become one, with the largest weight and the smallest latency."},
      Choice{"error", "Parallel links are an error."}};
};
template <>
struct Choices<MissingCoordinates> {
  static constexpr std::array kValues{
      Choice{"error", "A node without coordinates is an error, unless no node has coordinates."},
      Choice{"neighbours_mean",
             "The mean of the neighbours' coordinates (on the Earth: of their directions from its centre), "
             "starting with the neighbours of nodes that have coordinates."},
      Choice{"drop", "Nodes without coordinates are removed, with their links."},
      Choice{"ignore", "No coordinates are read."}};
};
template <>
struct Choices<LatencyUnit> {
  static constexpr std::array kValues{Choice{"s", "Seconds."}, Choice{"ms", "Milliseconds."},
                                      Choice{"us", "Microseconds."}};
};

}  // namespace hearsay::sim
