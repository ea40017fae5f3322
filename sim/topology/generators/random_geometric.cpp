#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/random/random.hpp"
#include "sim/topology/generators/generators.hpp"

namespace hearsay::sim {

namespace {

// The places sorted into square cells at least as wide as the radius: those within the radius are in adjacent cells.
class Cells {
 public:
  Cells(const std::vector<Place>& places, const RandomGeometric& o) : o_(o), places_(places) {
    const double most = std::max(1.0, std::floor(std::sqrt(static_cast<double>(places.size()))));
    across_ = static_cast<std::int64_t>(std::clamp(std::floor(o.side / o.radius), 1.0, most));
    agents_.resize(static_cast<std::size_t>(across_ * across_));
    for (AgentId i = 0; i < places.size(); ++i)
      agents_[index(column(places[i].x), column(places[i].y))].push_back(i);
  }

  /// Calls f(j, length) for each j > i that is nearer than the radius.
  template <class F>
  void near(AgentId i, F&& f) const {
    const std::int64_t x = column(places_[i].x), y = column(places_[i].y);
    for (std::int64_t u = lowest(x); u <= highest(x); ++u) {
      for (std::int64_t w = lowest(y); w <= highest(y); ++w) {
        for (const AgentId j : agents_[index((u + across_) % across_, (w + across_) % across_)]) {
          if (j <= i) continue;
          const double length =
              std::hypot(along(places_[i].x, places_[j].x), along(places_[i].y, places_[j].y));
          if (length < o_.radius) f(j, length);
        }
      }
    }
  }

 private:
  // The range of adjacent cells, each once, also on a torus of one or two cells.
  std::int64_t lowest(std::int64_t c) const {
    if (across_ <= 2) return 0;
    return o_.torus ? c - 1 : std::max<std::int64_t>(c - 1, 0);
  }
  std::int64_t highest(std::int64_t c) const {
    if (across_ <= 2) return across_ - 1;
    return o_.torus ? c + 1 : std::min(c + 1, across_ - 1);
  }
  std::int64_t column(double x) const {
    return std::min(static_cast<std::int64_t>(x / o_.side * static_cast<double>(across_)), across_ - 1);
  }
  std::size_t index(std::int64_t x, std::int64_t y) const {
    return static_cast<std::size_t>(y * across_ + x);
  }
  double along(double a, double b) const {
    const double straight = std::abs(a - b);
    return o_.torus ? std::min(straight, o_.side - straight) : straight;
  }

  RandomGeometric o_;
  const std::vector<Place>& places_;
  std::int64_t across_;
  std::vector<std::vector<AgentId>> agents_;
};

}  // namespace

void RandomGeometric::describe(Visitor& v) {
  v(radius, positive("radius", "Distance below which agents are linked, in m."));
  v(side, positive("side", "Side of the square, in m."));
  v(torus, {.name = "torus", .help = "Identify opposite sides of the square; distances wrap around."});
}

Place place_of_node(AgentId node, double side, const Streams& streams) {
  Stream s = topology_stream(streams, TopologyDraw::kPlace, node);
  const double x = uniform(s, 0, side);
  return {.x = x, .y = uniform(s, 0, side)};
}

Draft draw(const RandomGeometric& o, AgentId nodes, const Streams& streams) {
  // At least a quarter of the circle lies within the square.
  const double share = std::min(1.0, std::numbers::pi / 4 * (o.radius / o.side) * (o.radius / o.side));
  require_edges_fit(
      static_cast<std::uint64_t>(0.5 * nodes * (nodes - 1.0) * (o.radius > o.side ? 1 : share)));
  Draft d{.nodes = nodes, .torus = o.torus ? o.side : 0};
  d.places.reserve(nodes);
  for (AgentId i = 0; i < nodes; ++i) d.places.push_back(place_of_node(i, o.side, streams));
  const Cells cells(d.places, o);
  for (AgentId i = 0; i < nodes; ++i) {
    cells.near(i, [&](AgentId j, double length) {
      d.edges.push_back({i, j});
      if (o.torus) d.length.push_back(length);
    });
  }
  return d;
}

}  // namespace hearsay::sim
