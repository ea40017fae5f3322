#pragma once
// The message about invalid input.
#include <string>

#include "scenarios/language/input_error.hpp"
#include "tests/support/error_of.hpp"

namespace hearsay::test {

/// The first line of the InputError that `run` throws; "accepted" if it throws none.
template <class Run>
std::string message_of(const Run& run) {
  return error_of<scenarios::InputError>(run);
}

}  // namespace hearsay::test
