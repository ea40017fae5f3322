#include "scenarios/language/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace hearsay::scenarios {

namespace {

struct Dimension {
  std::string_view unit, what, example;
  std::vector<UnitName> names;
};

constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi;

// clang-format off
const std::vector<Dimension>& dimensions() {
  static const std::vector<Dimension> kAll{
      {"s", "a duration", "15 ms",
       {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"\u00b5s", 1, 1e6, false}, {"\u03bcs", 1, 1e6, false}, {"ms", 1, 1e3},
        {"s"}, {"min", 60}, {"h", 3600}, {"d", 86400}}},
      {"B", "a size", "1 MB",
       {{"bit", 1, 8, false}, {"B"}, {"kbit", 125, 1, false}, {"kB", 1e3}, {"KiB", kKi, 1, false},
        {"Mbit", 125e3, 1, false}, {"MB", 1e6}, {"MiB", kMi, 1, false}, {"Gbit", 125e6, 1, false}, {"GB", 1e9},
        {"GiB", kGi, 1, false}, {"TB", 1e12}}},
      {"B/s", "a data rate", "10 Mbit/s",
       {{"bit/s", 1, 8, false}, {"B/s"}, {"kbit/s", 125, 1, false}, {"kB/s", 1e3}, {"KiB/s", kKi, 1, false},
        {"Mbit/s", 125e3, 1, false}, {"MB/s", 1e6}, {"MiB/s", kMi, 1, false}, {"Gbit/s", 125e6, 1, false},
        {"GB/s", 1e9}, {"GiB/s", kGi, 1, false}}},
      {"1/s", "a rate", "5 /s",
       {{"/d", 1, 86400, false}, {"/h", 1, 3600, false}, {"/min", 1, 60, false}, {"/s"}, {"1/s", 1, 1, false},
        {"Hz", 1, 1, false}, {"kHz", 1e3, 1, false}, {"1/min", 1, 60, false}, {"1/h", 1, 3600, false}}},
      {"m", "a length", "2 km", {{"m"}, {"km", 1e3}}},
      {"m/s", "a speed", "200000 km/s", {{"m/s"}, {"km/s", 1e3}}},
  };
  return kAll;
}
// clang-format on

const Dimension* dimension(std::string_view unit) {
  const auto found = std::find_if(dimensions().begin(), dimensions().end(),
                                  [&](const Dimension& d) { return d.unit == unit; });
  return found == dimensions().end() ? nullptr : &*found;
}

}  // namespace

const std::vector<UnitName>& unit_names(std::string_view unit) {
  static const std::vector<UnitName> kNone;
  const Dimension* d = dimension(unit);
  return d == nullptr ? kNone : d->names;
}

std::optional<double> parse_quantity(std::string_view text, std::string_view unit) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const UnitName& name : unit_names(unit)) {
    if (name.name != text) continue;
    const double value = number * name.times / name.over;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

std::string_view unit_of(std::string_view quantity) {
  const auto found = std::ranges::find_if(
      kUnits, [&](std::string_view unit) { return parse_quantity(quantity, unit).has_value(); });
  return found == kUnits.end() ? std::string_view() : *found;
}

std::optional<std::pair<double, std::size_t>> leading_quantity(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  auto begin = static_cast<std::size_t>(end - text.data());
  if (begin < text.size() && text[begin] == ' ') ++begin;
  // The longest name that no letter or parenthesis follows: "1 m" is no part of "1 min", nor "1/min" of "1/min(a, b)".
  std::optional<std::pair<double, std::size_t>> best;
  for (const Dimension& d : dimensions()) {
    for (const UnitName& name : d.names) {
      const std::size_t after = begin + name.name.size();
      const bool whole = after >= text.size() ||
                         (!std::isalnum(static_cast<unsigned char>(text[after])) && text[after] != '(');
      if (!text.substr(begin).starts_with(name.name) || !whole || (best && best->second > after)) continue;
      if (const auto value = parse_quantity(text.substr(0, after), d.unit)) best = {*value, after};
    }
  }
  return best;
}

std::string format_quantity(double value, std::string_view unit) {
  const auto digits = [](double x) {
    const std::string shortest = fmt::format("{}", x);
    return shortest.size() <= 8 ? shortest : fmt::format("{:.6g}", x);
  };
  const auto& names = unit_names(unit);
  if (names.empty()) return fmt::format("{}{}{}", value, unit.empty() ? "" : " ", unit);
  const UnitName* chosen = nullptr;
  for (const UnitName& name : names) {
    if (!name.shown) continue;
    if (name.times == 1 && name.over == 1 && (value == 0 || !std::isfinite(value))) chosen = &name;
    const double in_it = std::abs(value) * name.over / name.times;
    // A unit above the SI unit is used only if it makes the number short: 100 s, not 1.66667 min.
    const bool neat = name.times == 1 || fmt::format("{}", in_it).size() <= 5;
    if (value != 0 && std::isfinite(value) && (chosen == nullptr || (in_it >= 1 && neat))) chosen = &name;
  }
  return fmt::format("{} {}", digits(value * chosen->over / chosen->times), chosen->name);
}

std::string expected_quantity(std::string_view unit) {
  const Dimension* d = dimension(unit);
  if (d == nullptr) return "a number";
  std::vector<std::string_view> names;
  for (const UnitName& name : d->names) {
    if (name.name[0] > 0) names.push_back(name.name);  // ASCII
  }
  return fmt::format("{} such as \"{}\" (in {}) or a number in {}", d->what, d->example,
                     fmt::join(names, ", "), unit);
}

std::string_view example_quantity(std::string_view unit) {
  const Dimension* d = dimension(unit);
  return d == nullptr ? std::string_view() : d->example;
}

bool in_range(double value, const sim::About& about) {
  return (about.open_min ? value > about.min : value >= about.min) &&
         (about.open_max ? value < about.max : value <= about.max);
}

std::string range_text(const sim::About& about) {
  const auto shown = [&about](double x) { return format_quantity(x, about.unit); };
  const bool low = std::isfinite(about.min), high = std::isfinite(about.max);
  if (low && high) {
    return fmt::format("in {}{}, {}{}", about.open_min ? '(' : '[', shown(about.min), shown(about.max),
                       about.open_max ? ')' : ']');
  }
  if (low) return fmt::format("{} {}", about.open_min ? "above" : "at least", shown(about.min));
  if (high) return fmt::format("{} {}", about.open_max ? "below" : "at most", shown(about.max));
  return {};
}

std::string expected_value(const sim::About& about) {
  if (about.min == about.max) return format_quantity(about.min, about.unit);
  const std::string range = range_text(about);
  return fmt::format("a value {}{}", range.starts_with("at ") ? "of " : "", range);
}

}  // namespace hearsay::scenarios
