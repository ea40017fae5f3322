#pragma once
// Random streams for tests in which any will do.
#include "sim/random/stream.hpp"

namespace hearsay::test {

inline const sim::Streams kStreams(1, 0);

}  // namespace hearsay::test
