#include "models/protocols/federated/fedavg.hpp"

namespace hearsay::models {

ProtocolRow fedavg_row() {
  return row<FedAvg>();
}

}  // namespace hearsay::models
