#include "scenarios/language/agent_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/files/whole_number.hpp"

namespace hearsay::scenarios {

sim::AgentId agent_of(std::string_view text, const Names& names, const Names& others) {
  const std::size_t agents = std::max(names.size(), others.size());
  const std::string shown = printable(std::string(text));
  if (agents == 0)
    throw std::invalid_argument(fmt::format(
        "expected the number of an agent, because the network's graph has no names, found '{}'", shown));
  const auto fail = [&](const std::string& more) {
    throw std::invalid_argument(fmt::format(
        "expected an agent, by its number from 0 to {} or its name, found '{}'{}", agents - 1, shown, more));
  };
  if (text.find_first_not_of("0123456789") == text.npos && !text.empty()) {
    const auto number = sim::whole_number<sim::AgentId>(text);
    if (!number || *number >= agents) fail("");
    return *number;
  }
  std::vector<sim::AgentId> found;
  for (sim::AgentId i = 0; i < agents; ++i) {
    if ((i < names.size() && names[i] == text) || (i < others.size() && others[i] == text))
      found.push_back(i);
  }
  Names all = names;
  all.insert(all.end(), others.begin(), others.end());
  if (found.empty()) fail(did_you_mean(text, all));
  if (found.size() > 1)
    fail(fmt::format(", the name of agents {} and {}", found[0], found[1]) +
         (found.size() > 2 ? fmt::format(" and {} more", found.size() - 2) : ""));
  return found.front();
}

}  // namespace hearsay::scenarios
