#include "sim/topology/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

// Places whom they can; returns how many are still without.
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
      if (sums[i].count == 0) {
        ++left;
        continue;
      }
      places[i] = sums[i].mean(geographic);
      ++placed;
    }
    if (left == 0 || placed == 0) return left;
  }
}

}  // namespace

void settle_places(Draft& d, const std::vector<std::optional<Place>>& known, MissingCoordinates policy) {
  std::vector<std::optional<Place>> places = known;
  const auto is_known = [](const std::optional<Place>& p) { return p.has_value(); };
  const auto first = std::find_if(places.begin(), places.end(), is_known);
  if (first == places.end()) return;
  const bool geographic = (*first)->geographic;
  for (const auto& p : places) {
    if (p && p->geographic != geographic)
      throw TopologyError("some nodes have coordinates in degrees, others in a plane");
  }
  const auto missing =
      places.size() - static_cast<std::size_t>(std::count_if(places.begin(), places.end(), is_known));
  const auto unknown =
      static_cast<AgentId>(std::find_if_not(places.begin(), places.end(), is_known) - places.begin());
  if (missing > 0) {
    switch (policy) {
      case MissingCoordinates::kError:
        throw TopologyError(
            fmt::format("{} of {} nodes have no coordinates, {} among them: set missing_coordinates", missing,
                        places.size(), d.called(unknown)));
      case MissingCoordinates::kNeighboursMean:
        if (const std::size_t left = place_by_neighbours(d, places, geographic); left > 0) {
          throw TopologyError(fmt::format(
              "{} nodes have no coordinates, and neither has any node that they are linked with", left));
        }
        d.notes.push_back(
            fmt::format("{} nodes without coordinates are placed amid their neighbours", missing));
        break;
      case MissingCoordinates::kDrop: {
        std::vector<AgentId> kept;
        for (AgentId i = 0; i < d.nodes; ++i)
          if (places[i]) kept.push_back(i);
        d = induced(std::move(d), kept);
        std::erase_if(places, [](const auto& p) { return !p.has_value(); });
        d.notes.push_back(fmt::format("{} nodes without coordinates are left out", missing));
        break;
      }
      case MissingCoordinates::kIgnore:
        return;
    }
  }
  for (const auto& p : places) d.places.push_back(*p);
}

}  // namespace hearsay::sim
