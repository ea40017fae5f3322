#pragma once
// Quantities: numbers written with their unit, "15 ms" or "10 Mbit/s", where an option has an SI unit.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::scenarios {

/// One way to write a unit: a value in it is value * times / over in the SI unit. A division, where the
/// factor is below 1, keeps "15 ms" the same double as 0.015.
struct UnitName {
  std::string_view name;
  double times = 1, over = 1;
  bool shown = true;  ///< used when a value is written
};

/// The ways to write the unit `unit` ("s", "B", "B/s", "1/s", "m", "m/s"), least first; none of another one.
const std::vector<UnitName>& unit_names(std::string_view unit);

/// The value in SI of a number with a unit that `unit` may be written in; nothing if `text` is none or
/// overflows.
std::optional<double> parse_quantity(std::string_view text, std::string_view unit);

/// As a reader likes it: "15 ms", "1.5 min"; a plain number where there is no unit. May be rounded to 6
/// digits.
std::string format_quantity(double value, std::string_view unit);

/// What may be written: `a number`, or `a duration such as "15 ms" (ns, us, ...) or a number in s`.
std::string expected_quantity(std::string_view unit);

/// An example, "15 ms"; nothing where there is no unit.
std::string_view example_quantity(std::string_view unit);

}  // namespace hearsay::scenarios
