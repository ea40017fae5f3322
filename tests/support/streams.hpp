#pragma once
// Random streams for tests that need any stream.
#include "sim/random/stream.hpp"

namespace hearsay::test {

inline const sim::Streams kStreams(1, 0);

}  // namespace hearsay::test
