#pragma once
// Where states are written and read (cereal's binary archives, which are of one machine and build).
#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include <istream>

#include "sim/state/plain.hpp"

namespace hearsay::sim {

class PayloadPool;

class StateReader final : public cereal::BinaryInputArchive {
 public:
  /// `pool`: of the engine whose run goes on.
  StateReader(std::istream& in, PayloadPool& pool) : BinaryInputArchive(in), pool_(pool) {}
  PayloadPool& pool() const { return pool_; }

 private:
  PayloadPool& pool_;
};

}  // namespace hearsay::sim
