#pragma once
// Classes of protocols in Python: how they are loaded, and their runs.
#include "scenarios/code/code_protocol.hpp"

namespace hearsay::scenarios {

/// A CodeLoader. Takes the interpreter's lock, and needs the package hearsay.
std::shared_ptr<const Code> load_python(const CodePlace& place);

}  // namespace hearsay::scenarios
