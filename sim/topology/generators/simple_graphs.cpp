#include <fmt/format.h>

#include <bit>

#include "sim/topology/generators/generators.hpp"

namespace hearsay::sim {

namespace {

constexpr About kColumns{.name = "columns",
                         .help =
                             "Agents per row, a divisor of their number; by default the largest that does "
                             "not exceed the number of rows.",
                         .min = 1};

AgentId columns_of(const std::optional<AgentId>& wanted, AgentId nodes) {
  if (wanted) {
    if (nodes % *wanted != 0)
      throw TopologyError("expected a divisor of {} agents as columns, found {}", nodes, *wanted);
    return *wanted;
  }
  AgentId columns = 1;
  for (AgentId k = 2; std::uint64_t{k} * k <= nodes; ++k)
    if (nodes % k == 0) columns = k;
  return columns;
}

// Agents in rows and columns, each linked to the next in both; where it wraps, the last to the first too. A circle of two
// has one link, a circle of one none.
Draft lattice(AgentId columns, AgentId rows, bool wraps) {
  Draft d{.nodes = columns * rows};
  for (AgentId r = 0; r < rows; ++r) {
    for (AgentId c = 0; c < columns; ++c) {
      const AgentId at = r * columns + c;
      if (c + 1 < columns || (wraps && columns > 2)) d.edges.push_back({at, r * columns + (c + 1) % columns});
      if (r + 1 < rows || (wraps && rows > 2)) d.edges.push_back({at, (r + 1) % rows * columns + c});
    }
  }
  return d;
}

}  // namespace

Draft draw(const Star&, AgentId nodes, const Streams&) {
  Draft d{.nodes = nodes};
  for (AgentId i = 1; i < nodes; ++i) d.edges.push_back({0, i});
  return d;
}

Draft draw(const Ring&, AgentId nodes, const Streams&) {
  return lattice(nodes, 1, true);
}

std::vector<Edge> complement(AgentId nodes, const std::vector<Edge>& edges) {
  std::vector<Edge> all;
  auto next = edges.begin();
  for (AgentId a = 0; a < nodes; ++a) {
    for (AgentId b = a + 1; b < nodes; ++b) {
      if (next != edges.end() && next->a == a && next->b == b) {
        ++next;
      } else {
        all.push_back({a, b});
      }
    }
  }
  return all;
}

Draft draw(const Complete&, AgentId nodes, const Streams&) {
  require_edges_fit(nodes * (std::uint64_t{nodes} - 1) / 2);
  return {.nodes = nodes, .edges = complement(nodes, {})};
}

void Grid::describe(Visitor& v) {
  v(columns, kColumns);
}
void Torus::describe(Visitor& v) {
  v(columns, kColumns);
}

Draft draw(const Grid& options, AgentId nodes, const Streams&) {
  const AgentId columns = columns_of(options.columns, nodes);
  return lattice(columns, nodes / columns, false);
}

Draft draw(const Torus& options, AgentId nodes, const Streams&) {
  const AgentId columns = columns_of(options.columns, nodes);
  return lattice(columns, nodes / columns, true);
}

void Hypercube::describe(Visitor& v) {
  v(dimension,
    {.name = "dimension",
     .help = "Dimension d of the hypercube, which has 2^d agents; by default that of their number.",
     .min = 1,
     .max = 31});
}

Draft draw(const Hypercube& options, AgentId nodes, const Streams&) {
  const std::uint32_t dimension = options.dimension.value_or(std::bit_width(nodes) - 1);
  if (nodes != AgentId{1} << dimension) {
    throw TopologyError(
        "expected {} agents in a hypercube, found {}",
        options.dimension ? fmt::format("2^{} = {}", dimension, AgentId{1} << dimension) : "2^d", nodes);
  }
  require_edges_fit(std::uint64_t{nodes} * dimension / 2);
  Draft d{.nodes = nodes};
  for (AgentId i = 0; i < nodes; ++i) {
    for (AgentId bit = 1; bit < nodes; bit *= 2)
      if ((i & bit) == 0) d.edges.push_back({i, i | bit});
  }
  return d;
}

}  // namespace hearsay::sim
