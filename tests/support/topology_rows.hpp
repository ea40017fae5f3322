#pragma once
// A graph as lists: the neighbours of each agent.
#include <vector>

#include "sim/topology/topology.hpp"

namespace hearsay::test {

using Row = std::vector<sim::AgentId>;

inline std::vector<Row> rows(const sim::Topology& t) {
  std::vector<Row> all;
  for (sim::AgentId i = 0; i < t.agents(); ++i)
    all.emplace_back(t.neighbours(i).begin(), t.neighbours(i).end());
  return all;
}

}  // namespace hearsay::test
