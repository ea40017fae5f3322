#include "analysis/trace/trace_perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

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

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

TracePerfetto::TracePerfetto(const TraceOptions& options)
    : options_(options), periods_(options.wants(TraceKind::kDown) && options.wants(TraceKind::kUp)) {}

std::string TracePerfetto::head() {
  return R"({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"agents"}})";
}

std::uint64_t TracePerfetto::thread(sim::AgentId agent, std::string& out) {
  const std::uint64_t tid = std::uint64_t{agent} + 1;
  if (named_.insert(agent).second) {
    out += fmt::format(
        ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"name\":\"thread_name\",\"args\":{{\"name\":\"agent "
        "{1}\"}}}}"
        ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{1}"
        "}}}}",
        tid, agent);
  }
  return tid;
}

void TracePerfetto::add(std::uint64_t, const sim::TraceRecord& r, bool wanted, std::string& out) {
  const std::int64_t now = nanoseconds(std::min(r.time, options_.to));
  if (now > now_) flush(now, out);
  switch (r.kind) {
    case TraceKind::kStart:
      if (wanted)
        later_ +=
            fmt::format(",\n{{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":1,\"ts\":{},\"name\":\"start\"}}",
                        microseconds(now_));
      break;
    case TraceKind::kTick:
      if (wanted) act(r, "tick", happening(r.cause));
      break;
    case TraceKind::kTimer:
      if (wanted) act(r, "timer", happening(r.cause));
      break;
    case TraceKind::kSkip:
      if (wanted) instant(r, r.agent, "skipped tick");
      break;
    case TraceKind::kSend:
    case TraceKind::kPublish:
      if (!wanted) break;
      act(r, std::string(sim::name(r.kind)),
          fmt::format("{} {} to {}, {} B", sim::name(r.kind), happening(r.message), r.peer, r.bytes));
      if (options_.wants(TraceKind::kDeliver) || options_.wants(TraceKind::kLose))
        under_way_[r.message] = {now_, r.agent};
      break;
    case TraceKind::kDeliver:
      if (wanted) {
        act(r, fmt::format("from {}", r.peer),
            fmt::format("deliver {} from {}, sent {:.6g} s ago", happening(r.message), r.peer, r.staleness));
        arrow(r, r.peer, r.agent);
      }
      under_way_.erase(r.message);
      break;
    case TraceKind::kLose:
      lost(r, wanted);
      break;
    case TraceKind::kDown:
      if (r.time <= options_.to) down_since_[r.agent] = now_;
      break;
    case TraceKind::kUp:
      if (const auto down = down_since_.find(r.agent); down != down_since_.end() && r.time <= options_.to) {
        came_up(r.agent, down->second, now_, out);
        down_since_.erase(down);
      }
      break;
    case TraceKind::kRelease:
      if (wanted) act(r, "release", fmt::format("release {}", r.detail));
      break;
  }
}

void TracePerfetto::act(const sim::TraceRecord& r, std::string name, std::string what) {
  Slice& slice = slices_[r.agent];
  if (slice.name.empty()) slice.name = std::move(name);
  if (slice.what.size() < kMostNamed) {
    slice.what.push_back(std::move(what));
  } else {
    ++slice.more;
  }
}

void TracePerfetto::arrow(const sim::TraceRecord& r, sim::AgentId from, sim::AgentId to) {
  const auto sent = under_way_.find(r.message);
  if (sent == under_way_.end()) return;
  const std::uint64_t number = ++arrows_;
  const auto line = [&](const char* kind, std::int64_t time, sim::AgentId agent) {
    later_ += fmt::format(
        ",\n{{\"ph\":{},\"cat\":\"message\",\"name\":\"message\",\"id\":{},\"pid\":1,\"tid\":{},\"ts\":{}}}",
        kind, number, std::uint64_t{agent} + 1, microseconds(time));
  };
  line("\"s\"", sent->second.time, from);
  line("\"f\",\"bp\":\"e\"", now_, to);
}

void TracePerfetto::lost(const sim::TraceRecord& r, bool wanted) {
  const bool arrived =
      r.detail == sim::name(sim::LossReason::kReceiverDown) || r.detail == sim::name(sim::LossReason::kStale);
  if (wanted) {
    instant(r, arrived ? r.agent : r.peer, fmt::format("lost: {}", r.detail));
    if (arrived) arrow(r, r.peer, r.agent);
  }
  under_way_.erase(r.message);
}

void TracePerfetto::instant(const sim::TraceRecord& r, sim::AgentId track, const std::string& name) {
  std::string args = fmt::format("\"cause\":\"{}\"", happening(r.cause));
  if (r.peer != sim::kNoAgent)
    args += fmt::format(",\"message\":\"{}\",\"from\":{},\"to\":{}", happening(r.message), r.peer, r.agent);
  const std::uint64_t tid = thread(track, later_);
  later_ += fmt::format(
      ",\n{{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":{},\"ts\":{},\"name\":{},\"args\":{{{}}}}}", tid,
      microseconds(now_), json_text(name), args);
}

void TracePerfetto::came_up(sim::AgentId agent, std::int64_t since, std::int64_t until, std::string& out) {
  const std::int64_t from = std::max(since, nanoseconds(options_.from));
  if (!periods_ || !options_.wants_agent(agent) || until <= from) return;
  const std::uint64_t tid = thread(agent, out);
  out += fmt::format(",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},\"name\":\"down\"}}", tid,
                     microseconds(from), microseconds(until - from));
}

void TracePerfetto::flush(std::int64_t now, std::string& out) {
  for (const auto& [agent, slice] : slices_) {
    const std::uint64_t tid = thread(agent, out);
    out += fmt::format(",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},\"name\":{},\"args\":{{",
                       tid, microseconds(now_), microseconds(std::min(kSliceNs, now - now_)),
                       json_text(slice.name));
    for (std::size_t k = 0; k < slice.what.size(); ++k)
      out += fmt::format("{}\"{}\":{}", k == 0 ? "" : ",", k, json_text(slice.what[k]));
    if (slice.more > 0) out += fmt::format(",\"more\":{}", slice.more);
    out += "}}";
  }
  slices_.clear();
  out += later_;
  later_.clear();
  now_ = now;
}

void TracePerfetto::end(std::string& out) {
  flush(now_ + kSliceNs, out);
  now_ -= kSliceNs;
  for (const auto& [agent, since] : down_since_) came_up(agent, since, now_, out);
  out += fmt::format("\n],\"otherData\":{{\"messages_under_way_at_the_end\":{}}}}}\n", under_way_.size());
}

}  // namespace hearsay::analysis
