#pragma once
// Where a node of a graph lies.

namespace hearsay::sim {

/// Degrees east and north where geographic, else metres in a plane.
struct Place {
  double x = 0, y = 0;
  bool geographic = false;
  bool operator==(const Place&) const = default;
};

/// Mean radius of the Earth (IUGG), m.
inline constexpr double kEarthRadius = 6'371'008.8;

/// Metres between two places of one kind: along the great circle of a sphere of the Earth's mean radius
/// (haversine formula), or straight in the plane.
double distance(const Place& a, const Place& b);

}  // namespace hearsay::sim
