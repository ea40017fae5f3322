#include "scenarios/study/errors.hpp"

#include <system_error>

namespace hearsay::scenarios {

sim::Error error_of(const std::exception_ptr& exception) {
  using enum sim::Error::Kind;
  try {
    std::rethrow_exception(exception);
  } catch (const sim::Error& e) {
    return e;
  } catch (const std::bad_alloc&) {
    return {kOutOfMemory, {}, "out of memory"};
  } catch (const std::system_error& e) {
    if (e.code() != std::errc::resource_unavailable_try_again) return {kOutput, {}, e.what()};
    return {
        kRefused,
        {},
        "no thread can be started: the limit of processes (ulimit -u) or of memory is reached; use fewer, -j 1"};
  } catch (const Interrupted&) {
    return {kInternal, {}, "interrupted"};
  } catch (const std::exception& e) {
    return {kInternal, {}, e.what()};
  }
}

}  // namespace hearsay::scenarios
