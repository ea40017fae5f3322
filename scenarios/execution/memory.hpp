#pragma once
// The memory that a study needs, estimated from its options before its data are made, and the memory that there is.
#include <cstdint>
#include <string>
#include <vector>

namespace hearsay::scenarios {

struct Plan;

/// Bytes of memory that this process can use: of the machine, or of its control group or its limits (ulimit -v) where
/// they allow less.
std::uint64_t memory_of_machine();
/// Bytes that it uses now, and its maximum.
std::uint64_t memory_in_use();
/// Bytes that it can use beside those: as many as its limits and what is free on the machine allow.
std::uint64_t memory_left();
std::uint64_t peak_memory();

/// The need of a study at its peak, by part.
struct MemoryEstimate {
  struct Part {
    std::string name;
    double bytes = 0;
  };
  std::vector<Part> parts{};  ///< largest first
  double total() const;
  /// "1.2 GB (data 1 GB, network 0.2 GB)".
  std::string text() const;
  /// Of this part when it has run out of memory: "out of memory; ...". `in_flight`: bytes of messages in flight by then,
  /// if they are known.
  std::string exhausted(double in_flight = 0) const;
};

/// "1.2 GB", "350 MB".
std::string byte_text(double bytes);

/// Of the points with their data, networks and runs; several points are in memory at a time (Execution). Parts that a
/// faulty option or file leaves unknown count as 0: they are refused when they are made.
MemoryEstimate estimate_memory(const Plan& plan, unsigned threads);

/// By how many bytes a run may grow until it asks again; what asks need not be the only one. Throws OutOfMemory with the
/// bytes that it has in flight if there is hardly any memory left.
std::size_t room_of_run(std::size_t in_flight);

/// Throws RefusedError if so many processes of this machine, each with `threads` threads, need more than there is.
void refuse_if_too_large(const Plan& plan, const MemoryEstimate& estimate, unsigned threads,
                         unsigned processes = 1);

/// Problems, and assembled points, that an Execution keeps: enough for two points per thread.
std::size_t points_in_memory(unsigned threads);

}  // namespace hearsay::scenarios
