#pragma once
// Nodes without coordinates: placed, left out or refused.
#include <optional>
#include <vector>

#include "sim/topology/files/graph_file.hpp"

namespace hearsay::sim {

/// Gives the draft its places, where any node has one. kNeighboursMean: in rounds; in each, every node
/// without a place that has neighbours with one is placed at the mean of these: of their directions from the
/// centre of the Earth where they are geographic (equal weights, back on the sphere). Throws TopologyError
/// where nodes are left without a place, or places in degrees and in metres mix.
void settle_places(Draft& draft, const std::vector<std::optional<Place>>& known, MissingCoordinates policy);

}  // namespace hearsay::sim
