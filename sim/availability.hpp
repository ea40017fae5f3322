#pragma once
// Who is up when. The law only says how long periods last; the engine enforces it: an agent that is down does
// not tick, send or receive. The n-th period of agent i draws from (kAvailability, i), index n.
#include <variant>

#include "sim/describe.hpp"
#include "sim/distribution.hpp"
#include "sim/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

struct Always {
  static constexpr std::string_view kName = "always";
  static constexpr std::string_view kHelp = "Every agent is up all the time.";
  void describe(Visitor&) {}
};

/// How an alternating renewal process begins.
enum class Start { kUp, kStationary };
template <>
struct Choices<Start> {
  static constexpr std::array kValues{
      Choice{"up", "every agent is up and begins a fresh up time"},
      Choice{"stationary", "up with probability E up/(E up + E down), in the middle of a period"}};
};

/// Up and down times alternate, independent of each other and of everything else.
struct OnOff {
  static constexpr std::string_view kName = "on_off";
  static constexpr std::string_view kHelp =
      "Up and down times alternate; the share of time up is E up/(E up + E down).";
  Distribution up{Exponential{60}}, down{Exponential{5}};  // s
  Start start = Start::kUp;
  bool hub = false;
  void describe(Visitor& v);
};

using AvailabilityOptions = std::variant<Always, OnOff>;

class Availability {
 public:
  struct Period {
    bool up;
    Time length;
  };

  Availability(const AvailabilityOptions& options, const Streams& streams);

  /// Everybody is up for good: the engine then keeps no state.
  bool always() const { return always_; }
  /// Whether the law applies to agent i; `hub`: it is the hub of a star.
  bool applies_to(bool hub) const { return !always_ && (!hub || law_.hub); }
  /// The period that agent i is in at time 0: its state and what remains of it.
  Period first(AgentId i) const;
  /// Length of period n of agent i, n = 1, 2, ...; `up` says which kind it is. O(1), no allocation.
  Time length(AgentId i, std::uint32_t n, bool up) const;

 private:
  bool always_;
  OnOff law_;
  Stream::Key key_;
};

}  // namespace hearsay::sim
