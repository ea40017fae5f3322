#include "sim/large_vector.hpp"

#include <sys/mman.h>

namespace hearsay::sim {

void use_huge_pages(void* memory, std::size_t bytes) {
  madvise(memory, bytes, MADV_HUGEPAGE);
}

}  // namespace hearsay::sim
