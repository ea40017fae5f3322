#include "sim/links/latency.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "sim/check.hpp"
#include "sim/options/per_agent.hpp"
#include "sim/random/random.hpp"

namespace hearsay::sim {

namespace {

constexpr About kPlus{.name = "plus", .help = "Added to it, drawn for every message.", .unit = "s", .min = 0};

template <class... Ts>
std::vector<Alternative> with_drawn(const std::variant<Ts...>*) {
  std::vector<Alternative> all{detail::alternative_of<Ts>()...};
  for (Alternative& a : all) {
    a.describe_default = [inner = a.describe_default](Visitor& v) {
      inner(v);
      Drawn drawn = Drawn::kPerMessage;
      v(drawn, {.name = "drawn", .help = "How often it is drawn."});
    };
  }
  return all;
}

template <class... Ts>
void emplace(std::variant<Ts...>& value, std::size_t index) {
  using Make = void (*)(std::variant<Ts...>&);
  static constexpr Make kMake[] = {[](std::variant<Ts...>& v) { v.template emplace<Ts>(); }...};
  kMake[index](value);
}

template <class L>
constexpr bool kIsDrawn = requires(const L& law, Stream& s) {
  law.sample(s);
};

}  // namespace

void DistanceLatency::describe(Visitor& v) {
  v(speed, {.name = "speed",
            .help = "How fast a signal is; light in glass fibre by default.",
            .unit = "m/s",
            .min = 0,
            .open_min = true});
  v(plus, kPlus);
}

void MatrixLatency::describe(Visitor& v) {
  v(path, {.name = "path", .help = "A square table of numbers, without a header.", .required = true});
  v(unit,
    {.name = "unit", .help = "What the number 1 in it means.", .unit = "s", .min = 0, .open_min = true});
  v(round_trip,
    {.name = "round_trip", .help = "Whether they are round trips, of which a message takes half."});
  v(nodes, {.name = "nodes", .help = "Which rows the agents are; there may be more rows than agents."});
  v(plus, kPlus);
}

void EdgeLatency::describe(Visitor& v) {
  v(plus, kPlus);
}

LatencyOptions::LatencyOptions(const Distribution& d)
    : law(std::visit([](const auto& l) { return Law(l); }, d.law())) {}

double LatencyOptions::lower() const {
  return std::visit(
      [](const auto& l) {
        if constexpr (requires { l.plus; }) {
          return l.plus.lower();
        } else {
          return l.lower();
        }
      },
      law);
}

std::optional<Time> LatencyOptions::bound_per_message() const {
  const double upper = std::visit(
      [](const auto& l) {
        if constexpr (requires { l.plus; }) {
          return std::numeric_limits<double>::infinity();
        } else {
          return l.upper();
        }
      },
      law);
  return drawn == Drawn::kPerMessage && std::isfinite(upper) ? std::optional(upper) : std::nullopt;
}

void LatencyOptions::describe_as(Visitor& v, const About& about) {
  std::vector<Alternative> all = with_drawn(&law);
  // What is known of links and nodes is not drawn.
  all[Law(DistanceLatency{}).index()] = detail::alternative_of<DistanceLatency>();
  all[Law(MatrixLatency{}).index()] = detail::alternative_of<MatrixLatency>();
  all[Law(EdgeLatency{}).index()] = detail::alternative_of<EdgeLatency>();
  v.alternatives(
      about, all, law.index(), [this](std::size_t i) { emplace(law, i); },
      [this](Visitor& inner) {
        std::visit(
            [&](auto& held) {
              held.describe(inner);
              if constexpr (kIsDrawn<std::decay_t<decltype(held)>>)
                inner(drawn, {.name = "drawn", .help = "How often it is drawn."});
            },
            law);
      });
  std::visit(
      [&](const auto& held) {
        using L = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<L, Mixture>) {
          if (held.parts.empty()) return;
        }
        if constexpr (kIsDrawn<L>) check_range(v, about, Distribution(held).support());
      },
      law);
}

Latency::Latency(const LatencyOptions& options, const Topology& topology, AgentId hub, const Streams& streams,
                 const std::shared_ptr<const SquareMatrix>& matrix)
    : hub_(hub),
      key_(streams.key(Purpose::kLatency)),
      agent_key_(streams.key(Purpose::kPerAgent)),
      matrix_(matrix) {
  std::visit(
      [&](const auto& law) {
        using L = std::decay_t<decltype(law)>;
        if constexpr (std::is_same_v<L, DistanceLatency>) {
          take_distances(topology, law.speed);
          law_ = law.plus;
        } else if constexpr (std::is_same_v<L, MatrixLatency>) {
          take_nodes(law, topology.agents(), streams);
          law_ = law.plus;
        } else if constexpr (std::is_same_v<L, EdgeLatency>) {
          if (topology.latency().empty() && topology.edges() > 0) {
            throw std::invalid_argument(
                "edge_attribute needs a graph file that gives its edges a latency; this topology has none");
          }
          base_.assign(topology.latency().begin(), topology.latency().end());
          mode_ = Mode::kPerPosition;
          law_ = law.plus;
        } else {
          law_ = law;
          mode_ = options.drawn == Drawn::kPerLink    ? Mode::kPerLink
                  : options.drawn == Drawn::kPerAgent ? Mode::kPerAgent
                                                      : Mode::kPerMessage;
          constant_ = std::is_same_v<L, Constant>;
          if (constant_) delay_ = law.mean();
        }
      },
      options.law);
}

void Latency::take_distances(const Topology& topology, double speed) {
  const std::vector<Place>& places = topology.places();
  const std::span<const double> length = topology.length();
  if (places.empty() && length.empty() && topology.edges() > 0) {
    throw std::invalid_argument(
        "distance needs a topology that says where agents are: random_geometric, or a graph file with "
        "coordinates");
  }
  mode_ = Mode::kPerPosition;
  base_.resize(2 * topology.edges());
  for (AgentId i = 0; i < topology.agents(); ++i) {
    for (std::uint32_t k = 0; k < topology.degree(i); ++k) {
      const std::uint32_t position = topology.first_edge(i) + k;
      base_[position] =
          (length.empty() ? distance(places[i], places[topology.neighbours(i)[k]]) : length[position]) /
          speed;
    }
  }
}

void Latency::take_nodes(const MatrixLatency& law, AgentId agents, const Streams& streams) {
  check(matrix_ != nullptr, "a latency matrix was not read");
  if (agents > matrix_->nodes) {
    throw std::invalid_argument(fmt::format("{}: the matrix has {} nodes, fewer than the {} agents",
                                            matrix_->name, matrix_->nodes, agents));
  }
  mode_ = Mode::kMatrix;
  node_.resize(agents);
  if (law.nodes == NodeChoice::kFirst) {
    std::iota(node_.begin(), node_.end(), 0u);
    return;
  }
  // Fisher and Yates's shuffle as far as the agents reach; agent i's row depends on the draws up to its own.
  std::vector<std::uint32_t> row(matrix_->nodes);
  std::iota(row.begin(), row.end(), 0u);
  for (AgentId i = 0; i < agents; ++i) {
    Stream s = streams(Purpose::kPerAgent, i, 0, kNodeOption);
    std::swap(row[i], row[i + uniform_index(s, matrix_->nodes - i)]);
    node_[i] = row[i];
  }
}

Time Latency::draw(AgentId from, AgentId to, std::uint32_t position, std::uint32_t n) const {
  switch (mode_) {
    case Mode::kPerMessage:
      break;
    case Mode::kPerLink: {
      Stream s(key_, from, to, 0);
      return law_.sample(s);
    }
    case Mode::kPerAgent: {
      Stream s(agent_key_, from == hub_ ? to : from, 0, kLatencyOption);
      return law_.sample(s);
    }
    case Mode::kMatrix:
    case Mode::kPerPosition: {
      const Time known = mode_ == Mode::kPerPosition ? base_[position] : matrix_->at(node_[from], node_[to]);
      Stream s(key_, from, to, n);
      return known + law_.sample(s);
    }
  }
  Stream s(key_, from, to, n);
  return law_.sample(s);
}

}  // namespace hearsay::sim
