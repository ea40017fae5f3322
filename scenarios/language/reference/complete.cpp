#include "scenarios/language/reference/complete.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/json/node.hpp"

namespace hearsay::scenarios {

namespace {

// An option, one of its alternatives, or the key "type" that selects one.
struct Spot {
  const Outline* option;
  const OutlineAlternative* alternative = nullptr;
  bool is_type = false;
};

// What a path is for: to explain an option, or to set it.
enum class Use { kExplain, kSet };

// The keys below a spot, and where they lead. That of an element of a list is 0.
std::vector<std::pair<std::string, Spot>> keys(const Spot& spot, Use use) {
  std::vector<std::pair<std::string, Spot>> all;
  const auto add = [&all](const std::vector<Outline>& members) {
    for (const Outline& m : members) all.emplace_back(m.name, Spot{&m});
  };
  if (spot.is_type) return all;
  if (spot.alternative != nullptr) {
    add(spot.alternative->members);
    return all;
  }
  const Outline& o = *spot.option;
  if (o.kind == Outline::Kind::kList || o.kind == Outline::Kind::kByAgent) {
    if (!o.members.empty()) all.emplace_back("0", Spot{&o.members[0]});
    return all;
  }
  add(o.members);
  if (use == Use::kSet && !o.alternatives.empty()) all.emplace_back("type", Spot{&o, nullptr, true});
  for (const OutlineAlternative& a : o.alternatives) {
    if (use == Use::kExplain) all.emplace_back(a.name, Spot{&o, &a});
    add(a.members);
  }
  return all;
}

// The spots that a path of whole keys leads to; several where alternatives share a key.
std::vector<Spot> spots(const Outline& root, std::string_view path, Use use) {
  std::vector<Spot> here{{&root}};
  if (path.empty()) return here;
  for (const std::string_view part : split_path(path)) {
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    std::vector<Spot> next;
    for (const Spot& spot : here) {
      for (const auto& [name, to] : keys(spot, use)) {
        if (name == part || (number && name == "0")) next.push_back(to);
      }
    }
    here = std::move(next);
  }
  return here;
}

Names values(const Spot& spot) {
  const Outline& o = *spot.option;
  if (o.kind == Outline::Kind::kBoolean) return {"true", "false"};
  return o.alternatives.empty() ? names_of(o.choices) : names_of(o.alternatives);
}

Names starting_with(std::string_view written, const std::set<std::string>& all) {
  Names some;
  for (const std::string& one : all) {
    if (one.starts_with(written)) some.push_back(one);
  }
  return some;
}

}  // namespace

Names complete_path(const Outline& root, std::string_view written) {
  const std::size_t dot = written.rfind('.');
  const std::string before(written.substr(0, dot == written.npos ? 0 : dot + 1));
  std::set<std::string> all;
  for (const Spot& spot : spots(root, written.substr(0, dot == written.npos ? 0 : dot), Use::kExplain)) {
    for (const auto& [name, to] : keys(spot, Use::kExplain)) {
      all.insert(before + name);
      if (!keys(to, Use::kExplain).empty()) all.insert(before + name + ".");
    }
  }
  return starting_with(written, all);
}

Names complete_setting(const Outline& root, std::string_view written) {
  constexpr std::string_view kSweep = "sweep.";
  const bool sweep = written.starts_with(kSweep);
  const std::string_view whole = written;
  const std::string start(sweep ? kSweep : "");
  written.remove_prefix(start.size());
  std::set<std::string> all;
  if (const std::size_t equals = written.find('='); equals != written.npos) {
    if (sweep) return {};
    for (const Spot& spot : spots(root, written.substr(0, equals), Use::kSet)) {
      for (const std::string& value : values(spot))
        all.insert(std::string(written.substr(0, equals + 1)) + value);
    }
    return starting_with(whole, all);
  }
  const std::size_t dot = written.rfind('.');
  const std::string before = start + std::string(written.substr(0, dot == written.npos ? 0 : dot + 1));
  for (const Spot& spot : spots(root, written.substr(0, dot == written.npos ? 0 : dot), Use::kSet)) {
    for (const auto& [name, to] : keys(spot, Use::kSet)) {
      if (to.is_type || to.option->kind != Outline::Kind::kObject) all.insert(before + name + "=");
      if (!keys(to, Use::kSet).empty()) all.insert(before + name + ".");
    }
  }
  if (!sweep && dot == written.npos) all.insert(std::string(kSweep));
  return starting_with(whole, all);
}

}  // namespace hearsay::scenarios
