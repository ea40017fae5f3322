#pragma once
// The reference for tests of the engine's queue.
#include "scenarios/benchmarks/plain_queue.hpp"

namespace hearsay::test {

using scenarios::PlainQueue;

}  // namespace hearsay::test
