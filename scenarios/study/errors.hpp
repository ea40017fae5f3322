#pragma once
// Errors found after a scenario is read: options that do not fit together, studies that are too large.
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/check.hpp"

namespace hearsay::scenarios {

/// A study that is too large for its limits or the machine; what() has the numbers.
struct RefusedError : sim::Error {
  explicit RefusedError(const std::string& message) : Error(Kind::kRefused, {}, message) {}
};

/// Thrown where the study's interrupt is found. Not an error, so that what makes errors out of exceptions lets it pass.
struct Interrupted {};

/// Memory that ran out while a part of the scenario was made, given by its JSON pointer.
sim::Error out_of_memory(const std::string& part);

/// The error that any exception is to a user: what the limits of a process end is refused, a system call that failed is
/// output, and all other types are defects.
sim::Error error_of(const std::exception_ptr& exception);

/// Returns f(); an error in it becomes one of that part of the scenario.
template <class F>
auto assemble(const std::string& pointer, F&& f) {
  try {
    return f();
  } catch (const sim::InvariantError&) {
    throw;
  } catch (const sim::Error& e) {
    if (e.where.starts_with('/')) throw;
    sim::Error placed(e);
    placed.where = e.kind == sim::Error::Kind::kOverBudget ? "/privacy"
                   : e.where.empty()                       ? pointer
                                                           : pointer + "/" + e.where;
    throw placed;
  } catch (const std::bad_alloc&) {
    throw out_of_memory(pointer);
  } catch (const std::length_error&) {  // of a vector with more elements than there are addresses
    throw out_of_memory(pointer);
  } catch (const std::exception& e) {
    throw sim::OptionError(pointer, e.what());
  }
}

}  // namespace hearsay::scenarios
