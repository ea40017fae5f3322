#include "scenarios/execution/study_difference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace hearsay::scenarios {

namespace {

using OptionJson = nlohmann::ordered_json;

std::string short_option(const OptionJson& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', false, OptionJson::error_handler_t::replace);
  return printable(text.size() > kLongest ? text.substr(0, kLongest) + "..." : text, 2 * kLongest);
}

// Walks two objects of options.
class OptionWalk {
 public:
  OptionWalk(const std::string& in_a, const std::string& in_b) : in_a_(in_a), in_b_(in_b) {}
  void compare(const OptionJson* a, const OptionJson* b, const std::string& path) {
    if (a != nullptr && b != nullptr && *a == *b) return;
    if (a == nullptr || b == nullptr || !a->is_object() || !b->is_object()) {
      const auto text = [](const OptionJson* value) {
        return value == nullptr ? std::string("not given") : short_option(*value);
      };
      found.push_back(fmt::format("{}: {} {}, {} {}", path, text(a), in_a_, text(b), in_b_));
      return;
    }
    std::set<std::string> names;
    for (const OptionJson* one : {a, b})
      for (const auto& [name, value] : one->items()) names.insert(name);
    for (const std::string& name : names) {
      const auto in = [&](const OptionJson& all) { return all.contains(name) ? &all.at(name) : nullptr; };
      compare(in(*a), in(*b), path.empty() ? printable(name) : path + "." + printable(name));
    }
  }
  Names found;

 private:
  const std::string &in_a_, &in_b_;
};

}  // namespace

Names option_differences(std::string_view a, std::string_view b, const std::string& in_a,
                         const std::string& in_b) {
  const OptionJson first = OptionJson::parse(a, nullptr, false),
                   second = OptionJson::parse(b, nullptr, false);
  OptionWalk walk(in_a, in_b);
  walk.compare(&first, &second, "");
  return walk.found;
}

std::string differing_options(const analysis::StudyPlan& a, const analysis::StudyPlan& b,
                              const std::string& in_a, const std::string& in_b) {
  constexpr std::size_t kMaxShown = 8;
  Names all = option_differences(info_of(a, "scenario"), info_of(b, "scenario"), in_a, in_b);
  std::erase_if(all, [](const std::string& one) {
    return one.starts_with("name:") || one.starts_with("description:");
  });
  const std::string of_a = info_of(a, "condition"), of_b = info_of(b, "condition");
  if (of_a != of_b)
    all.push_back(fmt::format("--points: '{}' {}, '{}' {}", printable(of_a), in_a, printable(of_b), in_b));
  if (all.empty()) return "";
  const std::size_t more = all.size() - std::min(all.size(), kMaxShown);
  all.resize(all.size() - more);
  return fmt::format("options that differ: {}{}\n", fmt::join(all, "; "),
                     more > 0 ? fmt::format("; and {} more", more) : "");
}

bool leaves_out_runs(const analysis::StudyPlan& before, const analysis::StudyPlan& now) {
  std::map<std::string_view, std::uint32_t> repetitions;
  for (const analysis::StudyPoint& p : now.points)
    repetitions[p.key] = std::max(repetitions[p.key], p.repetitions);
  return std::ranges::any_of(before.points, [&](const analysis::StudyPoint& p) {
    const auto found = repetitions.find(p.key);
    return found == repetitions.end() || found->second < p.repetitions;
  });
}

std::string info_of(const analysis::StudyPlan& plan, const char* name) {
  const auto found = plan.info.find(name);
  return found == plan.info.end() ? std::string() : found->second;
}

}  // namespace hearsay::scenarios
