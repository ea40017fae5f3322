#include "sim/trace/trace_sink.hpp"

namespace hearsay::sim {

std::string_view name(TraceKind kind) {
  switch (kind) {
    case TraceKind::kStart:
      return "start";
    case TraceKind::kTick:
      return "tick";
    case TraceKind::kSkip:
      return "skip";
    case TraceKind::kSend:
      return "send";
    case TraceKind::kPublish:
      return "publish";
    case TraceKind::kDeliver:
      return "deliver";
    case TraceKind::kLose:
      return "lose";
    case TraceKind::kUp:
      return "up";
    case TraceKind::kDown:
      return "down";
    case TraceKind::kTimer:
      return "timer";
    case TraceKind::kRelease:
      return "release";
  }
  return "";
}

std::string_view name(LossReason reason) {
  switch (reason) {
    case LossReason::kLoss:
      return "loss";
    case LossReason::kReceiverDown:
      return "receiver_down";
    case LossReason::kSenderDown:
      return "sender_down";
    case LossReason::kStale:
      return "stale";
    case LossReason::kPartition:
      return "partition";
  }
  return "";
}

}  // namespace hearsay::sim
