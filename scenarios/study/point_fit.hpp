#pragma once
// Whether the options of a point fit each other, as far as this is known before its data are made.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "models/data/data_facts.hpp"
#include "models/run/world.hpp"
#include "sim/engine/engine.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::scenarios {

struct Scenario;

/// The scenario with the names of columns of the data replaced by their values. Throws sim::OptionError.
Scenario bound(Scenario scenario, const models::DataSet& data);

inline sim::AgentId agents_of(std::size_t owners, bool hub) {
  return static_cast<sim::AgentId>(std::min<std::size_t>(owners + (hub ? 1 : 0), sim::kMaxAgents));
}

/// The graph of a repetition for so many agents; `similar` are the links of the data's similarity graph, or null. Throws
/// OptionError and TopologyError, also if the protocol needs a hub and the graph has none, or is not connected.
sim::Topology topology_of(const Scenario& scenario, sim::AgentId agents, const sim::WeightedEdges* similar,
                          std::uint32_t repetition);

/// Throws sim::OptionError unless the metrics that it names can be measured; `tested`: whether there are test records.
void require_measurable(const Scenario& scenario, bool tested);

/// Throws sim::OptionError if the trace is of this point and of an agent that is not there.
void require_traced_agent(const Scenario& scenario, std::size_t point, sim::AgentId agents);

models::StopLimits stop_limits(const Scenario& scenario);

/// The budget of a point as far as it is settled before its data are made. Throws sim::OptionError.
models::Budget settled_budget(const Scenario& scenario);

/// Of all files that it names.
double file_bytes(const Scenario& scenario);

/// Number of parameters of a model.
double parameters_of(const models::ModelOptions& model, const models::DataSize& data);

/// Checks points before their data are made: all that a run refuses for its options alone. Where the number of agents is
/// known and the graph is small, that includes the graph and the laws of the network on it; else what is refused for any
/// number of agents.
class PointFit {
 public:
  /// `point`: its number in the study. `goes_on`: it is the past of a branch, whose timeouts are checked with the
  /// branch. Throws sim::OptionError.
  void require(const Scenario& scenario, std::size_t point, bool goes_on = false);

 private:
  /// A network on which all its laws fit; equal ones are made once. In place of the similarity graph of the data there
  /// are all links.
  struct Network {
    sim::Topology topology;
    sim::Engine::Options options;
  };
  const Network* network_of(const Scenario& scenario, sim::AgentId agents);
  void require_assembled(const Scenario& scenario, const std::optional<models::DataSize>& data,
                         std::optional<std::size_t> owners, bool goes_on);
  std::map<std::string, Network> networks_;  // the last that were asked for
};

}  // namespace hearsay::scenarios
