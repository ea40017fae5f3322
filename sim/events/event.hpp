#pragma once
// An event and the order of events: (time, key), key = rank (4 bits) | source (28) | sequence (32). The
// sequence counts the source's emissions of that rank, so the order depends on neither insertion nor the
// queue.
#include <bit>
#include <cstdint>
#include <type_traits>

#include "sim/time.hpp"

namespace hearsay::sim {

/// At equal times: an agent goes down, comes up, then messages arrive, timers fire, clocks tick, observers
/// look.
enum class Rank : std::uint8_t { kDown = 0, kUp = 1, kMessage = 2, kTimer = 3, kTick = 4, kObservation = 5 };

/// What happens. A publication's arrival has the rank of a message, but no handler is told of it.
/// The end of a computation has the rank of a timer: what was to be sent is (kSendMessage, kSendPublication),
/// then the agent is free (kFree).
enum class EventKind : std::uint8_t {
  kDown,
  kUp,
  kMessage,
  kPublication,
  kTimer,
  kTick,
  kObservation,
  kSendMessage,
  kSendPublication,
  kFree
};

inline constexpr std::uint32_t kNoSlot = 0xFFFF'FFFF;

/// 32 bytes, trivially copyable.
struct Event {
  Time time;
  std::uint64_t key;
  AgentId target;
  AgentId source;
  std::uint32_t slot;  ///< payload row of a message; the number a timer was set with
  EventKind kind;
  std::uint8_t flags;  ///< the engine's own
  std::uint16_t tag;   ///< the protocol's own: what the message or timer is for
};
static_assert(sizeof(Event) == 32 && std::is_trivially_copyable_v<Event>);

constexpr std::uint64_t order_key(Rank rank, AgentId source, std::uint32_t sequence) {
  return (std::uint64_t{static_cast<std::uint8_t>(rank)} << 60) | (std::uint64_t{source} << 32) | sequence;
}
constexpr std::uint32_t sequence_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key);
}
constexpr AgentId source_of(std::uint64_t key) {
  return static_cast<AgentId>(key >> 32) & (kMaxAgents - 1);
}
constexpr Rank rank_of(std::uint64_t key) {
  return static_cast<Rank>(key >> 60);
}

/// True if a comes before b. Times are not negative, so their bits order as the numbers do, and one 128-bit
/// comparison without a branch decides.
inline bool before(const Event& a, const Event& b) {
  __extension__ using Wide = unsigned __int128;
  const Wide left = (Wide{std::bit_cast<std::uint64_t>(a.time)} << 64) | a.key;
  const Wide right = (Wide{std::bit_cast<std::uint64_t>(b.time)} << 64) | b.key;
  return left < right;
}

}  // namespace hearsay::sim
