#pragma once
// What a protocol finds wrong with one of its options once it sees the study.
#include <stdexcept>
#include <string>
#include <utility>

namespace hearsay::models {

/// Names the option, so that the message can say where it stands.
struct OptionError : std::invalid_argument {
  OptionError(std::string name, const std::string& message)
      : std::invalid_argument(message), option(std::move(name)) {}
  std::string option;
};

}  // namespace hearsay::models
