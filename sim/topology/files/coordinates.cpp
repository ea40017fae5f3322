#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sim/topology/files/raw_graph.hpp"

namespace hearsay::sim {

namespace {

constexpr double kRadian = std::numbers::pi / 180;

// A sum of places: of points in the plane, or of directions in space.
struct Sum {
  std::array<double, 3> v{};
  int count = 0;

  void add(const Place& p) {
    ++count;
    if (!p.geographic) {
      v[0] += p.x;
      v[1] += p.y;
      return;
    }
    v[0] += std::cos(p.y * kRadian) * std::cos(p.x * kRadian);
    v[1] += std::cos(p.y * kRadian) * std::sin(p.x * kRadian);
    v[2] += std::sin(p.y * kRadian);
  }
  Place mean(bool geographic) const {
    if (!geographic) return {v[0] / count, v[1] / count, false};
    return {std::atan2(v[1], v[0]) / kRadian, std::atan2(v[2], std::hypot(v[0], v[1])) / kRadian, true};
  }
};

// Places nodes at the mean of their neighbours, in rounds. Returns how many nodes remain without a place.
std::size_t place_by_neighbours(const Draft& d, std::vector<std::optional<Place>>& places, bool geographic) {
  for (;;) {
    std::vector<Sum> sums(d.nodes);
    for (const Edge& e : d.edges) {
      if (places[e.a] && !places[e.b]) sums[e.b].add(*places[e.a]);
      if (places[e.b] && !places[e.a]) sums[e.a].add(*places[e.b]);
    }
    std::size_t placed = 0, left = 0;
    for (AgentId i = 0; i < d.nodes; ++i) {
      if (places[i]) continue;
      ++(sums[i].count > 0 ? placed : left);
      if (sums[i].count > 0) places[i] = sums[i].mean(geographic);
    }
    if (left == 0 || placed == 0) return left;
  }
}

}  // namespace

void settle_places(Draft& d, std::vector<std::optional<Place>> places, MissingCoordinates policy) {
  const auto known = [](const std::optional<Place>& p) { return p.has_value(); };
  const auto first = std::ranges::find_if(places, known);
  if (first == places.end()) return;
  const bool geographic = (*first)->geographic;
  for (const auto& p : places) {
    if (p && p->geographic != geographic)
      throw TopologyError("some nodes have coordinates in degrees, others in a plane");
  }
  const auto unknown = static_cast<AgentId>(std::ranges::find_if_not(places, known) - places.begin());
  const auto missing = places.size() - static_cast<std::size_t>(std::ranges::count_if(places, known));
  if (missing > 0) {
    switch (policy) {
      case MissingCoordinates::kError:
        throw TopologyError("{} of {} nodes have no coordinates, {} among them: set missing_coordinates",
                            missing, places.size(), d.called(unknown));
      case MissingCoordinates::kNeighboursMean:
        if (const std::size_t left = place_by_neighbours(d, places, geographic); left > 0)
          throw TopologyError("{} nodes and all their neighbours have no coordinates", left);
        d.notes.push_back(
            fmt::format("{} nodes without coordinates are placed at the mean of their neighbours", missing));
        break;
      case MissingCoordinates::kDrop: {
        std::vector<AgentId> kept;
        for (AgentId i = 0; i < d.nodes; ++i)
          if (places[i]) kept.push_back(i);
        d = induced(std::move(d), kept);
        std::erase(places, std::nullopt);
        d.notes.push_back(fmt::format("{} nodes without coordinates are removed", missing));
        break;
      }
      case MissingCoordinates::kIgnore:
        return;
    }
  }
  for (const auto& p : places) d.places.push_back(*p);
}

}  // namespace hearsay::sim
