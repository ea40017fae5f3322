#include "models/protocols/central/central_async.hpp"
#include "models/protocols/central/central_sync.hpp"
#include "models/protocols/families.hpp"

namespace hearsay::models {

std::vector<ProtocolRow> central_rows() {
  return {row<CentralAsync>(), row<CentralSync>()};
}

}  // namespace hearsay::models
