#include "sim/topology/files/raw_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace hearsay::sim {

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, 80));
  // A character is not cut in two.
  while (line.size() < text.size() && !line.empty() && (line.back() & 0xC0) == 0x80) line.pop_back();
  if (line.size() < text.size() && !line.empty() && (line.back() & 0x80) != 0) line.pop_back();
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return line;
}

bool take_attribute(RawNode& node, std::string_view name, const std::string& value) {
  const auto is = [&](std::string_view one, std::string_view other) {
    return same_name(name, one) || (!other.empty() && same_name(name, other));
  };
  if (is("longitude", "lon")) {
    node.longitude = value;
  } else if (is("latitude", "lat")) {
    node.latitude = value;
  } else if (is("x", "")) {
    node.x = value;
  } else if (is("y", "")) {
    node.y = value;
  } else {
    return false;
  }
  return true;
}

bool take_attribute(RawEdge& edge, std::string_view name, const std::string& value,
                    const GraphFile& options) {
  if (same_name(name, options.weight)) {
    edge.weight = value;
  } else if (same_name(name, options.latency)) {
    edge.latency = value;
  } else {
    return false;
  }
  return true;
}

void require_shallow(std::size_t depth) {
  if (depth > 100) throw TopologyError("must nest at most 100 deep");
}

void sort_by_name(RawGraph& graph) {
  std::vector<std::optional<std::uint64_t>> value;
  for (const RawNode& n : graph.nodes) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(n.name.data(), n.name.data() + n.name.size(), number);
    const bool whole = error == std::errc() && end == n.name.data() + n.name.size();
    value.push_back(whole ? std::optional(number) : std::nullopt);
  }
  const bool numbers = std::all_of(value.begin(), value.end(), [](const auto& v) { return v.has_value(); });
  std::vector<AgentId> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), AgentId{0});
  std::sort(order.begin(), order.end(), [&](AgentId a, AgentId b) {
    if (numbers && value[a] != value[b]) return value[a] < value[b];
    return graph.nodes[a].name < graph.nodes[b].name;
  });
  std::vector<AgentId> rank(order.size());
  std::vector<RawNode> nodes;
  for (AgentId k = 0; k < order.size(); ++k) {
    rank[order[k]] = k;
    nodes.push_back(std::move(graph.nodes[order[k]]));
  }
  graph.nodes = std::move(nodes);
  for (RawEdge& e : graph.edges) {
    e.a = rank[e.a];
    e.b = rank[e.b];
  }
}

}  // namespace hearsay::sim
