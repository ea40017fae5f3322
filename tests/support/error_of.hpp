#pragma once
// Errors that are expected, as text.
#include <string>

namespace hearsay::test {

/// The message of the error that `run` throws; "accepted" if it throws none. Other errors go on.
template <class Error, class Run>
std::string error_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// The same after the option at fault: "OPTION: message".
template <class Error, class Run>
std::string error_at(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.where + ": " + error.what();
  }
  return "accepted";
}

}  // namespace hearsay::test
