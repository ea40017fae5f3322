#include "models/hostile/hostile_agents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/betweenness_centrality.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "models/algebra/dense.hpp"
#include "sim/check.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

namespace {

using sim::AgentId;

std::vector<double> betweenness(const sim::Topology& topology) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> graph(topology.agents());
  for (AgentId i = 0; i < topology.agents(); ++i)
    for (const AgentId j : topology.neighbours(i))
      if (i < j) boost::add_edge(i, j, graph);
  std::vector<double> values(topology.agents());
  boost::brandes_betweenness_centrality(
      graph, boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, graph)));
  return values;
}

// All agents from `first` on, in the order in which they become hostile.
std::vector<AgentId> ranked(ChosenBy by, const sim::Topology& topology, AgentId first,
                            const sim::Streams& streams) {
  std::vector<AgentId> order(topology.agents() - first);
  std::iota(order.begin(), order.end(), first);
  if (by == ChosenBy::kRandom) {
    sim::Stream stream = streams(sim::Purpose::kHostile, 0, 0, 0);
    for (std::size_t k = 0; k < order.size(); ++k)
      std::swap(order[k], order[k + sim::uniform_index(stream, order.size() - k)]);
    return order;
  }
  std::vector<double> values(topology.agents());
  for (AgentId i = 0; i < topology.agents(); ++i) values[i] = topology.degree(i);
  if (by == ChosenBy::kBetweenness) values = betweenness(topology);
  std::ranges::stable_sort(order, std::greater(), [&](AgentId i) { return values[i]; });
  return order;
}

Eigen::VectorXd slowest_of(const sim::Topology& topology, const HostileAgents& agents) {
  constexpr Eigen::Index kMost = 2000;
  std::vector<Eigen::Index> place(topology.agents(), -1);
  Eigen::Index n = 0;
  for (AgentId i = 0; i < topology.agents(); ++i)
    if (!agents.is(i)) place[i] = n++;
  if (n < 2 || n > kMost)
    throw sim::OptionError("behaviour", "expected 2 to {} honest agents with spectral, found {}", kMost, n);
  Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(n, n);
  for (AgentId i = 0; i < topology.agents(); ++i) {
    for (const AgentId j : topology.neighbours(i)) {
      if (place[i] < 0 || place[j] < 0) continue;
      laplacian(place[i], place[i]) += 1;
      laplacian(place[i], place[j]) = -1;
    }
  }
  SymmetricEigen eigen(n);
  eigen.compute(laplacian);
  Eigen::VectorXd e = Eigen::VectorXd::Zero(topology.agents());
  for (AgentId i = 0; i < topology.agents(); ++i)
    if (place[i] >= 0) e[i] = eigen.vectors()(place[i], 1);
  return e;
}

}  // namespace

bool HostileGroup::reads_others() const {
  const auto* const flip = std::get_if<SignFlip>(&behaviour);
  return (flip != nullptr && !flip->own) || std::holds_alternative<InnerProduct>(behaviour) ||
         std::holds_alternative<ALittle>(behaviour) || std::holds_alternative<Mimic>(behaviour) ||
         reads_models();
}

bool HostileGroup::reads_models() const {
  return std::holds_alternative<Dissensus>(behaviour) || std::holds_alternative<Spectral>(behaviour);
}

bool HostileGroup::repeats() const {
  const auto* const rider = std::get_if<FreeRider>(&behaviour);
  return std::holds_alternative<ReplayOld>(behaviour) || (rider != nullptr && rider->sends == Ridden::kOld);
}

void HostileGroup::describe(sim::Visitor& v) {
  v(agents, {.name = "agents", .help = "Who they are.", .noun = sim::kAgentNumber});
  v(share,
    {.name = "share",
     .help = "Share of the agents that hold data and are not the learner, rounded, in place of `agents`.",
     .min = 0,
     .max = 1});
  v(by, {.name = "by", .help = "Which agents a share consists of."});
  v(behaviour,
    {.name = "behaviour", .help = "What they send in place of what their protocol says.", .required = true});
  v(omniscient,
    {.name = "omniscient",
     .help =
         "Whether they know the newest vectors of all honest agents when a message of theirs arrives, also those that are "
         "still being computed, else what each has received when it sends."});
  v(from, {.name = "from", .help = "When that begins.", .unit = "s", .min = 0});
  v(to, {.name = "to", .help = "When it ends; by default with the run.", .unit = "s", .min = 0});
  v.check(agents.has_value() != share.has_value(), "", "give exactly one of agents and share");
  v.check(!to || *to > from, "to", "expected a time after from");
}

std::vector<HostileGroup> groups_of(const HostileOptions& options) {
  if (const auto* one = std::get_if<HostileGroup>(&options)) return {*one};
  if (const auto* several = std::get_if<HostileGroups>(&options)) return several->of;
  return {};
}

std::string place_of(const HostileOptions& options, std::size_t group) {
  return std::holds_alternative<HostileGroups>(options) ? fmt::format("{}/", group) : "";
}

bool HostileAgents::any_flips_labels() const {
  return std::ranges::any_of(groups_,
                             [](const auto& g) { return std::holds_alternative<LabelFlip>(g.behaviour); });
}

void require_targets(const HostileOptions& options, bool classes) {
  const std::vector<HostileGroup> groups = groups_of(options);
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    if (std::holds_alternative<LabelFlip>(groups[g].behaviour) && !classes)
      throw sim::OptionError(place_of(options, g) + "behaviour",
                             "expected data with classes with label_flip, found numbers");
}

HostileAgents::HostileAgents(const HostileOptions& options, const sim::Topology& topology, AgentId first,
                             bool classes, const sim::Streams& streams, std::optional<AgentId> learner)
    : groups_(hearsay::models::groups_of(options)), groups_of_(topology.agents()), topology_(topology) {
  require_targets(options, classes);
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const HostileGroup& group = groups_[g];
    const std::string place = place_of(options, g);
    std::vector<AgentId> chosen;
    if (group.agents) {
      chosen = *group.agents;
    } else {
      chosen = ranked(group.by, topology, first, streams);
      if (learner) std::erase(chosen, *learner);
      chosen.resize(static_cast<std::size_t>(std::lround(*group.share * static_cast<double>(chosen.size()))));
    }
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (chosen[k] < first || chosen[k] >= topology.agents())
        throw sim::OptionError(fmt::format("{}agents/{}", place, k),
                               "expected an agent that holds data, from {} to {}, found {}", first,
                               topology.agents() - 1, chosen[k]);
      if (chosen[k] == learner)
        throw sim::OptionError(fmt::format("{}agents/{}", place, k),
                               "agent {} is the learner, which is never hostile: choose another agent than "
                               "protocol.learner_is_owner",
                               chosen[k]);
      if (std::vector<std::uint32_t>& of = groups_of_[chosen[k]]; of.empty() || of.back() != g)
        of.push_back(g);
    }
  }
  for (AgentId i = 0; i < topology.agents(); ++i) count_ += is(i) ? 1 : 0;
  if (count_ == topology.agents() - first && first == 0)
    throw sim::OptionError("", "expected at least one honest agent, found none");
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::string place = place_of(options, g) + "behaviour";
    const auto* const mimic = std::get_if<Mimic>(&groups_[g].behaviour);
    if (mimic != nullptr && mimic->of &&
        (*mimic->of < first || *mimic->of >= topology.agents() || is(*mimic->of)))
      throw sim::OptionError(place + "/of", "expected an honest agent that holds data, found {}", *mimic->of);
    const auto* const little = std::get_if<ALittle>(&groups_[g].behaviour);
    if (little == nullptr || little->tau) continue;
    const double n = topology.agents() - first, f = count_, q = std::floor(n / 2 + 1) - f;
    const double at = (n - f - q) / (n - f);
    if (!(at > 0 && at < 1))
      throw sim::OptionError(place, "a_little has no default for {} hostile agents of {}: set tau", f, n);
    hiding_quantile_ = boost::math::quantile(boost::math::normal(), at);
  }
  if (std::ranges::any_of(groups_,
                          [](const auto& g) { return std::holds_alternative<Spectral>(g.behaviour); }))
    slowest_ = slowest_of(topology, *this);
}

}  // namespace hearsay::models
