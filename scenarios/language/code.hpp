#pragma once
// Which code that a scenario names is executed, and by what.
#include <memory>

#include "scenarios/language/input_path.hpp"
#include "sim/options/code.hpp"

namespace hearsay::scenarios {

/// Executes a file and finds a class, or finds one of the program. Throws std::exception.
using CodeLoader = std::shared_ptr<const sim::Code> (*)(const sim::CodePlace& place, sim::CodeKind kind);

/// Who executes code in this program. Without one none is.
void set_code_loader(CodeLoader loader);

/// Thrown by the loader of a program that cannot execute Python, to be continued by one that can.
struct ContinueInPython {};

/// Code in these folders, and below them, may be executed from now on; in no others.
void allow_code(const Folders& folders);

/// Whether code has been loaded since then.
bool code_in_use();

/// As sim::Visitor::load of who reads a scenario.
std::shared_ptr<const sim::Code> load_code(const sim::CodePlace& place, sim::CodeKind kind);

}  // namespace hearsay::scenarios
