#pragma once
// Graphs of one formula.
#include <optional>

#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

/// The hub is agent 0, so that adding an owner renames no agent.
struct Star {
  static constexpr std::string_view kName = "star";
  static constexpr std::string_view kHelp = "Agent 0 is linked to every other agent.";
  void describe(Visitor&) {}
};
Draft draw(const Star&, AgentId nodes, const Streams&);

struct Ring {
  static constexpr std::string_view kName = "ring";
  static constexpr std::string_view kHelp = "Each agent is linked to the next, the last to the first.";
  void describe(Visitor&) {}
};
Draft draw(const Ring&, AgentId nodes, const Streams&);

struct Complete {
  static constexpr std::string_view kName = "complete";
  static constexpr std::string_view kHelp = "Each pair of agents is linked.";
  void describe(Visitor&) {}
};
/// O(nodes^2).
Draft draw(const Complete&, AgentId nodes, const Streams&);

/// Agent row * columns + column lies in a row and a column. Grid: n agents have 2n - rows - columns links.
struct Grid {
  static constexpr std::string_view kName = "grid";
  static constexpr std::string_view kHelp =
      "Agents in rows and columns, each linked to its neighbours in row and column.";
  std::optional<AgentId> columns;  ///< must divide the number of agents
  void describe(Visitor& v);
};
Draft draw(const Grid& options, AgentId nodes, const Streams&);

/// Degree 4 where rows and columns are at least 3.
struct Torus {
  static constexpr std::string_view kName = "torus";
  static constexpr std::string_view kHelp =
      "Grid in which the first and last rows, and the first and last columns, are linked too.";
  std::optional<AgentId> columns;
  void describe(Visitor& v);
};
Draft draw(const Torus& options, AgentId nodes, const Streams&);

/// Every pair that is not in `edges`, whose ends ascend and which are ordered.
std::vector<Edge> complement(AgentId nodes, const std::vector<Edge>& edges);

}  // namespace hearsay::sim
