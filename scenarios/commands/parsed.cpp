// The values of options that were given.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "scenarios/commands/arguments.hpp"
#include "scenarios/language/agent_names.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/terminal/terminal.hpp"
#include "sim/files/whole_number.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53;  // above it a double skips integers

// A whole number in each form that scenarios take: 100000, 1e5.
std::optional<std::uint64_t> whole_from(std::string_view text) {
  if (const auto number = sim::whole_number<std::uint64_t>(text)) return number;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = number >= 0 && number <= static_cast<double>(kMaxExact) && number == std::floor(number);
  if (error != std::errc() || end != text.data() + text.size() || !whole) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

}  // namespace

std::vector<std::string> Parsed::all(const char* option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::string Parsed::text(const char* option) const {
  const std::vector<std::string> values = all(option);
  return values.empty() ? "" : values.back();
}

std::optional<double> Parsed::number(const char* option) const {
  if (!has(option)) return std::nullopt;
  const std::string written = text(option);
  double number = 0;
  const char* const last = written.data() + written.size();
  const auto [end, error] = std::from_chars(written.data(), last, number);
  if (error != std::errc() || end != last)
    throw UsageError(fmt::format("--{}: expected a number, found '{}'", option, printable(written)));
  return number;
}

double Parsed::number(const char* option, double min, double max) const {
  const double x = number(option).value_or(std::numeric_limits<double>::quiet_NaN());
  if (x >= min && x <= max) return x;
  throw UsageError(fmt::format("--{}: expected a number from {:g} to {:g}, found '{}'", option, min, max,
                               printable(text(option))));
}

std::uint64_t Parsed::whole(const char* option, std::uint64_t min, std::uint64_t max) const {
  const std::string written = text(option);
  if (const auto number = whole_from(written); number && *number >= min && *number <= max) return *number;
  const bool bounded = max <= kMaxExact;
  throw UsageError(
      fmt::format("--{}: expected a whole number {}, found '{}'", option,
                  bounded ? fmt::format("from {} to {}", min, max) : fmt::format("of at least {}", min),
                  printable(written)));
}

sim::Time Parsed::duration(const char* option, sim::Time standard) const {
  if (!has(option)) return standard;
  const std::string given = text(option);
  std::string expected = expected_quantity("s");
  for (const std::string& quantity : {given, given + " s"}) {
    const auto time = parse_quantity(quantity, "s");
    if (time && *time >= 0) return *time;
    if (time) expected = "a time of at least 0 s";
  }
  throw UsageError(fmt::format("--{}: expected {}, found '{}'", option, expected, printable(given)));
}

std::pair<sim::Time, sim::Time> Parsed::window() const {
  const sim::Time from = duration("from", 0), to = duration("to", sim::kNever);
  if (to < from)
    throw UsageError(fmt::format("--to: expected at least the value of --from ({}), found {}",
                                 format_quantity(from, "s"), format_quantity(to, "s")));
  return {from, to};
}

std::filesystem::path Parsed::file(const char* option, const std::filesystem::path& standard) const {
  if (!has(option)) return standard;
  std::filesystem::path path = text(option);
  if (path.empty()) throw UsageError(fmt::format("--{}: expected a file to write, found ''", option));
  const std::filesystem::path folder = path.parent_path();
  std::error_code error;
  if (std::filesystem::is_directory(path, error) || path.filename().empty())
    throw UsageError(fmt::format("--{}: expected a file to write, found the folder '{}'", option,
                                 printable(path.string(), 200)));
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    throw UsageError(fmt::format("--{}: there is no folder '{}': create it first", option,
                                 printable(folder.string(), 200)));
  return path;
}

std::filesystem::path Parsed::folder(const char* option, const std::filesystem::path& standard) const {
  std::filesystem::path path = has(option) ? std::filesystem::path(text(option)) : standard;
  if (has(option) && path.empty())
    throw UsageError(fmt::format("--{}: expected a folder for the results, found ''", option));
  std::error_code error;
  for (std::filesystem::path part = path; !part.empty() && part != part.root_path();
       part = part.parent_path()) {
    if (!std::filesystem::exists(part, error) || std::filesystem::is_directory(part, error)) continue;
    throw UsageError(fmt::format("--{}: expected a folder for the results, found '{}', which is no folder",
                                 option, printable(part.string(), 200)));
  }
  return path;
}

sim::AgentId Parsed::agent(const char* option, const std::string& text, const Names& names,
                           const Names& nodes) {
  try {
    const auto number = whole_from(text);  // also "2e0", as in other options
    return agent_of(number ? std::to_string(*number) : text, names, nodes);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--{}: {}", option, e.what()));
  }
}

std::size_t Parsed::index_of(const char* option, const std::string& name, const Names& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(
        fmt::format("--{}: {}", option, expected_one_of(names, "'" + printable(name) + "'", name)));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace hearsay::scenarios
