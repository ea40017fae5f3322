#include "models/data/data_options.hpp"

namespace hearsay::models {

DataSet make_data(const DataOptions& options, const sim::Streams& streams) {
  return std::visit([&](const auto& kind) { return make_data(kind, streams); }, options.kind());
}

}  // namespace hearsay::models
