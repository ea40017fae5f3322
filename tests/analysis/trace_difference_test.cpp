// The first difference of runs that are lists of events.
#include <catch2/catch.hpp>

#include "analysis/trace/trace_difference.hpp"

using namespace hearsay;
using analysis::kTraceBlock;

namespace {

using Run = std::vector<sim::TraceRecord>;

// `count` ticks, one per second, by three agents in turn.
Run ticks(std::uint64_t count) {
  Run run;
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto agent = static_cast<sim::AgentId>(k % 3);
    run.push_back({.time = static_cast<double>(k),
                   .kind = sim::TraceKind::kTick,
                   .agent = agent,
                   .cause = sim::order_key(sim::Rank::kTick, agent, static_cast<std::uint32_t>(k / 3))});
  }
  return run;
}

analysis::MakeRun make(const Run& run) {
  return [&run](sim::TraceSink& sink, const std::atomic<bool>& enough) {
    for (const auto& r : run) {
      if (enough) return;
      sink.record(r);
    }
  };
}

std::optional<analysis::EventDifference> compare(const Run& a, const Run& b) {
  return analysis::first_difference(make(a), make(b));
}

}  // namespace

TEST_CASE("trace difference: equal runs have none, whatever their length") {
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, kTraceBlock - 1, kTraceBlock, kTraceBlock + 1, 2 * kTraceBlock})
    CHECK_FALSE(compare(ticks(n), ticks(n)));
}

TEST_CASE("trace difference: the first changed event is found, in the middle and at the ends of blocks") {
  const Run run = ticks(3 * kTraceBlock);
  for (const std::uint64_t at :
       {std::uint64_t{0}, std::uint64_t{5}, kTraceBlock - 1, kTraceBlock, 3 * kTraceBlock - 1}) {
    Run other = run;
    other[at].agent = 7;
    if (at + 1 < other.size()) other[at + 1].agent = 8;
    const auto found = compare(run, other);
    REQUIRE(found);
    CHECK(found->number == at);
    CHECK(found->first->record.agent == at % 3);
    CHECK(found->second->record.agent == 7);
  }
}

TEST_CASE("trace difference: a run that ends sooner differs where it ends") {
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{10}, kTraceBlock, kTraceBlock + 3}) {
    const auto found = compare(ticks(2 * kTraceBlock), ticks(n));
    REQUIRE(found);
    CHECK(found->number == n);
    CHECK(found->first->record.time == static_cast<double>(n));
    CHECK_FALSE(found->second);
    const auto turned = compare(ticks(n), ticks(2 * kTraceBlock));
    REQUIRE(turned);
    CHECK(turned->number == n);
    CHECK_FALSE(turned->first);
  }
}

TEST_CASE("trace difference: every part of an event counts") {
  const Run run = ticks(3);
  const auto differs = [&](auto&& change) {
    Run other = run;
    change(other[1]);
    const auto found = compare(run, other);
    return found && found->number == 1;
  };
  CHECK(differs([](auto& r) { r.time += 1e-15; }));
  CHECK(differs([](auto& r) { r.kind = sim::TraceKind::kSkip; }));
  CHECK(differs([](auto& r) { r.peer = 2; }));
  CHECK(differs([](auto& r) { r.message = 1; }));
  CHECK(differs([](auto& r) { r.cause += 1; }));
  CHECK(differs([](auto& r) { r.bytes = 8; }));
  CHECK(differs([](auto& r) { r.staleness = 0; }));
  CHECK(differs([](auto& r) { r.detail = "epsilon 0.1"; }));
}

TEST_CASE("trace difference: text of an event") {
  const auto id = sim::order_key(sim::Rank::kMessage, 1, 4), tick = sim::order_key(sim::Rank::kTick, 1, 9);
  CHECK(analysis::event_text({{.time = 0, .kind = sim::TraceKind::kStart}, ""}) == "0 s  start");
  CHECK(analysis::event_text({{.time = 1.25,
                               .kind = sim::TraceKind::kSend,
                               .agent = 1,
                               .peer = 0,
                               .message = id,
                               .cause = tick,
                               .bytes = 144},
                              ""}) == "1.25 s  send  agent 1 to 0  message:1:4  in tick:1:9  144 B");
  CHECK(analysis::event_text(
            {{.time = 1, .kind = sim::TraceKind::kDeliver, .agent = 1, .peer = 0, .bytes = 8}, ""},
            {"", "UK"}) == "1 s  deliver  agent 1 (UK) from 0  down:0:0  8 B");
  CHECK(analysis::event_text({{.time = 2,
                               .kind = sim::TraceKind::kLose,
                               .agent = 0,
                               .peer = 1,
                               .message = id,
                               .cause = id,
                               .bytes = 144},
                              "receiver_down"}) ==
        "2 s  lose  agent 0 from 1  message:1:4  144 B  receiver_down");
}
