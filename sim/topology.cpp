#include "sim/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <limits>
#include <numeric>

#include "sim/check.hpp"
#include "sim/fingerprint.hpp"
#include "sim/random.hpp"

namespace hearsay::sim {

namespace {
// Positions of directed edges are 32-bit numbers, and one beyond the last says that there is none.
void check_edges(std::uint64_t edges) {
  if (2 * edges >= std::numeric_limits<std::uint32_t>::max())
    throw TopologyError(fmt::format("fewer than 2^31 edges are possible, got {}", edges));
}
}  // namespace

Topology Topology::from_edges(AgentId agents, std::span<const Edge> edges, std::span<const double> weights) {
  if (agents == 0) throw TopologyError("a network needs at least one agent");
  if (agents >= kMaxAgents)
    throw TopologyError(fmt::format("at most {} agents, got {}", kMaxAgents - 1, agents));
  check_edges(edges.size());
  check(weights.empty() || weights.size() == edges.size(), "a graph needs a weight for each edge, or none");
  Topology t;
  t.row_.assign(agents + 1, 0);
  for (const Edge& e : edges) {
    if (e.a >= agents || e.b >= agents) {
      throw TopologyError(fmt::format("edge {}-{} names an agent outside 0 to {}", e.a, e.b, agents - 1));
    }
    if (e.a == e.b) throw TopologyError(fmt::format("agent {} is linked to itself", e.a));
    ++t.row_[e.a + 1];
    ++t.row_[e.b + 1];
  }
  std::partial_sum(t.row_.begin(), t.row_.end(), t.row_.begin());
  t.column_.resize(2 * edges.size());
  if (!weights.empty()) t.weight_.resize(2 * edges.size());
  // Rows are filled by moving their starts along; the starts are moved back afterwards.
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto place = [&](AgentId from, AgentId to) {
      const std::uint32_t position = t.row_[from]++;
      t.column_[position] = to;
      if (!weights.empty()) t.weight_[position] = weights[k];
    };
    place(edges[k].a, edges[k].b);
    place(edges[k].b, edges[k].a);
  }
  for (AgentId i = agents; i > 0; --i) t.row_[i] = t.row_[i - 1];
  t.row_[0] = 0;

  std::vector<std::pair<AgentId, double>> sorted;
  for (AgentId i = 0; i < agents; ++i) {
    const auto begin = t.column_.begin() + t.row_[i], end = t.column_.begin() + t.row_[i + 1];
    if (weights.empty()) {
      std::sort(begin, end);
    } else {
      sorted.clear();
      for (std::uint32_t p = t.row_[i]; p < t.row_[i + 1]; ++p)
        sorted.emplace_back(t.column_[p], t.weight_[p]);
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        t.column_[t.row_[i] + k] = sorted[k].first;
        t.weight_[t.row_[i] + k] = sorted[k].second;
      }
    }
    if (const auto twice = std::adjacent_find(begin, end); twice != end) {
      throw TopologyError(fmt::format("agents {} and {} are linked twice", i, *twice));
    }
  }
  return t;
}

std::uint32_t Topology::edge(AgentId from, AgentId to) const {
  const auto row = neighbours(from);
  const auto found = std::lower_bound(row.begin(), row.end(), to);
  if (found == row.end() || *found != to) return static_cast<std::uint32_t>(column_.size());
  return row_[from] + static_cast<std::uint32_t>(found - row.begin());
}

AgentId Topology::components() const {
  std::vector<AgentId> rank(agents()), parent(agents());
  boost::disjoint_sets<AgentId*, AgentId*> sets(rank.data(), parent.data());
  for (AgentId i = 0; i < agents(); ++i) sets.make_set(i);
  AgentId count = agents();
  for (AgentId i = 0; i < agents(); ++i) {
    for (const AgentId j : neighbours(i)) {
      if (j < i || sets.find_set(i) == sets.find_set(j)) continue;
      sets.union_set(i, j);
      --count;
    }
  }
  return count;
}

std::uint64_t Topology::fingerprint() const {
  std::uint64_t value = XXH3_64bits(row_.data(), row_.size() * sizeof row_[0]);
  value = XXH3_64bits_withSeed(column_.data(), column_.size() * sizeof(AgentId), value);
  return XXH3_64bits_withSeed(weight_.data(), weight_.size() * sizeof(double), value);
}

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
  check_edges(std::uint64_t{agents} * degree / 2);
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
    check_edges(std::uint64_t{agents} * (agents - 1) / 2);
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
