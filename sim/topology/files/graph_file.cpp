#include "sim/topology/files/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "sim/topology/coordinates.hpp"
#include "sim/topology/files/raw_graph.hpp"

namespace hearsay::sim {

namespace {

GraphFormat format_of(const GraphFile& o) {
  if (o.format != GraphFormat::kAuto) return o.format;
  const std::string ending = std::filesystem::path(o.path.path).extension().string();
  if (same_name(ending, ".graphml") || same_name(ending, ".xml")) return GraphFormat::kGraphMl;
  if (same_name(ending, ".dot") || same_name(ending, ".gv")) return GraphFormat::kDot;
  return GraphFormat::kEdgeList;
}

RawGraph parse(const GraphFile& o) {
  std::ifstream in(o.path.resolved, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw TopologyError("can not be read");
  const GraphFormat format = format_of(o);
  const auto is_wrong = [](std::string_view kind, const std::exception& e) {
    return TopologyError(fmt::format("is not {}: {}", kind, one_line(e.what())));
  };
  switch (format) {
    case GraphFormat::kGraphMl:
      try {
        return read_graphml(text, o);
      } catch (const TopologyError&) {
        throw;
      } catch (const std::exception& e) {
        throw is_wrong("GraphML", e);
      }
    case GraphFormat::kDot:
      try {
        return read_dot(text, o);
      } catch (const TopologyError&) {
        throw;
      } catch (const std::exception& e) {
        throw is_wrong("DOT", e);
      }
    case GraphFormat::kEdgeList:
    case GraphFormat::kAuto:
      break;
  }
  return read_edge_list(text, o);
}

double number_of(const std::string& text, const std::string& whose, std::string_view what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    throw TopologyError(fmt::format("{}: {} must be a number, got '{}'", whose, what, one_line(text)));
  return value;
}

double number_within(const std::string& text, const std::string& whose, std::string_view what, double bound) {
  const double value = number_of(text, whose, what);
  if (std::abs(value) > bound)
    throw TopologyError(fmt::format("{}: {} must be in [-{}, {}], got {}", whose, what, bound, bound, value));
  return value;
}

std::optional<Place> place_of(const RawNode& node) {
  const std::string whose = fmt::format("node '{}'", node.name);
  const auto pair = [&](const std::string& first, std::string_view first_name, const std::string& second,
                        std::string_view second_name) {
    if (first.empty() != second.empty()) {
      throw TopologyError(fmt::format("{}: has a {} and no {}", whose,
                                      first.empty() ? second_name : first_name,
                                      first.empty() ? first_name : second_name));
    }
    return !first.empty();
  };
  if (pair(node.longitude, "Longitude", node.latitude, "Latitude")) {
    return Place{number_within(node.longitude, whose, "Longitude", 180),
                 number_within(node.latitude, whose, "Latitude", 90), true};
  }
  if (pair(node.x, "x", node.y, "y"))
    return Place{number_of(node.x, whose, "x"), number_of(node.y, whose, "y")};
  return std::nullopt;
}

double in_seconds(LatencyUnit unit) {
  switch (unit) {
    case LatencyUnit::kSecond:
      return 1;
    case LatencyUnit::kMillisecond:
      return 1e-3;
    case LatencyUnit::kMicrosecond:
      return 1e-6;
  }
  return 1;
}

// The numbers of one attribute of all edges: all have it, or none has.
std::vector<double> values_of(const RawGraph& raw, const Draft& d, std::string RawEdge::*attribute,
                              const std::string& name, bool named) {
  std::vector<double> all;
  for (std::size_t k = 0; k < raw.edges.size(); ++k) {
    const RawEdge& e = raw.edges[k];
    const std::string whose = fmt::format("link {} - {}", d.called(e.a), d.called(e.b));
    if ((e.*attribute).empty()) {
      if (all.empty()) continue;
      throw TopologyError(fmt::format("{}: has no {}, which other links have", whose, name));
    }
    if (all.size() < k) {
      const RawEdge& f = raw.edges[0];
      throw TopologyError(
          fmt::format("link {} - {}: has no {}, which other links have", d.called(f.a), d.called(f.b), name));
    }
    all.push_back(number_of(e.*attribute, whose, name));
    if (all.back() < 0)
      throw TopologyError(fmt::format("{}: {} must be at least 0, got {}", whose, name, all.back()));
  }
  if (named && all.empty())
    throw TopologyError(fmt::format("no link has the attribute '{}'", one_line(name)));
  return all;
}

Draft draft_of(RawGraph&& raw, const GraphFile& o) {
  if (raw.nodes.size() >= kMaxAgents) throw TopologyError(fmt::format("at most {} nodes", kMaxAgents - 1));
  Draft d{.nodes = static_cast<AgentId>(raw.nodes.size())};
  if (d.nodes == 0) throw TopologyError("has no nodes");
  std::vector<std::optional<Place>> places;
  for (RawNode& n : raw.nodes) {
    if (o.missing_coordinates != MissingCoordinates::kIgnore) places.push_back(place_of(n));
    d.names.push_back(std::move(n.name));
  }
  for (const RawEdge& e : raw.edges) {
    if (e.a == e.b) throw TopologyError(fmt::format("{} is linked to itself", d.called(e.a)));
    d.edges.push_back({e.a, e.b});
  }
  const GraphFile defaults;
  d.weight = values_of(raw, d, &RawEdge::weight, o.weight, o.weight != defaults.weight);
  d.latency = values_of(raw, d, &RawEdge::latency, o.latency, o.latency != defaults.latency);
  for (double& latency : d.latency) latency *= in_seconds(o.latency_unit);

  const std::vector<Edge> before = d.edges;
  if (const std::size_t repeated = merge_duplicates(d); repeated > 0) {
    if (o.duplicate_edges == DuplicateEdges::kError) {
      std::vector<Edge> sorted = before;
      const auto key = [](const Edge& e) { return std::pair(std::min(e.a, e.b), std::max(e.a, e.b)); };
      std::sort(sorted.begin(), sorted.end(), [&](const Edge& x, const Edge& y) { return key(x) < key(y); });
      const auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                            [&](const Edge& x, const Edge& y) { return key(x) == key(y); });
      throw TopologyError(fmt::format("{} and {} are linked more than once: set duplicate_edges to merge",
                                      d.called(twice->a), d.called(twice->b)));
    }
    d.notes.push_back(fmt::format("{} of {} links lie beside another one and were merged with it", repeated,
                                  before.size()));
  }
  settle_places(d, places, o.missing_coordinates);
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

Draft read_graph(const GraphFile& options) {
  try {
    return draft_of(parse(options), options);
  } catch (const TopologyError& e) {
    throw TopologyError(fmt::format("{}: {}", one_line(options.path.path), e.what()));
  }
}

}  // namespace hearsay::sim
