#pragma once
// Receives a record of everything that happens in a run; it draws nothing and changes nothing.
#include <cstdint>
#include <limits>
#include <string_view>

#include "sim/events/event.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

enum class TraceKind : std::uint8_t {
  kStart,
  kTick,
  kSkip,
  kSend,
  kPublish,
  kDeliver,
  kLose,
  kUp,
  kDown,
  kTimer,
  kRelease
};
std::string_view name(TraceKind kind);

/// Why a message was lost.
enum class LossReason : std::uint8_t { kLoss, kReceiverDown, kSenderDown, kStale, kPartition };
inline constexpr int kLossReasons = 5;
std::string_view name(LossReason reason);

/// Names something that happened by its order key: "tick 3.17" is the 17th tick of agent 3. 0 stands for the
/// start.
using Cause = std::uint64_t;

struct TraceRecord {
  Time time = 0;
  TraceKind kind = TraceKind::kStart;
  AgentId agent = kNoAgent;  ///< who acts: the sender of a send, the receiver of a delivery
  AgentId peer = kNoAgent;   ///< the other end of a message
  Cause message = 0;         ///< order key of the message that is sent, delivered or lost
  Cause cause = 0;           ///< order key of the event that is being handled
  std::uint64_t bytes = 0;
  double staleness = std::numeric_limits<double>::quiet_NaN();  ///< s since the message was sent
  std::string_view detail = {};  ///< reason of a loss, what a release was charged, ...
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(const TraceRecord& record) = 0;

 protected:
  TraceSink() = default;
  TraceSink(const TraceSink&) = default;
  TraceSink& operator=(const TraceSink&) = default;
};

}  // namespace hearsay::sim
