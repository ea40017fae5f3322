#pragma once
// When the agents of an availability trace change state.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/availability/options.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// Agent i changes state at its times, never falling; before the first it is as `up_before` says.
class Sessions {
 public:
  /// Throws FileError for a table without the columns, times that run backwards, a state that an agent has
  /// already, sessions that overlap or do not last, times after `repeat` or a start beyond it.
  static std::shared_ptr<const Sessions> read(const AvailabilityTrace& options);

  struct Agent {
    bool named = false;
    bool up_before = false;
    std::vector<Time> changes;  ///< s; with `repeat` an even number of them, which come again and again
  };
  const std::vector<Agent>& agents() const { return agents_; }

  /// State of agent i at the start of a run, and the number of the first change after it.
  struct Begin {
    bool up;
    std::uint64_t change;
  };
  Begin begin(AgentId i) const;
  /// Time of agent i's change of a number, since the start of a run; kNever if there is none. O(1).
  Time change(AgentId i, std::uint64_t number) const;
  /// Throws std::invalid_argument if it names an agent beyond.
  void require_agents(AgentId agents) const;

 private:
  std::string name_;
  std::vector<Agent> agents_;  // as far as the last that is named
  Time from_ = 0;
  std::optional<Time> repeat_;
  bool absent_up_ = true;
};

}  // namespace hearsay::sim
