#pragma once
// The families of protocols: the rows of each, in the order of the table. Its protocols are compiled with them.
#include <vector>

#include "models/run/any_protocol.hpp"

namespace hearsay::models {

std::vector<ProtocolRow> central_rows();
std::vector<ProtocolRow> peer_to_peer_rows();
std::vector<ProtocolRow> baselines_rows();
std::vector<ProtocolRow> multitask_rows();
std::vector<ProtocolRow> federated_rows();
std::vector<ProtocolRow> gossip_rows();

}  // namespace hearsay::models
