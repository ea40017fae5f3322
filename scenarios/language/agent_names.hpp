#pragma once
// Agents by name, wherever input names one: a scenario, or an option of a command.
#include <functional>
#include <string_view>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/input_path.hpp"
#include "sim/time.hpp"

namespace hearsay::scenarios {

class Document;

/// The agent of a text. Digits are always its number, so that a node called "10" is named by its agent's number; other
/// text is the name that no other agent has. `names` are by agent, and so are `others`, further names of the same
/// agents. Throws std::invalid_argument: "expected ..., found ...".
sim::AgentId agent_of(std::string_view text, const Names& names, const Names& others = {});

/// The names, by agent, that a scenario may use: those of the nodes of its graph's file, none without. Throws
/// std::invalid_argument where it may use none, InputError where errors of other options hide them, and sim::Error of the
/// graph.
using NamesInScenario = std::function<const Names&(const Document& document, const Folders& folders)>;

}  // namespace hearsay::scenarios
