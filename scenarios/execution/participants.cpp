// The owners and the network of a point, as its results describe them.
#include <cmath>
#include <variant>

#include "models/learning/networks/parameter_names.hpp"
#include "scenarios/execution/experiment.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "sim/files/whole_number.hpp"
#include "sim/network/network.hpp"

namespace hearsay::scenarios {

namespace {

// The same latencies with the mean in place of what is drawn for each message.
sim::LatencyOptions mean_latency(const sim::LatencyOptions& options) {
  if (!options.known() && options.drawn != sim::Drawn::kPerMessage) return options;
  sim::LatencyOptions mean = options;
  if (auto* by_agent = std::get_if<sim::LatencyByAgent>(&mean.law)) {
    by_agent->otherwise = by_agent->otherwise.mean();
    for (auto& [agent, law] : by_agent->agents) law = law.mean();
    return mean;
  }
  if (!options.known()) return options.random_part().mean();
  std::visit(
      [](auto& law) {
        if constexpr (requires { law.plus; }) law.plus = sim::Distribution(law.plus.mean());
      },
      mean.law);
  return mean;
}

// Whether owners have names in the data, not numbers that they are given here.
bool names_owners(const models::DataOptions& data) {
  if (const auto* csv = std::get_if<models::CsvData>(&data.kind()))
    return !csv->owner || std::holds_alternative<models::OwnerColumn>(*csv->owner);
  const auto* ratings = std::get_if<models::MovieLens>(&data.kind());
  return ratings != nullptr && ratings->path;
}

}  // namespace

// That in the data, else that of the node in a graph file, else a number.
std::string Experiment::owner_name(std::size_t owner) const {
  const std::vector<std::string>&in_data = solved_->problem.data().owner_names, &nodes = topology_.names();
  const std::size_t agent = owner + (hub_ ? 1 : 0);
  const bool numbered = agent >= nodes.size() || sim::whole_number<std::uint64_t>(nodes[agent]);
  if (!numbered && !nodes[agent].empty() && !names_owners(scenario_.data)) return nodes[agent];
  return owner < in_data.size() ? in_data[owner] : "";
}

std::vector<std::string> Experiment::agent_names() const {
  std::vector<std::string> names(hub_ ? 1 : 0, "learner");
  for (std::size_t owner = 0; owner < solved_->problem.owners(); ++owner) names.push_back(owner_name(owner));
  return names;
}

analysis::Participants Experiment::participants() const {
  analysis::Participants all;
  const models::Problem& problem = solved_->problem;
  const models::DataSet& data = problem.data();
  for (std::size_t owner = 0; owner < problem.owners(); ++owner) {
    analysis::OwnerFacts& facts = all.owners.emplace_back();
    facts.name = owner_name(owner);
    facts.records = static_cast<std::uint64_t>(data.train[owner].target.size());
    if (owner < data.test.size())
      facts.test_records = static_cast<std::uint64_t>(data.test[owner].target.size());
    facts.hostile = hostile_ && hostile_->is(static_cast<sim::AgentId>(owner) + (hub_ ? 1 : 0));
    if (!privacy_.active() || privacy_.by_turn()) continue;
    facts.epsilon = privacy_.epsilon[owner];
    facts.delta = privacy_.delta;
  }
  if (const auto learner = scenario_.protocol->learner()) all.owners.at(*learner - 1).learner = true;
  const nlohmann::ordered_json protocol = write_all(scenario_.protocol);
  if (const auto groups = protocol.find("groups"); groups != protocol.end()) {
    for (std::uint32_t number = 1; const auto& group : *groups) {
      for (const auto& member : group) all.owners.at(member.get<std::size_t>() - 1).group = number;
      ++number;
    }
  }
  if (scenario_.record.models == KeptModels::kFinal) all.parameters = models::parameter_names(problem);
  if (topology_.edges() > analysis::kMaxStoredLinks || topology_.agents() > analysis::kMaxStoredLinks)
    return all;

  const sim::LinkOptions& given = scenario_.network.links;
  const sim::LinkOptions mean{.latency = mean_latency(given.latency),
                              .delayed_direction = given.delayed_direction};
  const sim::Links links(mean, topology_, sim::Streams(scenario_.seed, 0), hub_ ? 0 : sim::kNoAgent,
                         *engine_.files);
  const auto one_way = [&](sim::AgentId from, sim::AgentId to) {
    return links.latency(from, to, topology_.edge(from, to), 0);
  };
  const auto& places = topology_.places();
  analysis::NetworkGraph& network = all.network;
  network.geographic = !places.empty() && places.front().geographic;
  for (sim::AgentId i = 0; i < topology_.agents(); ++i) {
    analysis::NetworkGraph::Node& node = network.nodes.emplace_back();
    if (!topology_.names().empty()) node.name = topology_.names()[i];
    if (!places.empty()) node.x = places[i].x, node.y = places[i].y;
    for (const sim::AgentId j : topology_.neighbours(i)) {
      if (j < i) continue;
      const sim::EdgePosition position = topology_.edge(i, j);
      auto& link = network.links.emplace_back(
          analysis::NetworkGraph::Link{.source = i, .target = j, .weight = topology_.weight(position)});
      link.latency = one_way(i, j);
      link.return_latency = one_way(j, i);
      if (!topology_.length().empty()) {
        link.length = topology_.length()[position];
      } else if (!places.empty()) {
        link.length = sim::distance(places[i], places[j]);
      }
    }
  }
  return all;
}

}  // namespace hearsay::scenarios
