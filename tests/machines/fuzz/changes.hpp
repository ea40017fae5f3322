#pragma once
// Changed bytes. An input is a list of changes of 4 bytes: a place (3 bytes) and the new byte there; a place beyond the
// last cuts the file.
#include <numeric>

#include "tests/machines/fuzz/fuzz.hpp"

namespace hearsay::fuzz {

/// Offsets that can be changed, in their order.
using Places = std::vector<std::size_t>;

inline Places all_places(std::string_view bytes) {
  Places all(bytes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// The places from `begin` on that are used, those of zeros beside others included: most of a small database is empty.
inline Places used_places(std::string_view bytes, std::size_t begin) {
  Places used;
  for (std::size_t k = begin; k < bytes.size(); ++k) {
    constexpr std::size_t kNear = 2;
    const std::string_view around = bytes.substr(k - std::min(k, kNear), 2 * kNear + 1);
    if (around.find_first_not_of('\0') != around.npos) used.push_back(k);
  }
  return used;
}

/// Returns whether there is any change. The bytes before the first place remain.
inline bool change(std::string& bytes, const Places& places, const std::uint8_t* data, std::size_t size) {
  bool changed = false;
  const std::size_t whole = bytes.size(), cuts = places.size() / 8 + 1;
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t place =
        (std::size_t{data[0]} << 16 | std::size_t{data[1]} << 8 | data[2]) % (places.size() + cuts);
    const auto byte = static_cast<char>(data[3]);
    if (place >= places.size()) {
      const std::size_t length = (whole - places[0]) * (place - places.size()) / cuts + places[0];
      bytes.resize(std::min(bytes.size(), length));
      changed = true;
    } else if (const std::size_t at = places[place]; at < bytes.size()) {
      changed |= bytes[at] != byte;
      bytes[at] = byte;
    }
  }
  return changed;
}

}  // namespace hearsay::fuzz
