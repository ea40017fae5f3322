#include "scenarios/language/reference/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/node.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

// An option, or one of its alternatives.
struct Place {
  std::string path;
  const Outline* option = nullptr;
  const OutlineAlternative* alternative = nullptr;
};

// Whether its values are numbered.
bool is_repeated(const Outline& o) {
  return o.kind == Outline::Kind::kList || o.kind == Outline::Kind::kByAgent;
}

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

// The places one step further, by name.
std::vector<std::pair<std::string, Place>> steps(const Place& from) {
  std::vector<std::pair<std::string, Place>> out;
  const auto add = [&](const std::vector<Outline>& members, const std::string& path) {
    for (const Outline& m : members) out.emplace_back(m.name, Place{joined(path, m.name), &m});
  };
  if (from.alternative != nullptr) {
    add(from.alternative->members, from.path);
    return out;
  }
  if (is_repeated(*from.option) && !from.option->members.empty()) {
    return steps({from.path + ".0", &from.option->members[0]});
  }
  add(from.option->members, from.path);
  for (const OutlineAlternative& a : from.option->alternatives) {
    out.emplace_back(a.name, Place{from.path + "." + a.name, from.option, &a});
  }
  for (const OutlineAlternative& a : from.option->alternatives) add(a.members, from.path + "." + a.name);
  return out;
}

// The options and alternatives of a name anywhere below the top level, each at the first path that leads to it; or, `in
// help`, those whose help has the word.
class Search {
 public:
  Search(std::string_view name, bool in_help) : name_(name), in_help_(in_help) {}
  std::vector<Place> found;

  void below(const Place& place, int depth = 0) {
    constexpr int kDepth = 4;
    for (const auto& [key, next] : steps(place)) {
      const std::string& help = next.alternative != nullptr ? next.alternative->help : next.option->help;
      const bool hit = in_help_ ? contains_word(help) : key == name_;
      if (hit && depth > 0 && seen_.insert(key + help).second) found.push_back(next);
      if (!hit && depth < kDepth) below(next, depth + 1);
    }
  }

 private:
  bool contains_word(std::string help) const {
    std::ranges::transform(help, help.begin(), [](unsigned char c) { return std::tolower(c); });
    return help.find(name_) != help.npos;
  }

  std::string_view name_;
  bool in_help_;
  std::set<std::string> seen_;
};

// The place of a name that is no key of the top level but of one option or alternative below. Throws InputError that
// lists the paths where there are several, or where only helps have the word; nothing without any.
std::vector<Place> place_named(const Outline& root, std::string_view name) {
  constexpr std::size_t kMost = 8;
  for (const bool in_help : {false, true}) {
    if (in_help && name.size() < 4) break;
    Search search(name, in_help);
    search.below({"", &root});
    const std::vector<Place>& found = search.found;
    if (found.empty()) continue;
    if (found.size() == 1 && !in_help) return found;
    Names paths;
    for (const Place& place : found) {
      if (paths.size() < kMost) paths.push_back(place.path);
    }
    throw InputError(fmt::format("explain {}: {}: {}{}", printable(name),
                                 in_help ? "no option has this name; about it" : "give a path",
                                 fmt::join(paths, ", "), found.size() > kMost ? ", ..." : ""));
  }
  return {};
}

std::vector<Place> walk(const Outline& root, std::string_view path) {
  std::vector<Place> here{{"", &root}};
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view part = split_path(rest).front();
    std::vector<Place> next;
    Names names;
    std::string_view taken = part;
    for (const Place& place : here) {
      const bool number = !part.empty() && part.find_first_not_of("0123456789") == part.npos;
      if (place.alternative == nullptr && is_repeated(*place.option) && number)
        next.push_back({place.path + "." + std::string(part), &place.option->members.at(0)});
      for (auto& [name, to] : steps(place)) {
        if ((std::string(rest) + '.').starts_with(name + '.')) {  // a name may have dots in it
          next.push_back(to);
          taken = rest.substr(0, name.size());
        }
        if (std::ranges::count(names, name) == 0) names.push_back(name);
      }
    }
    if (next.empty() && rest.size() == path.size() && part.size() == path.size())
      next = place_named(root, path);
    if (next.empty()) {
      const bool dotted = std::ranges::any_of(names, [](const auto& n) { return n.find('.') != n.npos; });
      const std::string what =
          names.empty() ? fmt::format("unknown key '{}'; this option has no members", printable(part))
                        : unknown_key(dotted ? rest : part, names);
      throw InputError(fmt::format("explain {}: {}", printable(path), what));
    }
    here = std::move(next);
    rest.remove_prefix(std::min(taken.size() + 1, rest.size()));
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
  if (o.in_run) line("branches", "may change it");
  return out;
}

// Meaning, type, range and default of a member.
std::string summary_of(const Outline& m) {
  std::string what = kind_text(m);
  if (!m.unit.empty()) what += fmt::format(" in {}", m.unit);
  if (const std::string range = range_text(m.about()); !range.empty()) what += ", " + range;
  what += m.required ? ", required" : m.standard.empty() ? "" : ", default " + m.standard;
  return fmt::format("{}{}({})", m.help, m.help.empty() ? "" : " ", what);
}

void table(std::string& out, const std::vector<Outline>& members, int indent) {
  std::size_t width = 0;
  for (const Outline& m : members) width = std::max(width, m.name.size());
  for (const Outline& m : members)
    out += fmt::format("{:{}}{:<{}}  {}\n", "", indent, m.name, width, summary_of(m));
}

// A member that most alternatives have, with the same meaning, and the names of the others.
struct Shared {
  Outline member;
  Names without;
};

bool has_member(const OutlineAlternative& a, const Outline& m) {
  return std::any_of(a.members.begin(), a.members.end(), [&](const Outline& other) {
    return other.name == m.name && summary_of(other) == summary_of(m);
  });
}

std::vector<Shared> shared_members(const std::vector<OutlineAlternative>& all) {
  std::vector<Shared> shared;
  if (all.size() < 2) return shared;
  for (const Outline& m : all.front().members) {
    Names without;
    for (const OutlineAlternative& a : all) {
      if (!has_member(a, m)) without.push_back(a.name);
    }
    if (2 * without.size() < all.size()) shared.push_back({m, std::move(without)});
  }
  std::stable_sort(shared.begin(), shared.end(),
                   [](const Shared& x, const Shared& y) { return x.without.size() < y.without.size(); });
  return shared;
}

std::string shorthand_text(const OutlineAlternative& a) {
  constexpr std::string_view kNames[] = {"", "number", "list", "text"};  // by sim::Shorthand::Kind
  if (a.shorthand == sim::Shorthand::kNone) return {};
  return fmt::format(" A bare {} is its {}.", kNames[a.shorthand], a.shorthand_key);
}

// The alternatives of an option, with their members.
void kinds(std::string& out, const std::vector<OutlineAlternative>& all) {
  const std::vector<Shared> shared = shared_members(all);
  for (const OutlineAlternative& a : all) {
    out += fmt::format("    {}{}{}{}\n", a.name, a.help.empty() ? "" : ": ", a.help, shorthand_text(a));
    if (!a.example.empty()) out += fmt::format("      example: {}\n", a.example);
    std::vector<Outline> own = a.members;
    std::erase_if(own, [&](const Outline& m) {
      return std::any_of(shared.begin(), shared.end(),
                         [&](const Shared& s) { return s.member.name == m.name && has_member(a, s.member); });
    });
    table(out, own, 6);
  }
  for (auto s = shared.begin(); s != shared.end();) {
    std::vector<Outline> members;
    const Names without = s->without;
    for (; s != shared.end() && s->without == without; ++s) members.push_back(s->member);
    out += fmt::format("    options of every type{}{}:\n", without.empty() ? "" : " but ",
                       fmt::join(without, ", "));
    table(out, members, 6);
  }
}

std::string describe(const Place& place) {
  std::string out = (place.path.empty() ? "scenario" : place.path) + "\n";
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
  const bool list = is_repeated(o) && !o.members.empty();
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

// Text for a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

std::string rows(const std::vector<Outline>& members) {
  if (members.empty()) return "No options.\n\n";
  std::string out = "| option | type | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const Outline& m : members) {
    const std::string what =
        kind_text(m) + (m.unit.empty() ? "" : " in " + m.unit) + (m.optional ? ", or none" : "");
    const std::string meaning = m.help + (m.source.empty() ? "" : " *" + m.source + "*");
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", m.name, cell(what),
                       m.required ? "required" : cell(code(m.standard)), cell(range_text(m.about())),
                       cell(meaning));
  }
  return out + "\n";
}

class Page {
 public:
  std::string text;

  void section(const std::string& path, const Outline& o) {
    if (is_repeated(o)) {
      if (!o.members.empty()) section(path + ".0", o.members[0]);
      return;
    }
    if (o.kind == Outline::Kind::kChoice) return choices(path, o);
    if (o.kind == Outline::Kind::kObject) {
      text += fmt::format("## {}\n\n{}{}{}", path.empty() ? "The scenario" : code(path), o.help,
                          o.help.empty() ? "" : "\n\n", rows(o.members));
      return descend(path, o.members);
    }
    if (o.kind == Outline::Kind::kVariant) variant(path, o);
  }

 private:
  void descend(const std::string& path, const std::vector<Outline>& members) {
    for (const Outline& m : members) section(joined(path, m.name), m);
  }

  void choices(const std::string& path, const Outline& o) {
    text += fmt::format("## {}\n\n", code(path));
    for (const auto& c : o.choices)
      text += fmt::format("- `{}`{}{}\n", c.name, c.help.empty() ? "" : ": ", c.help);
    text += "\n";
  }

  void variant(const std::string& path, const Outline& o) {
    text += fmt::format("## {}\n\n{}{}", code(path), o.help, o.help.empty() ? "" : "\n\n");
    for (const OutlineAlternative& a : o.alternatives) {
      const std::string body = rows(a.members);
      const auto [first, is_new] = paths_.try_emplace(a.name + a.help + body, path + "." + a.name);
      text += fmt::format("### {}\n\n", code(path + "." + a.name));
      if (!is_new) {
        text += fmt::format("As {}.\n\n", code(first->second));
        continue;
      }
      text += a.help + (a.help.empty() ? "" : "\n\n") + body;
      descend(path + "." + a.name, a.members);
    }
  }

  std::map<std::string, std::string> paths_;
};

}  // namespace

std::string explain(const Outline& root, std::string_view path) {
  std::string out;
  for (const Place& place : walk(root, path)) {
    if (!out.empty()) out += '\n';
    out += describe(place);
  }
  return out;
}

std::string reference_page(const Outline& root) {
  Page page;
  page.section("", root);
  return page.text;
}

}  // namespace hearsay::scenarios
