#include "scenarios/language/reference/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/node.hpp"
#include "scenarios/language/member_names.hpp"
#include "scenarios/language/range.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

// The target of a path: an option, or one alternative of it.
struct Place {
  std::string path;
  const Outline* option = nullptr;
  const OutlineAlternative* alternative = nullptr;
};

bool is_index(std::string_view part) {
  return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
}

// The targets of one further step, by name.
std::vector<std::pair<std::string, Place>> steps(const Place& from) {
  std::vector<std::pair<std::string, Place>> out;
  const auto add = [&](const std::vector<Outline>& members, const std::string& path) {
    for (const Outline& m : members)
      out.emplace_back(m.name, Place{path.empty() ? m.name : path + "." + m.name, &m});
  };
  if (from.alternative != nullptr) {
    add(from.alternative->members, from.path);
    return out;
  }
  if (from.option->kind == Outline::Kind::kList && !from.option->members.empty()) {
    return steps({from.path + ".0", &from.option->members[0]});
  }
  add(from.option->members, from.path);
  for (const OutlineAlternative& a : from.option->alternatives) {
    out.emplace_back(a.name, Place{from.path + "." + a.name, from.option, &a});
  }
  for (const OutlineAlternative& a : from.option->alternatives) add(a.members, from.path + "." + a.name);
  return out;
}

std::vector<Place> walk(const Outline& root, std::string_view path) {
  std::vector<Place> here{{"", &root}};
  if (path.empty()) return here;
  for (const std::string_view part : split_path(path)) {
    std::vector<Place> next;
    std::vector<std::string> names;
    for (const Place& place : here) {
      if (place.alternative == nullptr && place.option->kind == Outline::Kind::kList && is_index(part)) {
        next.push_back({place.path + "." + std::string(part), &place.option->members.at(0)});
      }
      for (auto& [name, to] : steps(place)) {
        if (name == part) next.push_back(to);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    if (next.empty()) {
      const std::string advice = names.empty() ? "; this option has no members" : did_you_mean(part, names);
      throw InputError(fmt::format("explain {}: unknown key '{}'{}", printable(path), printable(part),
                                   advice.empty() ? "; known keys: " + comma_separated(names) : advice));
    }
    here = std::move(next);
  }
  return here;
}

std::string facts(const Outline& o) {
  std::string out;
  const auto line = [&out](std::string_view what, const std::string& value) {
    if (!value.empty()) out += fmt::format("  {:<9} {}\n", what, value);
  };
  line("type", kind_text(o) + (o.optional ? ", or none" : ""));
  if (!o.unit.empty()) {
    line("unit", fmt::format("{}{}", o.unit,
                             example_quantity(o.unit).empty()
                                 ? ""
                                 : fmt::format(", or text such as \"{}\"", example_quantity(o.unit))));
  }
  line("default", o.required ? "none (required)" : o.standard);
  line("range", range_text(o.about()));
  line("meaning", o.help);
  line("source", o.source);
  return out;
}

void table(std::string& out, const std::vector<Outline>& members, int indent) {
  std::size_t width = 0;
  for (const Outline& m : members) width = std::max(width, m.name.size());
  for (const Outline& m : members) {
    std::string what = kind_text(m);
    if (!m.unit.empty()) what += fmt::format(" in {}", m.unit);
    if (const std::string range = range_text(m.about()); !range.empty()) what += ", " + range;
    if (m.required) {
      what += ", required";
    } else if (!m.standard.empty()) {
      what += ", default " + m.standard;
    }
    out += fmt::format("{:{}}{:<{}}  {}{}{}\n", "", indent, m.name, width, m.help, m.help.empty() ? "" : " ",
                       "(" + what + ")");
  }
}

std::string shorthand_text(const OutlineAlternative& a) {
  switch (a.shorthand) {
    case sim::Shorthand::kNone:
      return {};
    case sim::Shorthand::kNumber:
      return fmt::format(" A bare number is its {}.", a.shorthand_key);
    case sim::Shorthand::kList:
      return fmt::format(" A bare list is its {}.", a.shorthand_key);
    case sim::Shorthand::kText:
      return fmt::format(" A bare text is its {}.", a.shorthand_key);
  }
  return {};
}

// The alternatives of an option, with their members.
void kinds(std::string& out, const std::vector<OutlineAlternative>& all) {
  for (const OutlineAlternative& a : all) {
    out += fmt::format("    {}{}{}{}\n", a.name, a.help.empty() ? "" : ": ", a.help, shorthand_text(a));
    if (!a.example.empty()) out += fmt::format("      example: {}\n", a.example);
    table(out, a.members, 6);
  }
}

std::string describe(const Place& place) {
  std::string out = place.path.empty() ? "scenario\n" : place.path + "\n";
  if (place.alternative != nullptr) {
    const OutlineAlternative& a = *place.alternative;
    out += fmt::format("  {:<9} {{\"type\": \"{}\"}}\n", "type", a.name);
    if (const std::string meaning = a.help + shorthand_text(a); !meaning.empty())
      out += fmt::format("  {:<9} {}\n", "meaning", meaning);
    if (!a.example.empty()) out += fmt::format("  {:<9} {}\n", "example", a.example);
    table(out, a.members, 4);
    return out;
  }
  const Outline& o = *place.option;
  if (!place.path.empty()) out += facts(o);
  for (const auto& c : o.choices)
    out += fmt::format("    {}{}{}\n", c.name, c.help.empty() ? "" : ": ", c.help);
  const bool list = o.kind == Outline::Kind::kList && !o.members.empty();
  table(out, list ? o.members[0].members : o.members, 4);
  kinds(out, list ? o.members[0].alternatives : o.alternatives);
  if (o.kind != Outline::Kind::kObject || place.path.empty()) return out;
  for (const Outline& m : o.members) {
    if (m.kind != Outline::Kind::kVariant) continue;
    out += fmt::format("\n{}.{}{}\n", place.path, m.name, m.unit.empty() ? "" : " in " + m.unit);
    kinds(out, m.alternatives);
  }
  return out;
}

void collect_leaves(const Place& place, std::vector<std::string>& out) {
  const auto members = [&](const std::vector<Outline>& all, const std::string& path) {
    for (const Outline& m : all) collect_leaves({path.empty() ? m.name : path + "." + m.name, &m}, out);
  };
  const Outline& o = *place.option;
  if (o.kind == Outline::Kind::kList && !o.members.empty() &&
      (!o.members[0].members.empty() || !o.members[0].alternatives.empty())) {
    return collect_leaves({place.path + ".0", &o.members[0]}, out);
  }
  if (o.kind == Outline::Kind::kObject) return members(o.members, place.path);
  if (o.kind != Outline::Kind::kVariant) return out.push_back(place.path);
  out.push_back(place.path + ".type");
  for (const OutlineAlternative& a : o.alternatives) members(a.members, place.path + "." + a.name);
}

}  // namespace

std::string explain(const Outline& root, std::string_view path) {
  std::string out;
  for (const Place& place : walk(root, path)) {
    if (!out.empty()) out += '\n';
    out += describe(place);
  }
  return out;
}

std::vector<std::string> leaf_paths(const Outline& root) {
  std::vector<std::string> out;
  collect_leaves({"", &root}, out);
  return out;
}

}  // namespace hearsay::scenarios
