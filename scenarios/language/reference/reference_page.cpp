// All options on one page.
#include <fmt/format.h>

#include <map>

#include "scenarios/language/range.hpp"
#include "scenarios/language/reference/explain.hpp"

namespace hearsay::scenarios {

namespace {

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
    if (o.kind == Outline::Kind::kList) {
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
    for (const Outline& m : members) section(path.empty() ? m.name : path + "." + m.name, m);
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
      const auto [first, is_new] = paths_.try_emplace(a.name + body, path + "." + a.name);
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

std::string reference_page(const Outline& root) {
  Page page;
  page.section("", root);
  return page.text;
}

}  // namespace hearsay::scenarios
