#pragma once
// When agents are up. The laws give the lengths of periods; the engine enforces them: an agent that is down
// does not tick, send or receive. The n-th period of agent i under the l-th law draws from (kAvailability, i,
// l), index n.
#include <memory>
#include <variant>
#include <vector>

#include "sim/availability/options.hpp"
#include "sim/availability/sessions.hpp"
#include "sim/random/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

class Availability {
 public:
  struct Period {
    bool up;
    Time length;
  };

  /// `agents` and `first` (1 where agent 0 is a hub) matter to laws that have a value or a place for each
  /// agent; `sessions`: what the files of the laws hold, null for laws without one. Values that are drawn
  /// once come from (kPerAgent, agent, number of the law). Throws std::invalid_argument for unknown
  /// agents and for lists of wrong length.
  Availability(const AvailabilityOptions& options, const Streams& streams, AgentId agents = 0,
               AgentId first = 0, const std::vector<std::shared_ptr<const Sessions>>& sessions = {});

  /// No law has periods: apart from a coin, every agent is up all the time.
  bool always() const { return laws_.empty(); }
  std::uint32_t laws() const { return static_cast<std::uint32_t>(laws_.size()); }
  /// Whether law l applies to agent i at all; `hub`: it is the hub of a star.
  bool applies_to(AgentId i, bool hub, std::uint32_t l = 0) const;
  /// The period that agent i is in at time 0 under law l: its state and what remains of it, kNever if it is
  /// the last.
  Period first(AgentId i, std::uint32_t l = 0) const;
  /// End of period n of agent i under law l, n = 1, 2, ..., which begins now; `up` says which kind it is.
  /// kNever if it is the last. O(1) on average, no allocation.
  Time end(AgentId i, std::uint32_t n, bool up, Time now, std::uint32_t l = 0) const;
  /// Whether the periods of law l are known before a run.
  bool known(std::uint32_t l) const;
  /// Whether agents return from down times of law l with their initial state.
  bool resets(std::uint32_t l) const;
  bool resets() const;

  /// Whether being up is also a matter of chance each time.
  bool coin() const { return coin_ < 1; }
  /// Of the n-th tick of agent i, drawn from (kOnlineTick, i), index n.
  bool online_at_tick(AgentId i, std::uint32_t n) const;
  /// Of the n-th message from one agent to another, drawn from (kOnlineMessage, from, to), index n.
  bool online_at_message(AgentId from, AgentId to, std::uint32_t n) const;

 private:
  struct Renewal {
    OnOff law;
    bool resets = false;
    std::vector<std::uint32_t> group;  // of each agent, where they go together
  };
  struct Chain {
    Diurnal law;
    std::vector<double> phase;  // by agent
    AgentId first;
  };
  struct Replay {
    std::shared_ptr<const Sessions> sessions;
  };
  struct Stay {
    bool hub;
    AgentId first;
    std::vector<Time> join, leave;  // by agent
  };
  using Law = std::variant<Renewal, Chain, Replay, Stay>;

  Period first_of(const Renewal& law, std::uint32_t entity, std::uint32_t l) const;
  Time end_of(const Chain& law, AgentId i, std::uint32_t n, bool up, Time now, std::uint32_t l) const;

  std::vector<Law> laws_;
  double coin_ = 1;  // probability; several laws multiply
  bool coin_hub_ = false;
  AgentId first_agent_;
  Stream::Key key_, tick_key_, message_key_;
};

}  // namespace hearsay::sim
