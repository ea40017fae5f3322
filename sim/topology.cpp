#include "sim/topology.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/random.hpp"

namespace hearsay::sim {

void RandomRegular::describe(Visitor& v) {
  v(degree, {.name = "degree", .help = "Neighbours of every agent.", .min = 1});
}

namespace {

// The partners found so far of every agent, `degree` places each.
class Partners {
 public:
  Partners(AgentId agents, std::uint32_t degree)
      : degree_(degree), partner_(std::size_t{agents} * degree), count_(agents) {}
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

void shuffle(std::vector<AgentId>& all, Stream& s) {
  for (std::size_t k = all.size(); k > 1; --k) std::swap(all[k - 1], all[uniform_index(s, k)]);
}

// One attempt; false if the stubs left over can not be paired any more.
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
      // Nothing fitted: either an unlucky order or no pair is left at all.
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

// Every pair that is not in `edges`, whose ends ascend and which are ordered.
std::vector<Edge> complement(AgentId agents, const std::vector<Edge>& edges) {
  std::vector<Edge> all;
  auto next = edges.begin();
  for (AgentId a = 0; a < agents; ++a) {
    for (AgentId b = a + 1; b < agents; ++b) {
      if (next != edges.end() && next->a == a && next->b == b) {
        ++next;
      } else {
        all.push_back({a, b});
      }
    }
  }
  return all;
}

std::vector<Edge> random_regular(AgentId agents, std::uint32_t degree, Stream s) {
  if (degree >= agents || (std::uint64_t{agents} * degree) % 2 != 0) {
    throw TopologyError(
        fmt::format("no simple graph of {} agents has degree {}: it must be below the number of agents, and "
                    "their product even",
                    agents, degree));
  }
  require_edges_fit(std::uint64_t{agents} * degree / 2);
  if (degree > (agents - 1) / 2) {
    // Pairing stubs of a dense graph ends in dead ends; the pairs that are not linked are a sparse one.
    return complement(agents, random_regular(agents, agents - 1 - degree, s));
  }
  std::vector<AgentId> stubs;
  stubs.reserve(std::size_t{agents} * degree);
  for (AgentId i = 0; i < agents; ++i) stubs.insert(stubs.end(), degree, i);
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Partners partners(agents, degree);
    if (pair_stubs(partners, stubs, s)) return partners.edges();
  }
  throw TopologyError(
      fmt::format("no random graph of {} agents with degree {} was found in 1000 attempts", agents, degree));
}

struct Generate {
  AgentId agents;
  const Streams& streams;

  std::vector<Edge> operator()(const Star&) const {
    std::vector<Edge> all;
    for (AgentId i = 1; i < agents; ++i) all.push_back({0, i});
    return all;
  }
  std::vector<Edge> operator()(const Ring&) const {
    std::vector<Edge> all;
    for (AgentId i = 1; i < agents; ++i) all.push_back({i - 1, i});
    if (agents > 2) all.push_back({agents - 1, 0});
    return all;
  }
  std::vector<Edge> operator()(const Complete&) const {
    require_edges_fit(std::uint64_t{agents} * (agents - 1) / 2);
    return complement(agents, {});
  }
  std::vector<Edge> operator()(const RandomRegular& r) const {
    return random_regular(agents, r.degree, streams(Purpose::kTopology, 0));
  }
  std::vector<Edge> operator()(const Similarity&) const { return {}; }  // given, not generated
};

}  // namespace

Topology make_topology(const TopologyOptions& options, AgentId agents, const Streams& streams,
                       const WeightedEdges* similar) {
  if (std::holds_alternative<Similarity>(options)) {
    if (similar == nullptr) {
      throw TopologyError("the data do not say which owners are alike; choose another type of topology");
    }
    return Topology::from_edges(agents, similar->edges, similar->weights);
  }
  return Topology::from_edges(agents, std::visit(Generate{agents, streams}, options));
}

}  // namespace hearsay::sim
