#include <catch2/catch.hpp>

#include <map>

#include "sim/random/random.hpp"
#include "tests/support/busy_run.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

TEST_CASE("engine: the fate of every message follows from its streams and the receiver's state") {
  Busy busy;
  test::TraceLog trace;
  busy.run(&trace);

  struct Fate {
    Time sent = 0, arrives = 0, settled = -1;
    AgentId to = 0;
    std::string how;  // "": under way
  };
  std::map<Cause, Fate> fates;
  std::map<std::pair<AgentId, AgentId>, std::uint32_t> transmitted;
  std::map<AgentId, bool> up;
  for (AgentId i = 0; i < 20; ++i) up[i] = true;
  std::size_t wrong = 0, stale = 0;
  for (const auto& [r, detail] : trace.entries) {
    if (r.kind == TraceKind::kUp || r.kind == TraceKind::kDown) up[r.agent] = r.kind == TraceKind::kUp;
    if (r.kind == TraceKind::kTick) wrong += up[r.agent] ? 0u : 1u;
    if (r.kind == TraceKind::kSkip) wrong += up[r.agent] ? 1u : 0u;
    if (r.kind == TraceKind::kSend || r.kind == TraceKind::kPublish) {
      Fate fate;
      fate.sent = r.time;
      fate.to = r.peer;
      if (!up[r.agent]) {
        fate.how = "sender_down";
      } else {
        const std::uint32_t n = transmitted[{r.agent, r.peer}]++;
        Stream loss = kStreams(Purpose::kLoss, r.agent, r.peer, n);
        Stream latency = kStreams(Purpose::kLatency, r.agent, r.peer, n);
        if (uniform(loss) < 0.15) fate.how = "loss";
        fate.arrives = r.time + exponential(latency, 0.7);
      }
      wrong += fates.emplace(r.message, fate).second ? 0u : 1u;  // no two with one name
    }
    if (r.kind != TraceKind::kDeliver && r.kind != TraceKind::kLose) continue;
    Fate& fate = fates.at(r.message);
    wrong += fate.to == r.agent && r.staleness == r.time - fate.sent ? 0u : 1u;
    if (detail == "stale") {
      ++stale;
      wrong += fate.how == "delivered" && fate.settled == r.time ? 0u : 1u;
      continue;
    }
    wrong += fate.settled < 0 ? 0u : 1u;  // only one fate
    fate.settled = r.time;
    if (fate.how.empty()) {
      fate.how = up[r.agent] ? "delivered" : "receiver_down";
      wrong += r.time == fate.arrives ? 0u : 1u;
    }
    wrong += fate.how == (r.kind == TraceKind::kDeliver ? "delivered" : detail) ? 0u : 1u;
  }
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [id, fate] : fates) {
    ++counts[fate.how];
    wrong += fate.how.empty() == (fate.settled < 0) ? 0u : 1u;
    if (fate.how.empty()) wrong += fate.arrives > busy.time ? 0u : 1u;
  }
  CHECK(wrong == 0);
  const auto lost = [&](LossReason reason) { return busy.traffic.lost[static_cast<int>(reason)]; };
  CHECK(counts["loss"] == lost(LossReason::kLoss));
  CHECK(counts["receiver_down"] == lost(LossReason::kReceiverDown));
  CHECK(counts["sender_down"] == lost(LossReason::kSenderDown));
  CHECK(stale == lost(LossReason::kStale));
  CHECK(counts["delivered"] == busy.traffic.delivered + stale);
  CHECK(fates.size() == busy.traffic.messages);
  for (const char* how : {"loss", "receiver_down", "sender_down", "delivered", ""}) CHECK(counts[how] > 0);
  CHECK(stale > 0);
}
