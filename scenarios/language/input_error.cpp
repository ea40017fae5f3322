#include "scenarios/language/input_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace hearsay::scenarios {

namespace {

// Whether all letters of `name` are in `candidate`, in order.
bool holds_letters(std::string_view candidate, std::string_view name) {
  std::size_t found = 0;
  for (const char c : candidate) found += found < name.size() && name[found] == c ? 1 : 0;
  return found == name.size();
}

}  // namespace

std::string pointer_step(std::string_view key) {
  return (nlohmann::json::json_pointer() / printable(key)).to_string();
}

std::string located(const std::string& where, const std::string& pointer, const std::string& message) {
  if (pointer.empty()) return fmt::format("{}: {}", where, message);
  return fmt::format("{}: {}: {}", where, pointer, message);
}

std::string_view nearest(std::string_view name, const Names& names) {
  if (name.empty()) return {};
  std::string_view best;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : names) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    // A third of the letters may be wrong, but at least one.
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    if (longer - shorter > std::min(allowed, candidate.size())) continue;
    const std::size_t distance = sim::edit_distance(name, candidate, allowed);
    // Of two equally near names, prefer the one from which letters were left out.
    if (distance > allowed || distance > smallest) continue;
    if (distance == smallest && (holds_letters(best, name) || !holds_letters(candidate, name))) continue;
    smallest = distance;
    best = candidate;
  }
  if (!best.empty() || name.size() < 4) return best;
  for (const std::string& candidate : names) {
    if (candidate.find(name) != std::string::npos && (best.empty() || candidate.size() < best.size()))
      best = candidate;
  }
  return best;
}

namespace {

// For "a.b" where "a" is a name: the nearest of the names "a.*"; if there are none, or names "*.b", "a" and the names "*.b"
// that begin with the end of "a": "test_error_by_owner.mean" for "own_test_error.mean".
Names nearest_dotted(std::string_view name, const Names& names) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  std::string_view head = name.substr(0, dot);
  if (dot == name.size() || std::ranges::count(names, head) == 0) return {};
  std::vector<std::pair<std::size_t, std::string>> of_head;
  const bool elsewhere =
      std::ranges::any_of(names, [&](const auto& n) { return n.ends_with(name.substr(dot)); });
  for (const std::string& candidate : names) {
    if (!elsewhere && candidate.starts_with(name.substr(0, dot + 1)))
      of_head.emplace_back(sim::edit_distance(candidate, name, std::max(candidate.size(), name.size())),
                           candidate);
  }
  Names all;
  if (of_head.empty()) all.emplace_back(head);
  std::ranges::stable_sort(of_head, {}, &std::pair<std::size_t, std::string>::first);
  for (const auto& [distance, candidate] : of_head) all.push_back(candidate);
  for (bool part = of_head.empty(); part && all.size() == 1;) {
    for (const std::string& candidate : names) {
      if (candidate.starts_with(head) && candidate.ends_with(name.substr(dot))) all.push_back(candidate);
    }
    const std::size_t next = head.find('_');
    part = next != head.npos;
    head = part ? head.substr(next + 1) : head;
  }
  all.resize(std::min<std::size_t>(3, all.size()));
  return all;
}

}  // namespace

Names nearest_three(std::string_view name, const Names& names) {
  if (name.empty()) return {};
  if (Names dotted = nearest_dotted(name, names); !dotted.empty()) return dotted;
  const std::string first(nearest(name, names));
  std::vector<std::pair<double, std::string>> others;  // letters that differ, as a share of the longer name
  for (const std::string& candidate : names) {
    if (candidate == first) continue;
    const auto [short_size, long_size] = std::minmax({name.size(), candidate.size()});
    const auto longer = static_cast<double>(long_size);
    const bool within = name.size() >= 4 && (candidate.find(name) != std::string::npos ||
                                             name.find(candidate) != std::string_view::npos);
    // At least the letters that only the longer name has differ.
    if (!within && 2 * (long_size - short_size) > long_size) continue;
    const std::size_t most = within ? long_size : long_size / 2;
    const double share = static_cast<double>(sim::edit_distance(name, candidate, most)) / longer;
    if (within || share <= 0.5) others.emplace_back(within ? share - 1 : share, candidate);
  }
  std::ranges::stable_sort(others, {}, &std::pair<double, std::string>::first);
  Names all;
  if (!first.empty()) all.push_back(first);
  for (const auto& [share, candidate] : others) {
    if (all.size() < 3) all.push_back(candidate);
  }
  return all;
}

std::string did_you_mean(std::string_view name, const Names& names) {
  if (names.size() > kLongList) {
    const Names some = nearest_three(name, names);
    if (some.size() > 1) {
      return fmt::format("; did you mean '{}' or '{}'?", fmt::join(some.begin(), some.end() - 1, "', '"),
                         some.back());
    }
  }
  const std::string_view best = nearest(name, names);
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
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
