#include "scenarios/language/input_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hearsay::scenarios {

std::string pointer_step(std::string_view key) {
  return (nlohmann::json::json_pointer() / printable(key)).to_string();
}

std::string located(const std::string& where, const std::string& pointer, const std::string& message) {
  if (pointer.empty()) return fmt::format("{}: {}", where, message);
  return fmt::format("{}: {}: {}", where, pointer, message);
}

std::string unknown_key(std::string_view key, const Names& known, std::string_view of) {
  const std::string advice = did_you_mean(key, known);
  return fmt::format("unknown key '{}'{}{}", printable(key), of,
                     advice.empty() ? fmt::format("; known keys: {}", fmt::join(known, ", ")) : advice);
}

std::string one_of_text(const Names& names, std::string_view path) {
  if (names.size() > kLongList && !path.empty()) return fmt::format("one of {} names", names.size());
  return fmt::format("one of {}", fmt::join(names, ", "));
}

std::string expected_one_of(const Names& names, std::string_view found, std::string_view name,
                            std::string_view path, const Names& more) {
  const std::string advice = did_you_mean(name, more.empty() ? names : more);
  const std::size_t dot = std::min(name.find('.'), name.size());
  const bool no_such_part = dot < name.size() && std::ranges::count(names, name.substr(0, dot)) > 0;
  const std::string why =
      no_such_part ? fmt::format(": '{}' has no '{}'", name.substr(0, dot), printable(name.substr(dot))) : "";
  std::string text = fmt::format("expected {}, found {}{}{}", one_of_text(names, path), found, why, advice);
  if (names.size() > kLongList && !path.empty())
    text += fmt::format("{} run `hearsay explain {}`", advice.empty() ? "; for all names" : " For all names",
                        path);
  return text;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace hearsay::scenarios
