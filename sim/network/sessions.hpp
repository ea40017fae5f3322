#pragma once
// When agents change state whose times are given, in a file or in the options.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/files/names.hpp"
#include "sim/network/availability_options.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// Each agent changes state at its times, which do not decrease; its state before the first is `up_before`.
class Sessions {
 public:
  /// Throws FileError for missing columns, decreasing times, a state that an agent already has, sessions that overlap
  /// or have no length, times or a start after `repeat`, and an agent that is none of `agents`.
  static std::shared_ptr<const Sessions> read(const AvailabilityTrace& options, AgentId agents = kMaxAgents,
                                              const Names& names = {});
  /// The times between outages.
  static std::shared_ptr<const Sessions> between(const Outages& options);

  struct Agent {
    bool named = false;
    bool up_before = false;
    std::vector<Time> changes;  ///< s; with `repeat` an even number
  };
  const std::vector<Agent>& agents() const { return agents_; }
  bool names(AgentId i) const { return i < agents_.size() && agents_[i].named; }

  /// State of agent i at the start of a run, and the number of the first change after it.
  struct Begin {
    bool up;
    std::uint64_t change;
  };
  Begin begin(AgentId i) const;
  /// Time of agent i's change with that number, since the start of a run; kNever if there is none. O(1).
  Time change(AgentId i, std::uint64_t number) const;
  /// Throws std::invalid_argument if it names an agent that does not exist.
  void require_agents(AgentId agents) const;

 private:
  std::string name_;
  std::vector<Agent> agents_;  // up to the last that is named
  Time from_ = 0;
  std::optional<Time> repeat_;
  bool absent_up_ = true;
};

}  // namespace hearsay::sim
