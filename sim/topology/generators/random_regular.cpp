#include <fmt/format.h>

#include <algorithm>

#include "sim/topology/generators/generators.hpp"

namespace hearsay::sim {

void RandomRegular::describe(Visitor& v) {
  v(degree, {.name = "degree", .help = "Number of neighbours of every agent.", .min = 1});
}

namespace {

// The partners found so far, up to `degree` for each agent.
class Partners {
 public:
  Partners(AgentId nodes, std::uint32_t degree)
      : degree_(degree), partner_(std::size_t{nodes} * degree), count_(nodes) {}
  bool linked(AgentId a, AgentId b) const {
    const AgentId* row = partner_.data() + std::size_t{a} * degree_;
    return std::find(row, row + count_[a], b) != row + count_[a];
  }
  void link(AgentId a, AgentId b) {
    partner_[std::size_t{a} * degree_ + count_[a]++] = b;
    partner_[std::size_t{b} * degree_ + count_[b]++] = a;
  }
  /// In ascending order.
  std::vector<Edge> edges() {
    std::vector<Edge> all;
    all.reserve(partner_.size() / 2);
    for (AgentId i = 0; i < count_.size(); ++i) {
      const std::span row(partner_.data() + std::size_t{i} * degree_, count_[i]);
      std::sort(row.begin(), row.end());
      for (const AgentId j : row) {
        if (i < j) all.push_back({i, j});
      }
    }
    return all;
  }

 private:
  std::uint32_t degree_;
  std::vector<AgentId> partner_;
  std::vector<std::uint32_t> count_;
};

// One attempt; false if the remaining stubs cannot be paired.
bool pair_stubs(Partners& partners, std::vector<AgentId> stubs, Stream& s) {
  std::vector<AgentId> left;
  while (!stubs.empty()) {
    shuffle(stubs, s);
    left.clear();
    for (std::size_t k = 0; k < stubs.size(); k += 2) {
      const AgentId a = stubs[k], b = stubs[k + 1];
      if (a != b && !partners.linked(a, b)) {
        partners.link(a, b);
      } else {
        left.insert(left.end(), {a, b});
      }
    }
    if (left.size() == stubs.size()) {
      // No pair was accepted: an unlucky order, or no possible pair remains.
      bool possible = false;
      for (std::size_t i = 0; i < left.size() && !possible; ++i) {
        for (std::size_t j = i + 1; j < left.size() && !possible; ++j) {
          possible = left[i] != left[j] && !partners.linked(left[i], left[j]);
        }
      }
      if (!possible) return false;
    }
    stubs.swap(left);
  }
  return true;
}

std::vector<Edge> random_regular(AgentId nodes, std::uint32_t degree, Stream& s) {
  require_edges_fit(std::uint64_t{nodes} * degree / 2);
  if (degree > (nodes - 1) / 2) {
    // Pairing the stubs of a dense graph fails too often; its complement is sparse.
    return complement(nodes, random_regular(nodes, nodes - 1 - degree, s));
  }
  std::vector<AgentId> stubs;
  stubs.reserve(std::size_t{nodes} * degree);
  for (AgentId i = 0; i < nodes; ++i) stubs.insert(stubs.end(), degree, i);
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Partners partners(nodes, degree);
    if (pair_stubs(partners, stubs, s)) return partners.edges();
  }
  throw TopologyError("no random graph of {} agents with degree {} was found in 1000 attempts", nodes,
                      degree);
}

}  // namespace

void require_possible(const RandomRegular& options, AgentId nodes) {
  if (options.degree >= nodes || (std::uint64_t{nodes} * options.degree) % 2 != 0)
    throw TopologyError(
        "no simple graph of {} agents has degree {}: choose a degree below the number of agents, with "
        "an even product",
        nodes, options.degree);
}

Draft draw(const RandomRegular& options, AgentId nodes, const Streams& streams) {
  require_possible(options, nodes);
  Stream s = topology_stream(streams, TopologyDraw::kEdges);
  return {.nodes = nodes, .edges = random_regular(nodes, options.degree, s)};
}

}  // namespace hearsay::sim
