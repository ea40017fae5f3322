#include "sim/files/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sim/files/text.hpp"
#include "sim/files/whole_number.hpp"

namespace hearsay::sim {

namespace {

// Whether all letters of `name` are in `candidate`, in order.
bool holds_letters(std::string_view candidate, std::string_view name) {
  std::size_t found = 0;
  for (const char c : candidate) found += found < name.size() && name[found] == c ? 1 : 0;
  return found == name.size();
}

}  // namespace

std::string_view nearest(std::string_view name, const Names& names) {
  if (name.empty()) return {};
  std::string_view best;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : names) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    // A third of the letters may be wrong, but at least one.
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    if (longer - shorter > std::min(allowed, candidate.size())) continue;
    const std::size_t distance = edit_distance(name, candidate, allowed);
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
      of_head.emplace_back(edit_distance(candidate, name, std::max(candidate.size(), name.size())),
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

// Up to three names, nearest first: nearest(), then those that differ in at most half of their letters, that contain
// `name` or that it contains. For "a.b" where "a" is a name: the nearest "a.*"; if there are none, "a" and names "*.b".
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
    const double share = static_cast<double>(edit_distance(name, candidate, most)) / longer;
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

}  // namespace

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

AgentId agent_of(std::string_view text, const Names& names, const Names& others) {
  const std::size_t agents = std::max(names.size(), others.size());
  const std::string shown = printable(std::string(text));
  if (agents == 0)
    throw std::invalid_argument(fmt::format(
        "expected the number of an agent, because the network's graph has no names, found '{}'", shown));
  const auto fail = [&](const std::string& more) {
    throw std::invalid_argument(fmt::format(
        "expected an agent, by its number from 0 to {} or its name, found '{}'{}", agents - 1, shown, more));
  };
  if (text.find_first_not_of("0123456789") == text.npos && !text.empty()) {
    const auto number = whole_number<AgentId>(text);
    if (!number || *number >= agents) fail("");
    return *number;
  }
  std::vector<AgentId> found;
  for (AgentId i = 0; i < agents; ++i) {
    if ((i < names.size() && names[i] == text) || (i < others.size() && others[i] == text))
      found.push_back(i);
  }
  Names all = names;
  all.insert(all.end(), others.begin(), others.end());
  if (found.empty()) fail(did_you_mean(text, all));
  if (found.size() > 1)
    fail(fmt::format(", the name of agents {} and {}", found[0], found[1]) +
         (found.size() > 2 ? fmt::format(" and {} more", found.size() - 2) : ""));
  return found.front();
}

}  // namespace hearsay::sim
