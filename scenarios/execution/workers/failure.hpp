#pragma once
// An error that another process reports.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace hearsay::scenarios {

struct Failure {
  enum class Kind : std::uint8_t {
    kInvariant,
    kBudget,
    kAssembly,
    kInput,
    kRefused,
    kOutput,
    kMemory,
    kOther
  };
  std::size_t task = 0;
  Kind kind = Kind::kOther;
  std::string text{}, part{};  ///< `part`: of an AssemblyError
  bool at_point = false;       ///< whether it has one
  std::size_t point = 0;
};

/// What an exception says.
Failure failure_of(const std::exception_ptr& error);
/// Throws what the failure was made from; kOther as std::runtime_error.
[[noreturn]] void raise(const Failure& failure);

}  // namespace hearsay::scenarios
