#include "models/protocols/families.hpp"
#include "models/protocols/peer_to_peer/model_propagation.hpp"
#include "models/protocols/peer_to_peer/p2p_admm.hpp"
#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"

namespace hearsay::models {

std::vector<ProtocolRow> peer_to_peer_rows() {
  return {row<P2pCoordinateDescent>(), row<ModelPropagation>(), row<P2pAdmm>()};
}

}  // namespace hearsay::models
