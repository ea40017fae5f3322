#include "scenarios/execution/workers/failure.hpp"

#include <new>
#include <stdexcept>

#include "analysis/store/output_file.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/study/errors.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

Failure of_assembly(Failure::Kind kind, const AssemblyError& e) {
  return {.kind = kind,
          .text = e.what(),
          .part = e.part,
          .at_point = e.point.has_value(),
          .point = e.point.value_or(0)};
}

template <class Error>
Error assembly_of(const Failure& f) {
  Error error(f.part, f.text);
  if (f.at_point) error.point = f.point;
  return error;
}

}  // namespace

Failure failure_of(const std::exception_ptr& error) {
  using enum Failure::Kind;
  try {
    std::rethrow_exception(error);
  } catch (const sim::InvariantError& e) {
    return {.kind = kInvariant, .text = e.what()};
  } catch (const OverBudget& e) {
    return of_assembly(kBudget, e);
  } catch (const AssemblyError& e) {
    return of_assembly(kAssembly, e);
  } catch (const InputError& e) {
    return {.kind = kInput, .text = e.what()};
  } catch (const RefusedError& e) {
    return {.kind = kRefused, .text = e.what()};
  } catch (const analysis::OutputError& e) {
    return {.kind = kOutput, .text = e.what()};
  } catch (const OutOfMemory& e) {
    return of_assembly(kMemory, e.error);
  } catch (const std::exception& e) {
    return {.kind = kOther, .text = e.what()};
  }
}

void raise(const Failure& f) {
  switch (f.kind) {
    case Failure::Kind::kInvariant:
      throw sim::InvariantError(f.text);
    case Failure::Kind::kBudget:
      throw assembly_of<OverBudget>(f);
    case Failure::Kind::kAssembly:
      throw assembly_of<AssemblyError>(f);
    case Failure::Kind::kInput:
      throw InputError(f.text);
    case Failure::Kind::kRefused:
      throw RefusedError(f.text);
    case Failure::Kind::kOutput:
      throw analysis::OutputError(f.text);
    case Failure::Kind::kMemory:
      throw OutOfMemory(assembly_of<AssemblyError>(f));
    case Failure::Kind::kOther:
      break;
  }
  throw std::runtime_error(f.text);
}

}  // namespace hearsay::scenarios
