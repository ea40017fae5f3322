#pragma once
// Numbers with units, "15 ms" or "10 Mbit/s", and the ranges of numeric options.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// One way to write a unit: a value in it is value * times / over in the SI unit. Dividing, where the factor is below
/// 1, makes "15 ms" the same double as 0.015.
struct UnitName {
  std::string_view name;
  double times = 1, over = 1;
  bool shown = true;  ///< used when a value is written
};

/// The SI units of quantities.
inline constexpr std::array<std::string_view, 6> kUnits{"s", "B", "B/s", "1/s", "m", "m/s"};

/// The ways to write one of kUnits, smallest first; empty for other units.
const std::vector<UnitName>& unit_names(std::string_view unit);

/// The SI value of a number with one of the names of `unit`; nothing for other text and on overflow.
std::optional<double> parse_quantity(std::string_view text, std::string_view unit);

/// The SI unit of a quantity of any dimension, "15 ms"; empty for other text.
std::string_view unit_of(std::string_view quantity);

/// The SI value of a number with a unit of any dimension at the beginning of `text`, and the number of bytes that it
/// takes; nothing if there is none. (Units of different dimensions have different names.)
std::optional<std::pair<double, std::size_t>> leading_quantity(std::string_view text);

/// For people: "15 ms", "1.5 min", rounded to 6 digits; without a unit the plain number.
std::string format_quantity(double value, std::string_view unit);

/// `a number`, or `a duration such as "15 ms" (in ns, us, ...) or a number in s`.
std::string expected_quantity(std::string_view unit);

/// An example, "15 ms"; empty without a unit.
std::string_view example_quantity(std::string_view unit);

bool in_range(double value, const sim::About& about);

/// "at least 0 s", "above 0", "in (0, 1]"; empty if every number is allowed.
std::string range_text(const sim::About& about);

/// The same for messages: "a value of at least 0 s", "a value in (0, 1]", or the only allowed value.
std::string expected_value(const sim::About& about);

}  // namespace hearsay::scenarios
