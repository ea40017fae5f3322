#pragma once
// The command line of hearsay. A program with other protocols adds them to models::protocols() and calls this.

#include "scenarios/language/code.hpp"

namespace hearsay::scenarios {

enum ExitCode {
  kExitDone = 0,
  kExitDiffers = 1,  ///< of diff
  kExitInvalidInput = 2,
  kExitRefused = 3,
  kExitOutput = 4,
  kExitBudget = 5,
  kExitSomeFailed = 6,
  kExitInternal = 70,
  kExitInterrupted = 130,
};

/// Runs one command; returns the exit code. Results go to standard output, all else to standard error.
int command_line(int argc, const char* const* argv);

/// Adds the protocol "python" to the table, and says who executes Python. Once, before command_line().
void add_python(CodeLoader loader);
/// The same for a program that cannot execute it: it continues in Python where a scenario names code.
void allow_python();

}  // namespace hearsay::scenarios
