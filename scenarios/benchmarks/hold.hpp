#pragma once
// The hold model (Jones, CACM 29(4), 1986): with N events pending, take the earliest and put it back later by a random
// increment.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/benchmarks/plain_queue.hpp"
#include "sim/events/event.hpp"

namespace hearsay::scenarios {

/// `count` increments of a law, from the stream of that number: always the same.
std::vector<double> increments(IncrementLaw law, std::size_t count, std::uint32_t stream);

template <class Queue>
class Hold {
 public:
  Hold(std::uint64_t pending, IncrementLaw law)
      : queue_(queue_for<Queue>(pending + 1)), gaps_(increments(law, kGaps, 0)) {
    const std::vector<double> first = increments(law, pending, 1);
    for (std::uint64_t i = 0; i < pending; ++i)
      queue_.push(sim::Event::tick(first[i], static_cast<sim::AgentId>(i), 0));
  }

  Timing run(std::uint64_t operations) {
    return {operations, seconds_of([&] {
              for (std::uint64_t n = 0; n < operations; ++n) {
                sim::Event event = queue_.pop();
                event.time += gaps_[next_++ & (kGaps - 1)];
                ++event.key;  // its next sequence number
                queue_.push(event);
              }
            })};
  }

  /// The event that comes next. Which one depends on all before it.
  sim::Event top() { return queue_.top(); }

 private:
  static constexpr std::size_t kGaps = 1 << 16;  // drawn beforehand: 512 KiB, read in order

  Queue queue_;
  std::vector<double> gaps_;
  std::size_t next_ = 0;
};

/// The hold model on the yardstick's queue, with so many events pending, as the yardstick of other benchmarks.
Measure plain_hold(std::uint64_t pending);

}  // namespace hearsay::scenarios
