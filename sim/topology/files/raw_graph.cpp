#include "sim/topology/files/raw_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/files/whole_number.hpp"

namespace hearsay::sim {

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, 80));
  // UTF-8 characters are not split.
  while (line.size() < text.size() && !line.empty() && (line.back() & 0xC0) == 0x80) line.pop_back();
  if (line.size() < text.size() && !line.empty() && (line.back() & 0x80) != 0) line.pop_back();
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return line;
}

bool take_attribute(RawNode& node, std::string_view name, const std::string& value) {
  static constexpr std::pair<std::string_view, std::string RawNode::*> kKnown[] = {
      {"longitude", &RawNode::longitude}, {"lon", &RawNode::longitude}, {"latitude", &RawNode::latitude},
      {"lat", &RawNode::latitude},        {"x", &RawNode::x},           {"y", &RawNode::y}};
  for (const auto& [known, field] : kKnown) {
    if (!same_name(name, known)) continue;
    node.*field = value;
    return true;
  }
  return false;
}

void take_attribute(RawEdge& edge, std::string_view name, const std::string& value,
                    const GraphFile& options) {
  if (same_name(name, options.weight)) {
    edge.weight = value;
  } else if (same_name(name, options.latency)) {
    edge.latency = value;
  }
}

void require_shallow(std::size_t depth) {
  if (depth > 100) throw TopologyError("expected nesting of at most 100 levels");
}

void sort_by_name(RawGraph& graph) {
  std::vector<std::uint64_t> value;
  for (const RawNode& n : graph.nodes) {
    if (const auto number = whole_number<std::uint64_t>(n.name)) value.push_back(*number);
  }
  const bool numbers = value.size() == graph.nodes.size();
  std::vector<AgentId> order(graph.nodes.size()), rank(order.size());
  std::iota(order.begin(), order.end(), AgentId{0});
  std::sort(order.begin(), order.end(), [&](AgentId a, AgentId b) {
    if (numbers && value[a] != value[b]) return value[a] < value[b];
    return graph.nodes[a].name < graph.nodes[b].name;
  });
  std::vector<RawNode> nodes;
  for (AgentId k = 0; k < order.size(); ++k) {
    rank[order[k]] = k;
    nodes.push_back(std::move(graph.nodes[order[k]]));
  }
  graph.nodes = std::move(nodes);
  for (RawEdge& e : graph.edges) e.a = rank[e.a], e.b = rank[e.b];
}

}  // namespace hearsay::sim
