#pragma once
#include <string>

namespace hearsay::scenarios {

/// "hearsay 0.1.0 (commit ..., compiler, flags)".
std::string version_line();

}  // namespace hearsay::scenarios
