#include "models/protocols/families.hpp"
#include "models/protocols/federated/dp_fedavg.hpp"
#include "models/protocols/federated/dp_ftrl.hpp"
#include "models/protocols/federated/fedasync.hpp"
#include "models/protocols/federated/fedavg.hpp"
#include "models/protocols/federated/fedbuff.hpp"
#include "models/protocols/federated/fedprox.hpp"
#include "models/protocols/federated/scaffold.hpp"

namespace hearsay::models {

std::vector<ProtocolRow> federated_rows() {
  return {row<FedAvg>(),  row<FedProx>(),  row<Scaffold>(), row<FedAsync>(),
          row<FedBuff>(), row<DpFedAvg>(), row<DpFtrl>()};
}

}  // namespace hearsay::models
