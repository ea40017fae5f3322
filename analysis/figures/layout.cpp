#include "analysis/figures/layout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hearsay::analysis {

namespace {

struct Vector {
  double x = 0, y = 0;
};

// Nodes on a circle of radius 1/2 around (1/2, 1/2), in order; without the `hub`, which is in its centre.
std::vector<Vector> circle(std::size_t nodes, std::size_t hub) {
  std::vector<Vector> all(nodes, {0.5, 0.5});
  const std::size_t round = nodes - (hub < nodes ? 1 : 0);
  for (std::size_t i = 0, k = 0; i < nodes; ++i) {
    if (i == hub) continue;
    const double angle = 2 * std::numbers::pi * static_cast<double>(k++) / static_cast<double>(round);
    all[i] = {0.5 + 0.5 * std::sin(angle), 0.5 + 0.5 * std::cos(angle)};
  }
  return all;
}

// One step: nodes repel each other by k^2/d and attract those they are linked to by d^2/k; none moves farther than
// `most`.
void step(std::vector<Vector>& at, const std::vector<NetworkGraph::Link>& links, double k, double most) {
  std::vector<Vector> force(at.size());
  const auto push = [&](std::size_t a, std::size_t b, auto&& strength) {
    const double dx = at[a].x - at[b].x, dy = at[a].y - at[b].y;
    const double d = std::max(std::hypot(dx, dy), 1e-4), f = strength(d) / d;
    force[a].x += f * dx, force[a].y += f * dy;
    force[b].x -= f * dx, force[b].y -= f * dy;
  };
  for (std::size_t a = 0; a < at.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) push(a, b, [&](double d) { return k * k / d; });
  }
  for (const auto& l : links) push(l.source, l.target, [&](double d) { return -d * d / k; });
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double size = std::max(std::hypot(force[i].x, force[i].y), 1e-12);
    at[i].x += force[i].x / size * std::min(size, most);
    at[i].y += force[i].y / size * std::min(size, most);
  }
}

}  // namespace

void place_nodes(NetworkGraph& network) {
  if (network.nodes.empty() || network.placed()) return;
  const std::size_t nodes = network.nodes.size();
  const std::vector<std::uint32_t> degrees = network.degrees();
  const bool star = nodes > 3 && network.links.size() == nodes - 1;
  const auto hub =
      static_cast<std::size_t>(std::max_element(degrees.begin(), degrees.end()) - degrees.begin());
  const bool spokes = star && degrees[hub] == nodes - 1;
  std::vector<Vector> at = circle(nodes, spokes ? hub : nodes);
  const auto size = static_cast<double>(nodes);
  const int steps = spokes || nodes < 3 ? 0 : static_cast<int>(std::clamp(2e7 / (size * size), 30.0, 300.0));
  const double k = std::sqrt(1 / size);
  // Off the circle, whose symmetry no force would break.
  for (std::size_t i = 0; i < nodes && steps > 0; ++i) {
    const double share = std::fmod(static_cast<double>(i) * std::numbers::phi, 1.0);
    at[i].x = 0.5 + (at[i].x - 0.5) * (0.8 + 0.2 * share);
    at[i].y = 0.5 + (at[i].y - 0.5) * (0.8 + 0.2 * share);
  }
  for (int s = 0; s < steps; ++s) step(at, network.links, k, 0.1 * (1 - static_cast<double>(s) / steps));
  for (std::size_t i = 0; i < nodes; ++i) network.nodes[i].x = at[i].x, network.nodes[i].y = at[i].y;
}

}  // namespace hearsay::analysis
