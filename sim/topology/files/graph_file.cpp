#include "sim/topology/files/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include "sim/files/csv_table.hpp"
#include "sim/files/text.hpp"
#include "sim/topology/files/raw_graph.hpp"

namespace hearsay::sim {

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

GraphFormat format_of(const GraphFile& o) {
  if (o.format != GraphFormat::kAuto) return o.format;
  const std::string ending = std::filesystem::path(o.path.path).extension().string();
  if (same_name(ending, ".graphml") || same_name(ending, ".xml")) return GraphFormat::kGraphMl;
  if (same_name(ending, ".dot") || same_name(ending, ".gv")) return GraphFormat::kDot;
  return GraphFormat::kEdgeList;
}

RawGraph parse(const GraphFile& o) {
  std::ifstream in(o.path.resolved, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw TopologyError("cannot be read");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte order mark is no part of a name
  if (const std::size_t bad = find_not_utf8(text); bad != text.npos)
    throw TopologyError("line {}: {}",
                        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n'),
                        file_not_utf8(text, bad));
  const GraphFormat format = format_of(o);
  if (format == GraphFormat::kEdgeList) return read_edge_list(text, o);
  const bool graphml = format == GraphFormat::kGraphMl;
  try {
    return graphml ? read_graphml(text, o) : read_dot(text, o);
  } catch (const TopologyError&) {
    throw;
  } catch (const std::exception& e) {
    throw TopologyError("is not {}: {}", graphml ? "GraphML" : "DOT", one_line(e.what()));
  }
}

double number_of(const std::string& text, const std::string& whose, std::string_view what, double bound) {
  const std::optional<double> value = parse_number(text);
  if (!value) throw TopologyError("{}: expected a number as {}, found '{}'", whose, what, one_line(text));
  if (std::abs(*value) > bound)
    throw TopologyError("{}: expected {} in [-{}, {}], found {}", whose, what, bound, bound, *value);
  return *value;
}

std::optional<Place> place_of(const RawNode& node) {
  const std::string whose = fmt::format("node '{}'", node.name);
  const auto place = [&](const std::string& x, std::string_view x_name, double x_bound, const std::string& y,
                         std::string_view y_name, double y_bound) -> std::optional<Place> {
    if (x.empty() && y.empty()) return std::nullopt;
    if (x.empty()) throw TopologyError("{}: has a {} and no {}", whose, y_name, x_name);
    if (y.empty()) throw TopologyError("{}: has a {} and no {}", whose, x_name, y_name);
    return Place{number_of(x, whose, x_name, x_bound), number_of(y, whose, y_name, y_bound)};
  };
  if (auto on_earth = place(node.longitude, "Longitude", 180, node.latitude, "Latitude", 90)) {
    on_earth->geographic = true;
    return on_earth;
  }
  return place(node.x, "x", kUnbounded, node.y, "y", kUnbounded);
}

// The values of one attribute: of all edges, or empty if no edge has it.
std::vector<double> values_of(const RawGraph& raw, const Draft& d, std::string RawEdge::*attribute,
                              const std::string& name, bool required) {
  const auto missing = [&](const RawEdge& e) { return (e.*attribute).empty(); };
  std::vector<double> all;
  if (std::ranges::all_of(raw.edges, missing)) {
    if (required) throw TopologyError("no link has the attribute '{}'", one_line(name));
    return all;
  }
  for (const RawEdge& e : raw.edges) {
    const std::string whose = fmt::format("link {} - {}", d.called(e.a), d.called(e.b));
    if (missing(e)) throw TopologyError("{}: has no {}, which other links have", whose, name);
    all.push_back(number_of(e.*attribute, whose, name, kUnbounded));
    if (all.back() < 0)
      throw TopologyError("{}: expected {} of at least 0, found {}", whose, name, all.back());
  }
  return all;
}

Draft draft_of(RawGraph&& raw, const GraphFile& o) {
  if (raw.nodes.size() >= kMaxAgents)
    throw TopologyError("expected at most {} nodes, found {}", kMaxAgents - 1, raw.nodes.size());
  Draft d{.nodes = static_cast<AgentId>(raw.nodes.size())};
  if (d.nodes == 0) throw TopologyError("has no nodes");
  std::vector<std::optional<Place>> places;
  for (RawNode& n : raw.nodes) {
    if (o.missing_coordinates != MissingCoordinates::kIgnore) places.push_back(place_of(n));
    d.names.push_back(std::move(n.name));
  }
  for (const RawEdge& e : raw.edges) {
    if (e.a == e.b) throw TopologyError("{} is linked to itself", d.called(e.a));
    d.edges.push_back({e.a, e.b});
  }
  const GraphFile defaults;
  d.weight = values_of(raw, d, &RawEdge::weight, o.weight, o.weight != defaults.weight);
  d.latency = values_of(raw, d, &RawEdge::latency, o.latency, o.latency != defaults.latency);
  constexpr double kSeconds[] = {1, 1e-3, 1e-6};  // in the order of LatencyUnit
  for (double& latency : d.latency) latency *= kSeconds[static_cast<std::size_t>(o.latency_unit)];

  if (o.duplicate_edges == DuplicateEdges::kError) {
    std::vector<Edge> sorted;
    for (const Edge& e : d.edges) sorted.push_back({std::min(e.a, e.b), std::max(e.a, e.b)});
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      throw TopologyError("{} and {} are linked more than once: set duplicate_edges to merge",
                          d.called(twice->a), d.called(twice->b));
  }
  const std::size_t before = d.edges.size();
  if (const std::size_t merged = merge_duplicates(d); merged > 0)
    d.notes.push_back(
        fmt::format("{} of {} links are parallel to another one and are merged", merged, before));
  settle_places(d, std::move(places), o.missing_coordinates);
  return d;
}

}  // namespace

void GraphFile::describe(Visitor& v) {
  v(path, {.name = "path", .help = "Path of the file.", .required = true});
  v(format, {.name = "format", .help = "Format of the file."});
  v(duplicate_edges, {.name = "duplicate_edges", .help = "Handling of parallel links."});
  v(missing_coordinates, {.name = "missing_coordinates",
                          .help = "Handling of nodes without coordinates, if other nodes have them."});
  v(weight, {.name = "weight", .help = "Name of the attribute or column that holds a link's weight."});
  v(latency, {.name = "latency", .help = "Name of the attribute or column that holds a link's latency."});
  v(latency_unit, {.name = "latency_unit", .help = "Unit of the latencies in the file."});
}

Draft draw(const GraphFile& options, AgentId, const Streams&) {
  try {
    return draft_of(parse(options), options);
  } catch (const TopologyError& e) {
    throw TopologyError("{}: {}", one_line(options.path.path), e.what());
  }
}

}  // namespace hearsay::sim
