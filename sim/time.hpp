#pragma once
// The units everything else is written in.
#include <cstdint>
#include <limits>

namespace hearsay::sim {

using Time = double;            ///< simulated seconds since the start of a run
using AgentId = std::uint32_t;  ///< agents are 0 .. n-1; the hub of a star is 0

inline constexpr Time kNever = std::numeric_limits<Time>::infinity();
inline constexpr AgentId kNoAgent = 0xFFFF'FFFF;
inline constexpr AgentId kMaxAgents = 1u << 28;  ///< an event's order key has 28 bits for its source

}  // namespace hearsay::sim
