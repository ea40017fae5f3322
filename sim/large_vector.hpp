#pragma once
// Vectors by agent or edge, which are read here and there. Large ones lie in pages of 2 MiB where the system has them: a
// processor knows the addresses of a few thousand pages, which are too few of 4 KiB for what a million agents need.
#include <cstddef>
#include <new>
#include <vector>

namespace hearsay::sim {

/// 2 MiB.
inline constexpr std::size_t kHugePage = std::size_t{1} << 21;
/// Asks the system for huge pages; without them nothing changes but speed.
void use_huge_pages(void* memory, std::size_t bytes);

/// Aligns what takes several huge pages to them; else as the standard allocator.
template <class T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <class Other>
  HugePages(const HugePages<Other>&) {}  // NOLINT(google-explicit-constructor): as allocators convert

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, alignment(bytes));
    if (alignment(bytes) != kUsual) use_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count * sizeof(T))); }
  bool operator==(const HugePages&) const = default;

 private:
  static constexpr std::align_val_t kUsual{64};
  static std::align_val_t alignment(std::size_t bytes) {
    return bytes >= 2 * kHugePage ? std::align_val_t{kHugePage} : kUsual;
  }
};

template <class T>
using LargeVector = std::vector<T, HugePages<T>>;

}  // namespace hearsay::sim
