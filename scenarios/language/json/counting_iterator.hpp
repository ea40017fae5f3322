#pragma once
#include <cstddef>
#include <iterator>

namespace hearsay::scenarios {

/// An iterator over a text that stores how far it has come.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* here, const char** reached) : here_(here), reached_(reached) {}
  reference operator*() const { return *here_; }
  CountingIterator& operator++() {
    *reached_ = ++here_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return here_ == other.here_; }
  bool operator!=(const CountingIterator& other) const { return here_ != other.here_; }

 private:
  const char* here_;
  const char** reached_;
};

}  // namespace hearsay::scenarios
