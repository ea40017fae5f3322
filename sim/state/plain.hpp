#pragma once
// States of runs as bytes (cereal). A class whose members change during a run names them:
//
//   auto state() { return std::tie(members); }
//
// They are written, and read into an object that was made from the same options and data and has begun its run, so that what
// follows from these is not part of a state. A class whose state is not that of its members alone has serialize(archive).
#include <cstddef>
#include <cstdint>
#include <ios>
#include <tuple>
#include <type_traits>

namespace hearsay::sim {

/// Reads or writes `count` values as they are in memory.
template <class Archive, class T>
void raw(Archive& archive, T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto size = static_cast<std::streamsize>(count * sizeof(T));
  if constexpr (Archive::is_saving::value) {
    archive.saveBinary(values, size);
  } else {
    archive.loadBinary(values, size);
  }
}
/// The same of a value, and of a vector.
template <class Archive, class T>
void plain(Archive& archive, T& value) {
  if constexpr (requires { value.resize(value.size()); }) {
    std::uint64_t size = value.size();
    raw(archive, &size, 1);
    if constexpr (Archive::is_loading::value) value.resize(size);
    raw(archive, value.data(), size);
  } else {
    raw(archive, &value, 1);
  }
}

}  // namespace hearsay::sim

namespace cereal {

/// Writes or reads the members that state() names. (The archives look here for it.)
template <class Archive, class T>
requires requires(T& object) {
  std::tuple_size<decltype(object.state())>::value;
} &&(!requires(Archive & archive, T& object) { object.serialize(archive); }) void serialize(Archive& archive,
                                                                                            T& object) {
  std::apply([&archive](auto&... members) { (archive(members), ...); }, object.state());
}

}  // namespace cereal
