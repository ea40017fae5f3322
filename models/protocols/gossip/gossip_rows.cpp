#include "models/protocols/families.hpp"
#include "models/protocols/gossip/ad_psgd.hpp"
#include "models/protocols/gossip/dpsgd_gossip.hpp"
#include "models/protocols/gossip/epidemic.hpp"
#include "models/protocols/gossip/gossip_learning.hpp"
#include "models/protocols/gossip/muffliato.hpp"
#include "models/protocols/gossip/push_sum.hpp"

namespace hearsay::models {

std::vector<ProtocolRow> gossip_rows() {
  return {row<DpsgdGossip>(), row<AdPsgd>(),   row<GossipLearning>(),
          row<PushSum>(),     row<Epidemic>(), row<Muffliato>()};
}

}  // namespace hearsay::models
