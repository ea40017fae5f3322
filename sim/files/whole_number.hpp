#pragma once
// Whole numbers in text.
#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace hearsay::sim {

/// The number that decimal digits, and nothing else, are; nothing for other text, or if the number does not fit.
template <std::unsigned_integral Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace hearsay::sim
