#pragma once
// Who takes part at a point of a study, the network between them and the names of the parameters that they learn: what
// owners.csv, nodes.csv, links.csv, models.csv and GraphML show. Where each repetition draws its own data or network, those of repetition 0.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace hearsay::analysis {

struct OwnerFacts {
  std::string name{};
  std::uint64_t records = 0, test_records = 0;
  /// Total budget over a run; NaN without privacy, or where the protocol sets the budget of each turn.
  double epsilon = std::numeric_limits<double>::quiet_NaN(), delta = epsilon;
  bool hostile = false;  ///< at some time
  bool learner = false;  ///< uses its own gradient without noise: protocol.learner_is_owner
  std::uint32_t group =
      0;  ///< number, from 1, of its group in protocol.groups, which is one party; 0: it is in none
};

struct NetworkGraph {
  /// Position in metres, or degrees east and north; NaN if the graph has none. `name`: in the graph, may be empty.
  struct Node {
    std::string name{};
    double x = std::numeric_limits<double>::quiet_NaN(), y = x;
  };
  /// Mean latency of a message from source to target and back, s (one drawn per link or agent: its value in
  /// repetition 0); length in m, NaN if unknown.
  struct Link {
    sim::AgentId source = 0, target = 0;
    double weight = 1, latency = 0, return_latency = 0;
    double length = std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<Node> nodes{};  ///< by agent
  std::vector<Link> links{};  ///< source < target, in ascending order
  bool geographic = false;    ///< positions are degrees

  bool placed() const { return !nodes.empty() && nodes.front().x == nodes.front().x; }
  std::vector<std::uint32_t> degrees() const;
};

/// Larger networks are not stored.
inline constexpr std::size_t kMaxStoredLinks = 50'000;

/// Empty lists where nothing is known.
struct Participants {
  std::vector<OwnerFacts> owners;
  NetworkGraph network;
  std::vector<std::string> parameters{};  ///< names, in the order of a model
};

/// The name of every agent: that of its owner, "learner" for an agent before the first owner.
std::vector<std::string> agent_names(const std::vector<OwnerFacts>& owners, sim::AgentId first_owner);

/// As JSON, and back.
std::string owners_text(const std::vector<OwnerFacts>& owners);
std::vector<OwnerFacts> owners_from(const std::string& text);
std::string network_text(const NetworkGraph& network);
NetworkGraph network_from(const std::string& text);

/// The network as GraphML, which hearsay reads again as a topology of type "file": name, x and y or Longitude and
/// Latitude of nodes, weight, latency (s, mean of both directions) and length (m) of edges; `owners` are the further
/// node attributes owner and records.
std::string graphml(const NetworkGraph& network, const std::vector<OwnerFacts>& owners,
                    sim::AgentId first_owner);

}  // namespace hearsay::analysis
