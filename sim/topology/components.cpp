#include "sim/topology/components.hpp"

#include <boost/pending/disjoint_sets.hpp>

#include <algorithm>

namespace hearsay::sim {

std::vector<AgentId> connected_components(AgentId nodes, std::span<const Edge> edges) {
  boost::disjoint_sets_with_storage<> sets(nodes);
  for (const Edge& e : edges) sets.union_set(e.a, e.b);
  std::vector<AgentId> first(nodes, kMaxAgents), component(nodes);
  for (AgentId i = 0; i < nodes; ++i) {
    AgentId& smallest = first[sets.find_set(i)];
    smallest = std::min(smallest, i);
    component[i] = smallest;
  }
  return component;
}

}  // namespace hearsay::sim
