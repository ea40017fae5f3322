#include "models/protocols/baselines/local_dp.hpp"
#include "models/protocols/baselines/local_only.hpp"
#include "models/protocols/families.hpp"

namespace hearsay::models {

std::vector<ProtocolRow> baselines_rows() {
  return {row<LocalOnly>(), row<LocalDp>(), row<Pooled>()};
}

}  // namespace hearsay::models
