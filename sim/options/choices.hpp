#pragma once
// The names of the values of an enumeration, stated right after it, in the order of its enumerators:
//   enum class Drawn { kPerMessage, kPerLink };
//   constexpr auto choices_of(Drawn) {
//     return std::to_array<sim::Choice>({{"per_message", "for each message"}, {"per_link", "once for each link"}});
//   }
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace hearsay::sim {

struct Choice {
  std::string_view name;
  std::string_view help = {};
  bool listed = true;  ///< in explanations and messages; else only accepted, and named as the nearest
};

namespace detail {

// Whether the value has an enumerator: a compiler names one without has as "(E)7".
template <auto value>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text[text.find("value = ") + 8] != '(';
}

template <class E>
constexpr auto checked_choices() {
  constexpr auto all = choices_of(E{});
  static_assert(is_enumerator<static_cast<E>(all.size() - 1)>(),
                "choices_of() names more values than there are");
  static_assert(!is_enumerator<static_cast<E>(all.size())>(),
                "choices_of() names fewer values than there are");
  return all;
}

}  // namespace detail

template <class E>
inline constexpr auto kChoices = detail::checked_choices<E>();

template <class E>
requires std::is_enum_v<E>
constexpr std::string_view name_of(E value) {
  return kChoices<E>[static_cast<std::size_t>(value)].name;
}

}  // namespace hearsay::sim
