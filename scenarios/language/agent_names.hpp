#pragma once
// Agents by name, wherever input names one: a scenario, or an option of a command.
#include <functional>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/input_path.hpp"
#include "sim/files/names.hpp"

namespace hearsay::scenarios {

class Document;

using sim::agent_of;

/// The names, by agent, that a scenario may use: those of the nodes of its graph's file, none without. Throws
/// std::invalid_argument where it may use none, InputError where errors of other options hide them, and sim::Error of the
/// graph.
using NamesInScenario = std::function<const Names&(const Document& document, const Folders& folders)>;

}  // namespace hearsay::scenarios
