#pragma once
// When agents are up: the lengths of their periods, which the engine enforces. The n-th period of agent i under the
// l-th law draws from (kAvailability, i, l), index n.
#include <memory>
#include <variant>
#include <vector>

#include "sim/network/availability_options.hpp"
#include "sim/network/sessions.hpp"
#include "sim/random/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

class Availability {
 public:
  struct Period {
    bool up;
    Time length;
  };

  /// `agents` and `first` (1 if agent 0 is a hub) are used by laws with a value for each agent; `sessions`: contents
  /// of the files of the laws, null for laws without one. Values drawn once per agent come from (kPerAgent, agent,
  /// number of the law). Throws std::invalid_argument for unknown agents and for lists of wrong length.
  Availability(const AvailabilityOptions& options, const Streams& streams, AgentId agents = 0,
               AgentId first = 0, const std::vector<std::shared_ptr<const Sessions>>& sessions = {});

  /// Whether, apart from a coin, every agent is up all the time.
  bool always() const { return laws_.empty(); }
  std::uint32_t laws() const { return static_cast<std::uint32_t>(laws_.size()); }
  /// Whether law l applies to agent i at all; `hub`: it is the hub of a star.
  bool applies_to(AgentId i, bool hub, std::uint32_t l = 0) const;
  /// State of agent i at time 0 under law l, and the end of that period; kNever if it is the last.
  Period first(AgentId i, std::uint32_t l = 0) const;
  /// End of period n of agent i under law l, n = 1, 2, ..., an up or down period that begins now; kNever if it is the
  /// last. O(1) on average, no allocation.
  Time end(AgentId i, std::uint32_t n, bool up, Time now, std::uint32_t l = 0) const;
  /// Whether what is left of an up or down period of law l does not depend on how long it has lasted.
  bool memoryless(std::uint32_t l, bool up) const;
  /// Whether agents are down for ever under law l, whose periods are random.
  bool never_up(std::uint32_t l) const;
  /// Whether the periods of law l are known before a run.
  bool known(std::uint32_t l) const;
  /// Whether agents return from down times of law l with their initial state.
  bool resets(std::uint32_t l) const;
  bool resets() const;

  /// What is drawn from now on is drawn from these streams.
  void draw_from(const Streams& streams);

  /// Whether there is a law Coin.
  bool coin() const { return coin_ < 1; }
  /// Of the n-th tick of agent i, drawn from (kOnlineTick, i), index n.
  bool online_at_tick(AgentId i, std::uint32_t n) const;
  /// Of the n-th message from one agent to another, drawn from (kOnlineMessage, from, to), index n.
  bool online_at_message(AgentId from, AgentId to, std::uint32_t n) const;

 private:
  struct Renewal {
    OnOff law;
    bool resets = false;
    std::vector<std::uint32_t> group;  // of each agent, or empty
    std::uint32_t entity(AgentId i) const { return group.empty() ? i : group[i]; }
    bool never_down() const { return law.down.upper() <= 0; }
  };
  struct Chain {
    Diurnal law;
    std::vector<double> phase;  // by agent
  };
  struct Replay {
    std::shared_ptr<const Sessions> sessions;
    bool resets = false;
  };
  struct Stay {
    bool hub;
    std::vector<Time> join, leave;  // by agent
  };
  using Law = std::variant<Renewal, Chain, Replay, Stay>;

  double coin_of(AgentId i) const { return i < first_agent_ ? hub_coin_ : coin_; }
  Period first_of(const Renewal& law, std::uint32_t entity, std::uint32_t l) const;
  Time end_of(const Chain& law, AgentId i, std::uint32_t n, bool up, Time now, std::uint32_t l) const;

  std::vector<Law> laws_;
  double coin_ = 1;      // probability; several laws multiply
  double hub_coin_ = 1;  // of those with `hub`
  AgentId first_agent_;
  Stream::Key key_, tick_key_, message_key_;
};

}  // namespace hearsay::sim
