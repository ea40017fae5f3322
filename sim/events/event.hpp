#pragma once
// An event and the order of events: (time, key), key = rank (4 bits) | source (28) | sequence (32). The sequence counts
// the source's events of that rank, so the order depends on neither insertion nor the queue.
#include <bit>
#include <cstdint>
#include <type_traits>

#include "sim/time.hpp"

namespace hearsay::sim {

/// Order at equal times: agents go down, come up, messages arrive, timers fire, clocks tick, observations are made.
enum class Rank : std::uint8_t { kDown = 0, kUp = 1, kMessage = 2, kTimer = 3, kTick = 4, kObservation = 5 };

/// What happens. The arrival of a publication has the rank of a message, but no handler is called. The end of a
/// computation has the rank of a timer: its messages are sent (kSendMessage, kSendPublication), then the agent is free
/// (kFree).
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
  kFree,
  kTimeline
};

/// Source in the order keys of a timeline's events, which come after agents go down and before they come up.
inline constexpr AgentId kTimelineSource = kMaxAgents - 1;

inline constexpr std::uint32_t kNoSlot = 0xFFFF'FFFF;

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

/// 32 bytes, trivially copyable. Made by the functions below, which give the contents of each kind of event besides its
/// time, key and agent. A field that two kinds use differently is read by the name that it has for each kind.
class Event {
 public:
  // Flags, set and read by the engine.
  static constexpr std::uint8_t kAtDownlink = 1;  ///< a message has reached its receiver's downlink
  static constexpr std::uint8_t kOffline = 2;     ///< a message finds its receiver offline
  static constexpr std::uint8_t kDeferred = 4;    ///< a tick that its agent missed and makes now
  static constexpr std::uint8_t kReleased = 8;    ///< it has waited, and others may wait behind it
  static constexpr std::uint8_t kReceived = 16;   ///< a message waits, or has waited, for an agent that is up

  Event() = default;
  Event(Time at, std::uint64_t order, AgentId agent, EventKind what, std::uint32_t slot_or_number = kNoSlot,
        std::uint32_t life_or_edge = 0, std::uint16_t purpose = 0)
      : time(at),
        key(order),
        target(agent),
        life_or_edge_(life_or_edge),
        slot_or_number_(slot_or_number),
        kind(what),
        flags(0),
        tag(purpose) {}

  /// The agent's n-th tick.
  static Event tick(Time at, AgentId i, std::uint32_t n) {
    return {at, order_key(Rank::kTick, i, n), i, EventKind::kTick};
  }
  static Event observation(Time at, std::uint32_t n) {
    return {at, order_key(Rank::kObservation, 0, n), 0, EventKind::kObservation};
  }
  /// The n-th entry of a timeline.
  static Event timeline(Time at, std::uint32_t n) {
    return {at, order_key(Rank::kDown, kTimelineSource, n), 0, EventKind::kTimeline};
  }
  /// An agent comes up (`up`) or goes down; `n` counts such events of one agent.
  static Event change(Time at, AgentId i, bool up, std::uint32_t n) {
    return {at, order_key(up ? Rank::kUp : Rank::kDown, i, n), i, up ? EventKind::kUp : EventKind::kDown};
  }
  /// A message in payload row `slot` reaches `to`; the key contains its sender.
  static Event message(Time at, std::uint64_t key, AgentId to, std::uint32_t slot, std::uint16_t tag) {
    return {at, key, to, EventKind::kMessage, slot, 0, tag};
  }
  /// A publication reaches a reader, which stores it by the position `edge` of its edge to the publisher.
  static Event publication(Time at, std::uint64_t key, AgentId reader, std::uint32_t slot,
                           std::uint32_t edge) {
    return {at, key, reader, EventKind::kPublication, slot, edge};
  }
  // The following are valid in one life of the agent in their key.
  static Event timer(Time at, std::uint64_t key, std::uint32_t life, std::uint16_t tag,
                     std::uint32_t number) {
    return {at, key, source_of(key), EventKind::kTimer, number, life, tag};
  }
  /// A computation has ended: a message sent meanwhile leaves (`to`: its receiver, or the publisher itself) ...
  static Event departure(Time at, std::uint64_t key, std::uint32_t life, EventKind kind, AgentId to,
                         std::uint32_t slot, std::uint16_t tag = 0) {
    return {at, key, to, kind, slot, life, tag};
  }
  /// ... and the agent is free.
  static Event free(Time at, std::uint64_t key, std::uint32_t life) {
    return {at, key, source_of(key), EventKind::kFree, kNoSlot, life};
  }

  /// The sender or publisher; of a tick, a timer or a change of state, the agent itself.
  AgentId source() const { return source_of(key); }
  /// Payload row of a message or publication.
  std::uint32_t slot() const { return slot_or_number_; }
  /// Number that a timer was set with.
  std::uint32_t number() const { return slot_or_number_; }
  /// Life of the agent in which it is valid.
  std::uint32_t life() const { return life_or_edge_; }
  /// Position of the edge from reader to publisher.
  std::uint32_t edge() const { return life_or_edge_; }
  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  void clear(std::uint8_t some) { flags = static_cast<std::uint8_t>(flags & ~some); }

  Time time;
  std::uint64_t key;
  AgentId target;

 private:
  std::uint32_t life_or_edge_, slot_or_number_;

 public:
  EventKind kind;
  std::uint8_t flags;
  std::uint16_t tag;  ///< kind of message or timer, defined by the protocol
};
static_assert(sizeof(Event) == 32 && std::is_trivially_copyable_v<Event>);

/// True if a comes before b. Times are not negative, so their bits have the order of the numbers, and one 128-bit
/// comparison without a branch suffices.
inline bool before(const Event& a, const Event& b) {
  __extension__ using Wide = unsigned __int128;
  const Wide left = (Wide{std::bit_cast<std::uint64_t>(a.time)} << 64) | a.key;
  const Wide right = (Wide{std::bit_cast<std::uint64_t>(b.time)} << 64) | b.key;
  return left < right;
}

}  // namespace hearsay::sim
