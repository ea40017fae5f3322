#pragma once
// Errors found after a scenario is read: options that do not fit together, studies that are too large.
#include <fmt/format.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "models/algebra/option_error.hpp"
#include "models/data/data_set.hpp"
#include "models/privacy/accountants/budget.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

/// A study that is too large for its limits or the machine; what() has the numbers.
struct RefusedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// std::thread's error EAGAIN.
inline constexpr std::string_view kNoThread =
    "no thread can be started: the limit of processes (ulimit -u) or of memory is reached; use fewer, -j 1";

/// Options that are valid one by one but do not fit together, or data that cannot be used. `part` is the JSON pointer
/// of the part of the scenario at fault.
struct AssemblyError : std::runtime_error {
  AssemblyError(std::string p, const std::string& message)
      : std::runtime_error(message), part(std::move(p)) {}
  std::string part;
  std::optional<std::size_t> point{};  ///< of the study; set by Execution
};

/// Releases that cannot fit their budget with any noise.
struct OverBudget : AssemblyError {
  using AssemblyError::AssemblyError;
};

/// Memory that ran out while a part of the scenario was made.
struct OutOfMemory : std::bad_alloc {
  explicit OutOfMemory(const std::string& part);
  explicit OutOfMemory(AssemblyError e) : error(std::move(e)) {}
  const char* what() const noexcept override { return error.what(); }
  AssemblyError error;
};

/// Returns f(); an error in it becomes an AssemblyError of that part of the scenario.
template <class F>
auto assemble(const char* pointer, F&& f) {
  try {
    return f();
  } catch (const sim::InvariantError&) {
    throw;
  } catch (const AssemblyError&) {
    throw;
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(pointer);
  } catch (const std::length_error&) {  // of a vector with more elements than there are addresses
    throw OutOfMemory(pointer);
  } catch (const models::BudgetError& e) {
    throw OverBudget("/privacy", e.what());
  } catch (const models::OptionError& e) {
    throw AssemblyError(fmt::format("{}/{}", pointer, e.option), e.what());
  } catch (const models::DataError& e) {
    throw AssemblyError(e.option.empty() ? pointer : fmt::format("{}/{}", pointer, e.option), e.what());
  } catch (const std::exception& e) {
    throw AssemblyError(pointer, e.what());
  }
}

}  // namespace hearsay::scenarios
