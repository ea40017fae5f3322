#pragma once
// The size of a data set and the memory that it needs, from its options, before any record is made or read.
#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "sim/memory.hpp"

namespace hearsay::models {

/// Expected values where the options draw them.
struct DataNeed {
  double owners = 0, records = 0, test_records = 0;  ///< records: for training, of all owners
  double features = 0;                               ///< p, the constant one included
  double classes = 0;                                ///< 0 where unknown, or none
  double similar = 0;                                ///< links of the similarity graph
  sim::Memory memory = {};                           ///< of make_data()
};

/// Of the records alone: shards and the owners' names.
inline sim::Memory memory_of_records(const DataNeed& d) {
  constexpr double kNumber = sizeof(double);
  double held = d.owners * sizeof(std::string);
  for (const double records : {d.records, d.test_records}) {
    const double each = records / std::max(1.0, d.owners);
    held += d.owners * (sim::heap_block(each * d.features * kNumber) + sim::heap_block(each * kNumber));
  }
  const sim::Memory shards = sim::grown(d.owners, sizeof(Shard));
  return {held + 2 * shards.held + d.features * sizeof(std::string), shards.making};
}

/// Of a similarity graph.
inline sim::Memory memory_of_similarity(double links) {
  return sim::grown(links, sizeof(sim::Edge) + sizeof(double));
}

/// Number of records of all owners, estimated from those of the first thousand. Throws DataError as OwnerSizes::size().
inline double expected_records(const OwnerSizes& sizes, std::size_t owners, const sim::Streams& streams,
                               Instances instances = Instances::kTest) {
  const std::size_t sampled = std::min<std::size_t>(owners, 1000);
  double records = 0;
  for (std::size_t i = 0; i < sampled; ++i) records += static_cast<double>(sizes.size(i, streams, instances));
  return sampled == 0 ? 0 : records * static_cast<double>(owners) / static_cast<double>(sampled);
}

/// Of generated data with `owners`, `records`, `test_records` of each owner; `features` as in the data set.
template <class Kind>
DataNeed need_of_generated(const Kind& kind, double features, const sim::Streams& streams,
                           Instances instances = Instances::kTest) {
  DataNeed need{.owners = static_cast<double>(kind.owners),
                .records = expected_records(kind.records, kind.owners, streams, instances),
                .test_records = static_cast<double>(kind.owners) * static_cast<double>(kind.test_records),
                .features = features};
  need.memory = memory_of_records(need);
  return need;
}

}  // namespace hearsay::models
