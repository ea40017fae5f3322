#pragma once
// Where the nodes of a network are drawn.
#include "analysis/store/participants.hpp"

namespace hearsay::analysis {

/// Gives positions in the unit square to the nodes of a network that has none: a hub that is linked to all others in
/// the centre of a circle; else the layout of Fruchterman and Reingold ("Graph drawing by force-directed placement",
/// Software: Practice and Experience 1991) from a circle. Deterministic. O(nodes^2) per step, 30 to 300 steps.
void place_nodes(NetworkGraph& network);

}  // namespace hearsay::analysis
