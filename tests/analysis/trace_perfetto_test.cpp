// The Perfetto format of a trace, against a small run computed by hand.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/trace/trace_text.hpp"
#include "tests/support/busy_run.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;
using nlohmann::json;
using sim::TraceKind;

namespace {

json events_of(const analysis::TraceOptions& options, const std::vector<sim::TraceRecord>& records) {
  const auto text = analysis::trace_text(analysis::TraceFormat::kPerfetto, options);
  std::string out = text->head();
  std::uint64_t sequence = 0;
  for (const auto& r : records) text->add(sequence++, r, options.wants(r), out);
  text->end(out);
  return json::parse(out);
}

// "X 1500000 +1 2 tick" and so on, in the order of the file; names of tracks left out.
std::vector<std::string> lines(const json& trace) {
  std::vector<std::string> all;
  for (const json& e : trace.at("traceEvents")) {
    if (e.at("ph") == "M") continue;
    std::string line = fmt::format("{} {}", e.at("ph").get<std::string>(), e.at("ts").get<double>());
    if (e.contains("dur")) line += fmt::format(" +{}", e.at("dur").get<double>());
    line += fmt::format(" agent {} {}", e.at("tid").get<int>() - 1, e.at("name").get<std::string>());
    if (e.contains("id")) line += fmt::format(" {}", e.at("id").get<int>());
    all.push_back(line);
  }
  return all;
}

const auto kTick = sim::order_key(sim::Rank::kTick, 1, 0);
const auto kFirst = sim::order_key(sim::Rank::kMessage, 1, 0);
const auto kSecond = sim::order_key(sim::Rank::kMessage, 1, 1);
const auto kThird = sim::order_key(sim::Rank::kMessage, 1, 2);
const auto kLast = sim::order_key(sim::Rank::kMessage, 2, 0);

// Agent 1 ticks at 1.5 s and sends three messages: to agent 0, delivered at 1.51 s; to agent 2, which is down
// from 1.505 s to 3 s and so loses it at 1.52 s; and to agent 3, lost on the link. At 3 s agent 2 comes up
// and sends to agent 0 a message that is still in flight at the end. Half a microsecond after the delivery agent 0's
// timer fires.
std::vector<sim::TraceRecord> story() {
  std::vector<sim::TraceRecord> all;
  all.push_back({.time = 0, .kind = TraceKind::kStart});
  all.push_back({.time = 1.5, .kind = TraceKind::kTick, .agent = 1, .cause = kTick, .iteration = 41});
  all.push_back({.time = 1.5,
                 .kind = TraceKind::kRelease,
                 .agent = 1,
                 .cause = kTick,
                 .iteration = 41,
                 .detail = "epsilon \"1\""});
  const auto send = [&](sim::Time at, sim::AgentId from, sim::AgentId to, sim::Cause id, sim::Cause cause) {
    all.push_back({.time = at,
                   .kind = TraceKind::kSend,
                   .agent = from,
                   .peer = to,
                   .message = id,
                   .cause = cause,
                   .bytes = 144,
                   .iteration = 41});
  };
  send(1.5, 1, 0, kFirst, kTick);
  send(1.5, 1, 2, kSecond, kTick);
  send(1.5, 1, 3, kThird, kTick);
  all.push_back({.time = 1.5,
                 .kind = TraceKind::kLose,
                 .agent = 3,
                 .peer = 1,
                 .message = kThird,
                 .cause = kTick,
                 .detail = "loss"});
  const auto down = sim::order_key(sim::Rank::kDown, 2, 1), up = sim::order_key(sim::Rank::kUp, 2, 2);
  all.push_back({.time = 1.505, .kind = TraceKind::kDown, .agent = 2, .cause = down});
  all.push_back({.time = 1.51,
                 .kind = TraceKind::kDeliver,
                 .agent = 0,
                 .peer = 1,
                 .message = kFirst,
                 .cause = kFirst,
                 .bytes = 144,
                 .staleness = 0.01,
                 .iteration = 42});
  all.push_back({.time = 1.5100005,
                 .kind = TraceKind::kTimer,
                 .agent = 0,
                 .cause = sim::order_key(sim::Rank::kTimer, 0, 0)});
  all.push_back({.time = 1.52,
                 .kind = TraceKind::kLose,
                 .agent = 2,
                 .peer = 1,
                 .message = kSecond,
                 .cause = kSecond,
                 .staleness = 0.02,
                 .detail = "receiver_down"});
  all.push_back({.time = 3, .kind = TraceKind::kUp, .agent = 2, .cause = up});
  send(3, 2, 0, kLast, up);
  return all;
}

}  // namespace

TEST_CASE("perfetto: a run computed by hand, in microseconds, with an arrow for each message that arrives") {
  const json trace = events_of({}, story());
  CHECK(lines(trace) == std::vector<std::string>{
                            "i 0 agent 0 start",
                            "X 1500000 +1 agent 1 tick",
                            "i 1500000 agent 1 lost: loss",
                            "X 1510000 +0.5 agent 0 from 1",  // shortened by the next event
                            "s 1500000 agent 1 message 1",
                            "f 1510000 agent 0 message 1",
                            "X 1510000.5 +1 agent 0 timer",
                            "i 1520000 agent 2 lost: receiver_down",
                            "s 1500000 agent 1 message 2",
                            "f 1520000 agent 2 message 2",
                            "X 1505000 +1495000 agent 2 down",
                            "X 3000000 +1 agent 2 send",
                        });
  CHECK(trace.at("otherData").at("messages_under_way_at_the_end") == 1);
  const auto& events = trace.at("traceEvents");
  const auto tick =
      std::find_if(events.begin(), events.end(), [](const json& e) { return e.at("name") == "tick"; });
  const auto sent = [](int n, int to) {
    return json{{"message", fmt::format("message:1:{}", n)}, {"to", to}, {"bytes", 144}};
  };
  CHECK(tick->at("args") == json{{"iteration", 41},
                                 {"events", {"tick:1:0"}},
                                 {"releases", {"epsilon \"1\""}},
                                 {"sent", {sent(0, 0), sent(1, 2), sent(2, 3)}}});
  const auto arrival =
      std::find_if(events.begin(), events.end(), [](const json& e) { return e.at("name") == "from 1"; });
  CHECK(arrival->at("args").at("received") ==
        json::array({{{"message", "message:1:0"}, {"from", 1}, {"bytes", 144}, {"staleness_s", 0.01}}}));
  CHECK(arrival->at("args").at("iteration") == 42);
  // Each track is named, once, after its agent.
  std::map<int, std::string> names;
  for (const json& e : events) {
    if (e.at("name") != "thread_name") continue;
    CHECK(names.emplace(e.at("tid").get<int>(), e.at("args").at("name").get<std::string>()).second);
  }
  CHECK(names == std::map<int, std::string>{{1, "agent 0"}, {2, "agent 1"}, {3, "agent 2"}});
}

TEST_CASE("perfetto: filters leave no incomplete arrow") {
  analysis::TraceOptions options;
  options.from = 1.505;
  options.to = 2;
  CHECK(lines(events_of(options, story())) ==
        std::vector<std::string>{
            "X 1510000 +0.5 agent 0 from 1", "X 1510000.5 +1 agent 0 timer",
            "i 1520000 agent 2 lost: receiver_down",
            "X 1505000 +495000 agent 2 down",  // up to the end of the filter
        });
  options = {};
  options.kinds = {TraceKind::kSend, TraceKind::kDeliver};
  CHECK(lines(events_of(options, story())) ==
        std::vector<std::string>{"X 1500000 +1 agent 1 send", "X 1510000 +0.5 agent 0 from 1",
                                 "s 1500000 agent 1 message 1", "f 1510000 agent 0 message 1",
                                 "X 3000000 +1 agent 2 send"});
  options = {};
  options.agent = 0;
  CHECK(lines(events_of(options, story())) ==
        std::vector<std::string>{"X 1500000 +1 agent 1 send", "X 1510000 +0.5 agent 0 from 1",
                                 "s 1500000 agent 1 message 1", "f 1510000 agent 0 message 1",
                                 "X 1510000.5 +1 agent 0 timer", "X 3000000 +1 agent 2 send"});
}

TEST_CASE("perfetto: in a busy run slices of a track nest or are disjoint, and arrows go forward in time") {
  const test::Scratch scratch;
  analysis::TraceOptions options;
  options.format = {analysis::TraceFormat::kPerfetto, analysis::TraceFormat::kCsv};
  analysis::TraceFiles files(options, scratch.path());
  test::Busy run;
  const std::uint64_t traced = run.run(&files);
  CHECK(traced == test::Busy().run());
  CHECK_FALSE(std::filesystem::exists(scratch / "trace.perfetto.json"));
  files.commit();
  CHECK(std::filesystem::exists(scratch / "trace.csv"));
  std::ifstream in(scratch / "trace.perfetto.json");
  const json trace = json::parse(in);

  std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> slices;  // ns, by track
  std::map<int, std::pair<int, int>> arrows;                                 // starts and ends, by number
  std::map<int, double> sent;
  std::map<std::string, std::uint64_t> lost;
  for (const json& e : trace.at("traceEvents")) {
    const std::string kind = e.at("ph");
    if (kind == "X") {
      const auto ns = [](const json& us) { return std::llround(us.get<double>() * 1000); };
      slices[e.at("tid")].emplace_back(ns(e.at("ts")), ns(e.at("ts")) + ns(e.at("dur")));
    }
    if (kind == "s") {
      ++arrows[e.at("id")].first;
      sent[e.at("id")] = e.at("ts");
    }
    if (kind == "f") {
      ++arrows[e.at("id")].second;
      CHECK(e.at("ts").get<double>() >= sent.at(e.at("id")));
    }
    if (kind == "i" && e.at("name").get<std::string>().starts_with("lost: ")) ++lost[e.at("name")];
  }
  for (const auto& [number, ends] : arrows) CHECK((ends.first == 1 && ends.second == 1));
  const auto& t = run.traffic;
  const auto lost_as = [&](sim::LossReason r) { return t.lost[static_cast<int>(r)]; };
  // A message that its receiver discards has been delivered to it.
  CHECK(arrows.size() ==
        t.delivered + lost_as(sim::LossReason::kStale) + lost_as(sim::LossReason::kReceiverDown));
  CHECK(lost["lost: loss"] == lost_as(sim::LossReason::kLoss));
  CHECK(lost["lost: receiver_down"] == lost_as(sim::LossReason::kReceiverDown));
  CHECK(lost["lost: sender_down"] == lost_as(sim::LossReason::kSenderDown));
  CHECK(lost["lost: stale"] == lost_as(sim::LossReason::kStale));
  CHECK(t.messages == t.delivered + lost_as(sim::LossReason::kStale) +
                          lost_as(sim::LossReason::kReceiverDown) + lost_as(sim::LossReason::kLoss) +
                          lost_as(sim::LossReason::kSenderDown) +
                          trace.at("otherData").at("messages_under_way_at_the_end").get<std::uint64_t>());
  for (auto& [track, all] : slices) {
    std::sort(all.begin(), all.end(),
              [](auto a, auto b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
    std::vector<std::int64_t> open;
    std::size_t misplaced = 0;
    for (const auto& [from, to] : all) {
      while (!open.empty() && open.back() <= from) open.pop_back();
      misplaced += !open.empty() && to > open.back() ? 1u : 0u;
      open.push_back(to);
    }
    CHECK(misplaced == 0);
  }
}

TEST_CASE("perfetto: a track is named by its agent's number and name") {
  const auto text =
      analysis::trace_text(analysis::TraceFormat::kPerfetto, {}, {"learner", "north \"1\"", ""});
  std::string out = text->head();
  std::uint64_t sequence = 0;
  for (const auto& r : story()) text->add(sequence++, r, true, out);
  text->end(out);
  std::map<int, std::string> names;
  const json trace = json::parse(out);
  for (const json& e : trace.at("traceEvents")) {
    if (e.at("name") == "thread_name") names[e.at("tid").get<int>()] = e.at("args").at("name");
  }
  CHECK(names.at(1) == "agent 0: learner");
  CHECK(names.at(2) == "agent 1: north \"1\"");
  CHECK(names.at(3) == "agent 2");
}

TEST_CASE(
    "perfetto: computations are slices that end when the agent goes down, events and timers have their "
    "names") {
  // Agent 1 computes on [1, 3), is down on [2, 2.5) within, and computes again on [4, 6), when it crashes at 5.
  std::vector<sim::TraceRecord> all;
  const auto add = [&](sim::Time at, TraceKind kind, std::string_view detail = {}) {
    all.push_back(
        {.time = at, .kind = kind, .agent = kind == TraceKind::kEvent ? sim::kNoAgent : 1, .detail = detail});
  };
  add(1, TraceKind::kCompute);
  add(2, TraceKind::kDown);
  add(2.5, TraceKind::kUp);
  add(3, TraceKind::kComputed);
  add(3.5, TraceKind::kSkip, "busy");
  add(4, TraceKind::kCompute);
  add(5, TraceKind::kEvent, "crash 1 for 2 s");
  add(5, TraceKind::kDown);
  add(7, TraceKind::kUp);
  add(7, TraceKind::kReset);
  add(8, TraceKind::kTimer, "timeout");
  CHECK(lines(events_of({}, all)) ==
        std::vector<std::string>{"X 1000000 +1000000 agent 1 computing", "X 2000000 +500000 agent 1 down",
                                 "X 2500000 +500000 agent 1 computing",
                                 "i 3500000 agent 1 skipped tick: busy",
                                 "X 4000000 +1000000 agent 1 computing", "i 5000000 agent 0 crash 1 for 2 s",
                                 "X 5000000 +2000000 agent 1 down", "X 8000000 +1 agent 1 timeout"});
  // A part ends with what is being computed then.
  analysis::TraceOptions part;
  part.to = 2.75;
  CHECK(lines(events_of(part, all)) == std::vector<std::string>{"X 1000000 +1000000 agent 1 computing",
                                                                "X 2000000 +500000 agent 1 down",
                                                                "X 2500000 +250000 agent 1 computing"});
}
