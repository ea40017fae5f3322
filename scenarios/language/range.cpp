#include "scenarios/language/range.hpp"

#include <fmt/format.h>

#include <cmath>

#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

bool in_range(double value, const sim::About& about) {
  const bool low = about.open_min ? value > about.min : value >= about.min;
  const bool high = about.open_max ? value < about.max : value <= about.max;
  return low && high;
}

std::string range_text(const sim::About& about) {
  const auto shown = [&about](double x) { return format_quantity(x, about.unit); };
  const bool low = std::isfinite(about.min);
  const bool high = std::isfinite(about.max);
  if (low && high) {
    return fmt::format("in {}{}, {}{}", about.open_min ? '(' : '[', shown(about.min), shown(about.max),
                       about.open_max ? ')' : ']');
  }
  if (low) return fmt::format("{} {}", about.open_min ? "above" : "at least", shown(about.min));
  if (high) return fmt::format("{} {}", about.open_max ? "below" : "at most", shown(about.max));
  return {};
}

}  // namespace hearsay::scenarios
