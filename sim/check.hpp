#pragma once
// Errors. Invariants are checked in every build: after a violation, a run would give plausible but wrong numbers.
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace hearsay::sim {

/// A violated invariant: a defect of the program, not of its input.
struct InvariantError : std::logic_error {
  using std::logic_error::logic_error;
};

/// What is wrong, for the user, and where. The kind decides what a command ends with; the types derived from this name a
/// kind where errors are thrown, and hold nothing more unless they say so.
struct Error : std::runtime_error {
  enum class Kind : std::uint8_t {
    kInvalid,      ///< input that is wrong, or does not fit together
    kOverBudget,   ///< releases that no noise fits into their budget
    kRefused,      ///< too large for its limits or the machine
    kOutOfMemory,  ///< memory ran out
    kOutput,       ///< results that cannot be written or read
    kInternal      ///< a defect, as a message: what is thrown is another type
  };
  Error(Kind k, std::string at, const std::string& message)
      : std::runtime_error(message), kind(k), where(std::move(at)) {}

  Kind kind;
  /// The option at fault: a JSON pointer of the scenario, or a path below the part that is being made ("drop/0"); may be
  /// empty.
  std::string where;
  std::optional<std::size_t> point{};  ///< of the study
};

/// An error of input without a place, whose message is given by a format string and its arguments.
struct UserError : Error {
  explicit UserError(const std::string& message) : Error(Kind::kInvalid, {}, message) {}
  template <class First, class... Rest>
  UserError(fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest)
      : UserError(fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// Options that are valid one by one but do not fit together or the study.
struct OptionError : Error {
  OptionError(std::string option, const std::string& message)
      : Error(Kind::kInvalid, std::move(option), message) {}
  template <class First, class... Rest>
  OptionError(std::string option, fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest)
      : OptionError(std::move(option),
                    fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// A run that reaches a limit of the program (listed in docs/reproducibility.md) and fails, instead of going on with
/// numbers that have wrapped.
struct LimitError : UserError {
  using UserError::UserError;
};

/// Largest number that counters of a run reach. The one above it means "none".
inline constexpr std::uint32_t kLargestNumber = std::numeric_limits<std::uint32_t>::max() - 1;

/// The number `steps` after `last`. `what` is counted, in the plural. Throws LimitError above kLargestNumber.
inline std::uint32_t next_number(std::uint64_t last, const char* what, std::uint64_t steps = 1) {
  if (last + steps > kLargestNumber) [[unlikely]]
    throw LimitError("expected at most {} {} in one run; make the run shorter", kLargestNumber, what);
  return static_cast<std::uint32_t>(last + steps);
}

inline void check(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    throw InvariantError(what);
}

}  // namespace hearsay::sim
