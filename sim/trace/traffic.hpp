#pragma once
// Counters of the messages of a run.
#include <cstdint>

#include "sim/trace/trace_sink.hpp"

namespace hearsay::sim {

/// What has been put on the links since the start of a run.
struct Traffic {
  std::uint64_t messages = 0;   ///< sent, lost or not; a broadcast is one per neighbour
  std::uint64_t vectors = 0;    ///< p-vectors in them
  std::uint64_t bytes = 0;      ///< headers and numbers
  std::uint64_t delivered = 0;  ///< handed to their receiver
  std::uint64_t lost[kLossReasons] = {};
};

}  // namespace hearsay::sim
