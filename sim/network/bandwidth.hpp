#pragma once
// Transfer times of messages on the uplink and downlink of an agent, one message at a time.
#include <variant>
#include <vector>

#include "sim/laws/per_agent.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/state/plain.hpp"

namespace hearsay::sim {

struct UnlimitedBandwidth {
  static constexpr std::string_view kName = "unlimited";
  static constexpr std::string_view kHelp = "A message takes no time to send or receive, whatever its size.";
  static constexpr std::string_view kExample = R"("unlimited")";
  void describe(Visitor&) {}
};
struct EqualBandwidth {
  static constexpr std::string_view kName = "equal";
  static constexpr std::string_view kHelp =
      "One rate for an agent's uplink and downlink; a message takes size/rate on each, and messages queue. "
      "Short form: the rate.";
  static constexpr std::string_view kExample = R"("10 Mbit/s")";
  static constexpr Shorthand kShorthand{"rate", Shorthand::kNumber};
  PerAgent rate = 1.25e6;  ///< B/s
  void describe(Visitor& v);
};
struct UpDownBandwidth {
  static constexpr std::string_view kName = "up_down";
  static constexpr std::string_view kHelp =
      "Separate rates for an agent's uplink and downlink; a message takes size/rate on each, and messages "
      "queue.";
  static constexpr std::string_view kExample = R"({"uplink": "10 Mbit/s", "downlink": "50 Mbit/s"})";
  static constexpr Shorthand kShorthand{"uplink", Shorthand::kNone};
  PerAgent uplink = 1.25e6, downlink = 1.25e6;  ///< B/s
  void describe(Visitor& v);
};
using BandwidthOptions = std::variant<UnlimitedBandwidth, EqualBandwidth, UpDownBandwidth>;

/// Whether rates are drawn.
bool drawn_once(const BandwidthOptions& options);

/// First come, first served on each uplink and downlink.
class Bandwidth {
 public:
  /// Random rates are drawn from (kPerAgent, agent), index kUplinkOption and kDownlinkOption; an equal one from the
  /// first. Throws std::invalid_argument for a list whose length is not the number of agents.
  Bandwidth(const BandwidthOptions& options, AgentId agents, const Streams& streams);

  /// The rates are those of `next` from now on. Transfers that wait or have begun keep their times; where the next
  /// bandwidth is unlimited, messages still wait for these.
  void change_to(const Bandwidth& next);
  bool unlimited() const { return up_.empty(); }
  /// Time at which a message of `bytes` given to the agent's uplink now has left it. O(1).
  Time send(AgentId from, double bytes, Time now) { return serve(up_[from], bytes, now); }
  /// Time at which a message that reaches the agent's downlink now has been received. O(1).
  Time receive(AgentId to, double bytes, Time now) { return serve(down_[to], bytes, now); }

  template <class Archive>
  void serialize(Archive& archive) {
    plain(archive, up_);
    plain(archive, down_);
  }

 private:
  struct Server {
    double rate;  // B/s
    Time free = 0;
  };
  static Time serve(Server& server, double bytes, Time now) {
    server.free = (server.free > now ? server.free : now) + bytes / server.rate;
    return server.free;
  }

  std::vector<Server> up_, down_;  // by agent; empty where unlimited
};

}  // namespace hearsay::sim
