#pragma once
// Names in input: the nearest valid one of what was meant, and agents by theirs.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/time.hpp"

namespace hearsay::sim {

using Names = std::vector<std::string>;

/// The name with the smallest edit distance to `name` if that is small enough for a typing error, else the shortest
/// name that contains it, else nothing. Among equally near names, one with all letters of `name`, or the first.
std::string_view nearest(std::string_view name, const Names& names);

/// "; did you mean 'protocol'?", or nothing. Of more than kLongList names: "; did you mean 'a', 'b' or 'c'?".
inline constexpr std::size_t kLongList = 20;
std::string did_you_mean(std::string_view name, const Names& names);

/// The agent of a text. Digits are always its number, so that a node called "10" is named by its agent's number; other
/// text is the name that no other agent has. `names` are by agent, and so are `others`, further names of the same
/// agents. Throws std::invalid_argument: "expected ..., found ...".
AgentId agent_of(std::string_view text, const Names& names, const Names& others = {});

}  // namespace hearsay::sim
