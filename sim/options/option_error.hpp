#pragma once
// An option that turns out not to fit the study.
#include <stdexcept>
#include <string>
#include <utility>

namespace hearsay::sim {

/// Names the option, so that the message can say its position in the file.
struct OptionError : std::invalid_argument {
  OptionError(std::string name, const std::string& message)
      : std::invalid_argument(message), option(std::move(name)) {}
  std::string option;
};

}  // namespace hearsay::sim
