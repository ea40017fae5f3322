// Numbers with units; the first line is the unit of a bare number.
#include <cmath>

#include "scenarios/language/units.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [unit, text] = fuzz::split(fuzz::text_of(data, size), "\n");
  if (const auto value = scenarios::parse_quantity(text, unit)) {
    fuzz::require(std::isfinite(*value), "a quantity is finite");
    const auto leading = scenarios::leading_quantity(text);
    fuzz::require(!leading || leading->second < text.size() || leading->first == *value,
                  "a quantity is the same at the beginning of a text");
    // Shown with 6 digits, except that a rounded number may be too large.
    const auto again = scenarios::parse_quantity(scenarios::format_quantity(*value, unit), unit);
    fuzz::require(!again || std::abs(*again - *value) <= 1e-5 * std::abs(*value),
                  "a quantity that is shown can be read");
  }
  if (const auto leading = scenarios::leading_quantity(text)) {
    fuzz::require(leading->second <= text.size() && leading->second > 0, "a quantity is part of the text");
    fuzz::require(std::isfinite(leading->first), "a leading quantity is finite");
  }
  return 0;
}
