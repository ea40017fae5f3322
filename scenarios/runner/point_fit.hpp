#pragma once
// Whether the options of a point fit each other, as far as this is known before its data are made.
#include <set>
#include <string>

#include "analysis/metrics/metric.hpp"
#include "models/data/data_set.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::scenarios {

struct Scenario;

/// The scenario with the names of columns of the data replaced by their values. Throws AssemblyError.
Scenario bound(Scenario scenario, const models::DataSet& data);

/// The graph of a repetition for so many agents; `similar` are the links of the data's similarity graph, or null. Throws
/// AssemblyError and TopologyError, also if the protocol needs a hub and the graph has none, or is not connected.
sim::Topology topology_of(const Scenario& scenario, sim::AgentId agents, const sim::WeightedEdges* similar,
                          std::uint32_t repetition);

/// Throws AssemblyError unless the metric can be measured; `tested`: whether there are test records.
void require_measurable(const Scenario& scenario, const analysis::Metric& metric, const std::string& part,
                        bool tested);

/// Checks points before their data are made: the sizes that are drawn, protocol against privacy,
/// metrics and stopping limits, and, where the number of agents is known and the graph is small, the graph and the laws
/// of the network on it. Equal networks are checked once.
class PointFit {
 public:
  /// Throws AssemblyError.
  void require(const Scenario& scenario);

 private:
  void require_network(const Scenario& scenario, sim::AgentId agents);
  std::set<std::string> networks_;  // checked
};

}  // namespace hearsay::scenarios
