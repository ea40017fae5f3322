// The event trace of one run in the Trace Event Format (JSON), as read by ui.perfetto.dev and
// chrome://tracing. Times are in microseconds; agent i is thread i + 1 of process 1.
//
//   slice ("X")     everything that an agent does at one time: named after the event that it handles (tick, the name
//                   of a timer, "from 3"). Arguments: `events` that it handles, `iteration`, messages `received` and
//                   `sent`, `releases`. Handling takes no simulated time; it is drawn kSliceNs long, or until the
//                   next event of the run if that is sooner.
//   slice "computing", "down"    an agent computes; it is down
//   arrow           from the slice in which a message was sent ("s") to the one in which it arrives ("f")
//   instant ("i")   a message that is lost, with the reason: on its sender's track if it was lost before it arrived
//                   (loss, sender_down), else on its receiver's (receiver_down: there the arrow ends; stale: after
//                   its delivery). A tick that an agent misses, with the reason. A global one: an entry of the
//                   scenario's events.
//
// An arrow is written when its end is known, so that every start has its end; messages that are still in flight at the
// end are counted under otherData.
#include <fmt/format.h>
#include <cereal/types/set.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analysis/store/json.hpp"
#include "analysis/trace/trace_text.hpp"
#include "sim/state/archive.hpp"

namespace hearsay::analysis {

namespace {

using sim::TraceKind;

std::int64_t nanoseconds(sim::Time t) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::llround(std::min(t * 1e9, kMost)));
}

// Microseconds, exact: viewers read three digits after the point.
std::string microseconds(std::int64_t ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

// One event, from the comma after the previous one.
std::string event(const char* phase, std::uint64_t tid, std::int64_t ns, const std::string& members) {
  return fmt::format(",\n{{\"ph\":{},\"pid\":1,\"tid\":{},\"ts\":{},{}}}", phase, tid, microseconds(ns),
                     members);
}

class TracePerfetto final : public TraceText {
 public:
  static constexpr std::int64_t kSliceNs = 1000;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t kMaxNamed = 16;  // actions of an agent at one time; the others are counted

  TracePerfetto(const TraceOptions& options, std::vector<std::string> names)
      : options_(options),
        names_(std::move(names)),
        periods_(options.wants(TraceKind::kDown) && options.wants(TraceKind::kUp)),
        computations_(options.wants(TraceKind::kCompute) && options.wants(TraceKind::kComputed)) {}
  std::string head() override {
    return R"({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"agents"}})";
  }
  void add(std::uint64_t, const sim::TraceRecord& r, bool wanted, std::string& out) override {
    const std::int64_t now = nanoseconds(std::min(r.time, options_.to));
    if (now > now_) flush(now, out);
    switch (r.kind) {
      case TraceKind::kStart:
        if (wanted) later_ += event(R"("i","s":"g")", 1, now_, R"("name":"start")");
        break;
      case TraceKind::kTick:
      case TraceKind::kTimer:
        if (wanted) act(r, named(r), "events", happening(r.cause));
        break;
      case TraceKind::kSkip:
        if (wanted) instant(r, r.agent, fmt::format("skipped tick: {}", r.detail));
        break;
      case TraceKind::kHostile:
        if (wanted) instant(r, r.agent, fmt::format("hostile: {}", r.detail));
        break;
      case TraceKind::kSend:
      case TraceKind::kPublish:
        if (!wanted) break;
        act(r, std::string(sim::name(r.kind)), "sent",
            Json{{"message", happening(r.message)}, {"to", r.peer}, {"bytes", r.bytes}});
        if (options_.wants(TraceKind::kDeliver) || options_.wants(TraceKind::kLose))
          under_way_[r.message] = {now_, r.agent};
        break;
      case TraceKind::kDeliver:
        if (wanted) {
          act(r, fmt::format("from {}", r.peer), "received",
              Json{{"message", happening(r.message)},
                   {"from", r.peer},
                   {"bytes", r.bytes},
                   {"staleness_s", r.staleness}});
          arrow(r, r.peer, r.agent);
        }
        under_way_.erase(r.message);
        break;
      case TraceKind::kLose:
        lost(r, wanted);
        break;
      case TraceKind::kDown:
        if (r.time > options_.to) break;
        down_since_[r.agent] = now_;
        interrupt(r.agent, out);
        break;
      case TraceKind::kUp:
        if (const auto down = down_since_.find(r.agent); down != down_since_.end() && r.time <= options_.to) {
          came_up(r.agent, down->second, now_, out);
          down_since_.erase(down);
          if (const auto since = computing_since_.find(r.agent); since != computing_since_.end())
            since->second = now_;
        }
        break;
      case TraceKind::kCompute:
        if (r.time <= options_.to) computing_since_[r.agent] = now_;
        break;
      case TraceKind::kComputed:
        if (r.time <= options_.to) interrupt(r.agent, out);
        [[fallthrough]];
      case TraceKind::kReset:
        if (r.time <= options_.to) computing_since_.erase(r.agent);
        break;
      case TraceKind::kEvent:
        if (wanted)
          later_ += event(R"("i","s":"g")", 1, now_, fmt::format(R"("name":{})", json_text(r.detail)));
        break;
      case TraceKind::kRelease:
        if (wanted) act(r, "release", "releases", std::string(r.detail));
        break;
      case TraceKind::kView:
        if (wanted) act(r, "view", "views", std::string(r.detail));
        break;
    }
  }
  void end(std::string& out) override {
    flush(now_ + kSliceNs, out);
    now_ -= kSliceNs;
    for (const auto& [agent, since] : down_since_) came_up(agent, since, now_, out);
    for (const auto& [agent, since] : computing_since_) interrupt(agent, out);
    out += fmt::format("\n],\"otherData\":{{\"messages_under_way_at_the_end\":{}}}}}\n", under_way_.size());
  }
  void save(cereal::BinaryOutputArchive& archive) const override {
    const_cast<TracePerfetto*>(this)->serialize(archive);  // NOLINT: it writes what it finds
  }
  void load(cereal::BinaryInputArchive& archive) override { serialize(archive); }

 private:
  struct Slice {
    std::string name;
    Json args;
    std::size_t actions = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      std::string text = args.dump();
      archive(name, text, actions);
      args = Json::parse(text);
    }
  };
  struct Sent {
    std::int64_t time;  // ns
    sim::AgentId from;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(time, from);
    }
  };

  template <class Archive>
  void serialize(Archive& archive) {
    archive(now_, slices_, later_, under_way_, down_since_, computing_since_, named_, arrows_);
  }

  // "agent 3: north"
  std::string title_of(sim::AgentId agent) const {
    const std::string title = fmt::format("agent {}", agent);
    return agent < names_.size() && !names_[agent].empty() ? title + ": " + names_[agent] : title;
  }
  // The thread of an agent; names it when it is first used.
  std::uint64_t thread(sim::AgentId agent, std::string& out) {
    const std::uint64_t tid = std::uint64_t{agent} + 1;
    if (named_.insert(agent).second) {
      out += fmt::format(R"(,
{{"ph":"M","pid":1,"tid":{0},"name":"thread_name","args":{{"name":{2}}}}},
{{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{1}}}}})",
                         tid, agent, json_text(title_of(agent)));
    }
    return tid;
  }
  void flush(std::int64_t now, std::string& out) {
    for (const auto& [agent, slice] : slices_) {
      const std::uint64_t tid = thread(agent, out);
      out +=
          event(R"("X")", tid, now_,
                fmt::format(R"("dur":{},"name":{},"args":{})", microseconds(std::min(kSliceNs, now - now_)),
                            json_text(slice.name), json_text(slice.args)));
    }
    slices_.clear();
    out += later_;
    later_.clear();
    now_ = now;
  }
  // The name of a timer, or of the kind of event.
  static std::string named(const sim::TraceRecord& r) {
    const bool timer = r.kind == TraceKind::kTimer && !r.detail.empty();
    return std::string(timer ? r.detail : sim::name(r.kind));
  }
  void act(const sim::TraceRecord& r, std::string name, const char* list, Json what) {
    Slice& slice = slices_[r.agent];
    if (slice.name.empty()) slice.name = std::move(name);
    slice.args["iteration"] = r.iteration;
    if (++slice.actions > kMaxNamed) {
      slice.args["more"] = slice.actions - kMaxNamed;
    } else {
      slice.args[list].push_back(std::move(what));
    }
  }
  void arrow(const sim::TraceRecord& r, sim::AgentId from, sim::AgentId to) {
    const auto sent = under_way_.find(r.message);
    if (sent == under_way_.end()) return;
    const std::string members = fmt::format(R"("cat":"message","name":"message","id":{})", ++arrows_);
    later_ += event(R"("s")", std::uint64_t{from} + 1, sent->second.time, members);
    later_ += event(R"("f","bp":"e")", std::uint64_t{to} + 1, now_, members);
  }
  void lost(const sim::TraceRecord& r, bool wanted) {
    const bool arrived = r.detail == sim::name(sim::LossReason::kReceiverDown) ||
                         r.detail == sim::name(sim::LossReason::kStale) ||
                         r.detail == sim::name(sim::LossReason::kNotFinite);
    if (wanted) {
      instant(r, arrived ? r.agent : r.peer, fmt::format("lost: {}", r.detail));
      if (arrived) arrow(r, r.peer, r.agent);
    }
    under_way_.erase(r.message);
  }
  void instant(const sim::TraceRecord& r, sim::AgentId track, const std::string& name) {
    std::string args = fmt::format(R"("cause":"{}","iteration":{})", happening(r.cause), r.iteration);
    if (r.peer != sim::kNoAgent)
      args += fmt::format(R"(,"message":"{}","from":{},"to":{})", happening(r.message), r.peer, r.agent);
    const std::uint64_t tid = thread(track, later_);
    later_ +=
        event(R"("i","s":"t")", tid, now_, fmt::format(R"("name":{},"args":{{{}}})", json_text(name), args));
  }
  void came_up(sim::AgentId agent, std::int64_t since, std::int64_t until, std::string& out) {
    if (periods_) period("down", agent, since, until, out);
  }
  // The agent's computation is over, or goes on when the agent is up again.
  void interrupt(sim::AgentId agent, std::string& out) {
    const auto since = computing_since_.find(agent);
    if (since == computing_since_.end() || !computations_) return;
    period("computing", agent, since->second, now_, out);
    since->second = kNever;
  }
  void period(const char* name, sim::AgentId agent, std::int64_t since, std::int64_t until,
              std::string& out) {
    const std::int64_t from = std::max(since, nanoseconds(options_.from));
    if (!options_.wants_agent(agent) || until <= from) return;
    const std::uint64_t tid = thread(agent, out);
    out +=
        event(R"("X")", tid, from, fmt::format(R"("dur":{},"name":"{}")", microseconds(until - from), name));
  }

  TraceOptions options_;
  std::vector<std::string> names_;        // of agents
  bool periods_, computations_;           // whether times down and computations are written
  std::int64_t now_ = 0;                  // ns
  std::map<sim::AgentId, Slice> slices_;  // at this time
  std::string later_;                     // text at this time, after the slices
  std::map<sim::Cause, Sent> under_way_;  // messages whose sending was written
  std::map<sim::AgentId, std::int64_t> down_since_;
  std::map<sim::AgentId, std::int64_t> computing_since_;  // kNever while the agent is down
  std::set<sim::AgentId> named_;
  std::uint64_t arrows_ = 0;
};

}  // namespace

std::unique_ptr<TraceText> perfetto_text(const TraceOptions& options, std::vector<std::string> names) {
  return std::make_unique<TracePerfetto>(options, std::move(names));
}

}  // namespace hearsay::analysis
