#include "sim/events/fingerprint.hpp"

#include "sim/hash.hpp"

namespace hearsay::sim {

std::uint64_t Fingerprint::value() const {
  return hash_of(words_.data(), size_ * sizeof words_[0]);
}

void Fingerprint::fold() {
  words_[0] = value();
  size_ = 1;
}

void Fingerprint::add(std::span<const double> numbers) {
  words_[0] = hash_of(numbers.data(), numbers.size_bytes(), value());
  size_ = 1;
}

}  // namespace hearsay::sim
