#pragma once
// Threads that share a list of tasks.
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/parallel/crew.hpp"

namespace hearsay::scenarios {

/// Calls f(0) .. f(count - 1), each once, on several threads, until one throws; rethrows the exception of the lowest
/// number that threw. A thread that finds no more to call helps those that still compute.
template <class F>
void parallel_for(std::size_t count, unsigned threads, F&& f) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t failed = count;
  std::exception_ptr failure;
  sim::Crew crew(threads);
  std::atomic<unsigned> calling = 0;
  const auto work = [&] {
    const sim::Crew::Member member(crew);
    ++calling;
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        f(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        next = count;
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
      }
    }
    if (--calling == 0) return crew.ring();
    crew.help_until([&] { return calling == 0; });
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hearsay::scenarios
