#pragma once
// The message about invalid input.
#include <string>

#include "scenarios/language/input_error.hpp"

namespace hearsay::test {

/// The first line of the InputError that `run` throws; "accepted" if it throws none.
template <class Run>
std::string message_of(const Run& run) {
  try {
    run();
  } catch (const scenarios::InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace hearsay::test
