#pragma once
// The memory of an engine and of the files of its network, from their options.
#include "sim/memory.hpp"
#include "sim/network/network.hpp"

namespace hearsay::sim {

/// NetworkFiles::of().
Memory memory_of_files(const NetworkOptions& network, const ClockOptions& clocks, double agents);

/// An Engine without the rows of its messages. `publishes`: neighbours read each other's publications.
double memory_of_engine(const NetworkOptions& network, double agents, double links, bool publishes);

/// Messages that are on their way at the time `end`, and before it, if `rate` of them are sent per second.
double messages_in_flight(const LatencyOptions& latency, double rate, Time end);

/// Whether publications travel without events.
bool publications_are_lazy(const NetworkOptions& network);

/// A row of the payload pool for a message of so many numbers.
double memory_of_message(double numbers);

}  // namespace hearsay::sim
