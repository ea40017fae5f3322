#pragma once
// The event trace of one run in the Trace Event Format (JSON), as read by ui.perfetto.dev and
// chrome://tracing. Times are in microseconds; agent i is thread i + 1 of process 1.
//
//   slice ("X")     all that an agent does in one instant: named after what it handles (tick, timer, "from 3"),
//                   with what it sent and released among its arguments. Handling takes no simulated time; it
//                   is drawn kSliceNs long, or until the next event of the run if that is sooner.
//   slice "down"    an agent is down
//   arrow           from the slice in which a message was sent ("s") to the one in which it arrives ("f")
//   instant ("i")   a message that is lost, with the reason: on its sender's track if it never got off (loss,
//                   sender_down), else on its receiver's (receiver_down: there the arrow ends; stale: after
//                   its delivery). A tick of an agent that is down.
//
// An arrow is written when its end is known, so that every start has its end; messages that are still under
// way at the end are counted under otherData.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/trace/trace_text.hpp"

namespace hearsay::analysis {

class TracePerfetto final : public TraceText {
 public:
  static constexpr std::int64_t kSliceNs = 1000;
  /// Of what an agent does in one instant, so many things are named.
  static constexpr std::size_t kMostNamed = 16;

  explicit TracePerfetto(const TraceOptions& options);
  std::string head() override;
  void add(std::uint64_t sequence, const sim::TraceRecord& record, bool wanted, std::string& out) override;
  void end(std::string& out) override;

 private:
  struct Slice {
    std::string name;
    std::vector<std::string> what;
    std::size_t more = 0;
  };
  struct Sent {
    std::int64_t time;  // ns
    sim::AgentId from;
  };
  void flush(std::int64_t now, std::string& out);
  void act(const sim::TraceRecord& r, std::string name, std::string what);
  void arrow(const sim::TraceRecord& r, sim::AgentId from, sim::AgentId to);
  void lost(const sim::TraceRecord& r, bool wanted);
  void instant(const sim::TraceRecord& r, sim::AgentId track, const std::string& name);
  void came_up(sim::AgentId agent, std::int64_t since, std::int64_t until, std::string& out);
  /// The thread of an agent; names it when it is first used.
  std::uint64_t thread(sim::AgentId agent, std::string& out);

  TraceOptions options_;
  bool periods_;                          // whether times down are written
  std::int64_t now_ = 0;                  // ns
  std::map<sim::AgentId, Slice> slices_;  // of this instant
  std::string later_;                     // of this instant, after its slices
  std::map<sim::Cause, Sent> under_way_;  // whose sending was written
  std::map<sim::AgentId, std::int64_t> down_since_;
  std::set<sim::AgentId> named_;
  std::uint64_t arrows_ = 0;
};

}  // namespace hearsay::analysis
