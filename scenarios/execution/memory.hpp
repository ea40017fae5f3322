#pragma once
// The memory that there is, and whether a study fits. Only records, links and models are predicted; whether the rest
// fits is seen when it is made, under a limit (MemoryLimit, RunMaker).
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hearsay::scenarios {

struct Plan;
struct Scenario;

/// Bytes of memory that this process can use: of the machine, or of its control group or its limits (ulimit -v) where
/// they allow less.
std::uint64_t memory_of_machine();
/// Bytes that it uses now, and its maximum.
std::uint64_t memory_in_use();
/// Bytes that it can use in addition: as many as its limits and what is free on the machine allow.
std::uint64_t memory_left();
std::uint64_t peak_memory();

/// "1.2 GB", "350 MB".
std::string byte_text(double bytes);

/// While it lives, an allocation beyond what is left now for one of so many processes fails (std::bad_alloc), before the
/// kernel ends the process.
class MemoryLimit {
 public:
  explicit MemoryLimit(unsigned processes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  /// Whether more than half of what may be used is.
  bool near() const;

 private:
  rlimit before_{};
};

/// Bytes that a point needs at least, as far as its options tell.
struct PointMemory {
  double data = 0, network = 0, models = 0;
  double total() const { return data + network + models; }
};
PointMemory least_memory(const Scenario& scenario);
/// The number of the point that needs most by least_memory(). Throws RefusedError if that is more than each of so many
/// processes of this machine has.
std::size_t largest_point(const Plan& plan, unsigned processes = 1);

}  // namespace hearsay::scenarios
