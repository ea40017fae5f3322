#include "models/protocols/families.hpp"
#include "models/protocols/multitask/amtl.hpp"
#include "models/protocols/multitask/async_mtl.hpp"
#include "models/protocols/multitask/sync_mtl.hpp"

namespace hearsay::models {

std::vector<ProtocolRow> multitask_rows() {
  return {row<AsyncMtl>(), row<SyncMtl>(), row<Amtl>()};
}

}  // namespace hearsay::models
