#pragma once
// Errors of a scenario whose values are valid one by one but can not be put together, named by the part of the
// scenario that they belong to.
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "models/core/option_error.hpp"
#include "models/privacy/accountants/budget.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

/// Options that are each right but do not fit together, or data that can not be used. `part` is the part of
/// the scenario that the message is about, as a JSON pointer.
struct AssemblyError : std::runtime_error {
  AssemblyError(std::string p, const std::string& message)
      : std::runtime_error(message), part(std::move(p)) {}
  std::string part;
};

/// Releases that no noise makes fit their budget.
struct OverBudget : AssemblyError {
  using AssemblyError::AssemblyError;
};

/// Calls f; an error in it becomes an AssemblyError of that part of the scenario.
template <class F>
auto assemble(const char* pointer, F&& f) {
  try {
    return f();
  } catch (const sim::InvariantError&) {
    throw;
  } catch (const AssemblyError&) {
    throw;
  } catch (const models::BudgetError& e) {
    throw OverBudget("/privacy", e.what());
  } catch (const models::OptionError& e) {
    throw AssemblyError(fmt::format("{}/{}", pointer, e.option), e.what());
  } catch (const std::exception& e) {
    throw AssemblyError(pointer, e.what());
  }
}

}  // namespace hearsay::scenarios
