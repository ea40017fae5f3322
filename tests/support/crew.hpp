#pragma once
// A crew whose other members help this thread with everything that can be divided.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "sim/parallel/crew.hpp"

namespace hearsay::test {

/// Lets others do what this thread has offered, however much else the machine does: in 16 of 128 turns, one after the
/// other, because an offer that is waited for only now and then is stale by then. In the others the machine decides.
inline void wait_for_help(std::uint64_t turn) {
  if (turn % 128 >= 16) return;
  while (sim::Crew::current() != nullptr && !sim::Crew::done()) std::this_thread::yield();
}

class HelpedThread {
 public:
  explicit HelpedThread(unsigned threads)
      : crew_(threads, {.awake = 0, .asleep = 0, .part = 1}), member_(crew_) {
    for (unsigned t = 1; t < threads; ++t) {
      others_.emplace_back([this] {
        const sim::Crew::Member member(crew_);
        crew_.help_until([this] { return end_.load(); });
      });
    }
    while (crew_.helping() + 1 < threads) std::this_thread::yield();
  }
  ~HelpedThread() {
    end_ = true;
    crew_.ring();
  }
  HelpedThread(const HelpedThread&) = delete;
  HelpedThread& operator=(const HelpedThread&) = delete;

  sim::Crew& crew() { return crew_; }

 private:
  sim::Crew crew_;
  sim::Crew::Member member_;
  std::atomic<bool> end_ = false;
  std::vector<std::jthread> others_;
};

}  // namespace hearsay::test
