#pragma once
// What the engine hands to a handler and to who runs it.
#include <cstdint>
#include <span>

#include "sim/events/event.hpp"
#include "sim/time.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::sim {

/// A message at its receiver; the payload is valid only while it is handled, or as long as a hold on it lives.
struct Message {
  AgentId from, to;
  std::uint16_t tag;           ///< kind of message, defined by the protocol
  std::uint32_t conversation;  ///< number of the exchange it belongs to
  Time sent;
  std::span<const double> payload;
  Cause id;
  std::uint32_t row = kNoSlot;  ///< of the payload in the engine's pool
};

/// Why a run ended, or kPaused: it has not.
enum class End : std::uint8_t { kFinished, kTime, kEvents, kIdle, kPaused };

/// The publication of a neighbour that a reader uses.
struct Latest {
  std::uint32_t version = 0;        ///< publication number; 0: none has arrived, the public start is valid
  Time sent = 0;                    ///< when it was published
  std::span<const double> payload;  ///< empty at version 0; valid until the next event
};

}  // namespace hearsay::sim
