#include "scenarios/study/node_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "models/data/data_facts.hpp"
#include "models/registry.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/point_fit.hpp"
#include "sim/topology/generators/draft.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::scenarios {

namespace {

// By agent. `agents`: nothing where it is not known before the data are read.
Names names_of_graph(const sim::TopologyOptions& topology, std::optional<sim::AgentId> agents) {
  const auto* const file = std::get_if<sim::GraphFile>(&topology.kind());
  if (file == nullptr) return {};
  const sim::GraphOptions& graph = topology.graph();
  const sim::Streams streams(0, 0);  // without effect: no node is drawn
  const auto make = [](auto&& f) { return assemble("/network/topology", f); };
  const sim::AgentId nodes = make([&] {
    sim::Draft all = sim::draw(*file, 0, streams);
    if (graph.connected == sim::Connected::kLargestComponent) sim::keep_largest_component(all);
    return all.nodes;
  });
  const sim::AgentId placed = std::min(agents.value_or(nodes), nodes);
  const auto refuse = [](const char* why) {
    throw std::invalid_argument(fmt::format("expected the number of an agent, because {}", why));
  };
  if (graph.nodes == sim::NodesUsed::kRandom && (!agents || placed < nodes))
    refuse("network.topology.nodes draws the nodes that have agents");
  if (graph.nodes == sim::NodesUsed::kNearest && !agents)
    refuse(
        "network.topology.nodes depends on the number of owners, which is not known before the data are read");
  return make([&] { return sim::make_topology(topology, placed, streams).names(); });
}

}  // namespace

const Names& NodeNames::operator()(const Document& document, const Folders& folders) {
  sim::TopologyOptions topology;
  models::DataOptions data;
  models::ProtocolChoice protocol;
  const auto part = [&](const char* path, const char* pointer, auto& options) {
    const Node* const node = document.root.find_path(path);
    if (node != nullptr && !node->is(Node::Kind::kNull)) read(document, *node, options, folders, pointer);
  };
  part("network.topology", "/network/topology", topology);
  part("data", "/data", data);
  part("protocol", "/protocol", protocol);
  std::optional<sim::AgentId> agents;
  if (const auto owners = models::owners_of(data.kind())) agents = agents_of(*owners, protocol->entry().hub);
  const Node* const written = document.root.find_path("network.topology");
  std::string key =
      fmt::format("{} {}", agents.value_or(0), written == nullptr ? "" : to_json(*written).dump());
  if (key != key_) {
    names_ = names_of_graph(topology, agents);
    key_ = std::move(key);
  }
  return names_;
}

}  // namespace hearsay::scenarios
