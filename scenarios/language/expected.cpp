#include "scenarios/language/expected.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/outline.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

// A short value for a message; empty if no number is easy to find.
std::string short_example(const Outline& option) {
  using Kind = Outline::Kind;
  if (option.kind == Kind::kBoolean) return "true";
  if (option.kind == Kind::kText || option.kind == Kind::kFile) return "\"...\"";
  if (!option.choices.empty()) return fmt::format("\"{}\"", option.choices.front().name);
  if (!option.alternatives.empty()) return fmt::format("\"{}\"", option.alternatives.front().name);
  if (option.kind == Kind::kList) return "[...]";
  if (option.kind == Kind::kObject) return "{...}";
  if (!example_quantity(option.unit).empty()) return fmt::format("\"{}\"", example_quantity(option.unit));
  for (const double x : {5.0, 1.0, option.max, option.min}) {
    if (in_range(x, option.about())) return fmt::format("{}", x);
  }
  return {};
}

// The key under which a list for all agents is given, of an alternative that a bare number is; empty if there is none.
std::string key_of_list(std::span<const sim::Alternative> all) {
  const sim::Alternative* number = with_shorthand(all, sim::Shorthand::kNumber);
  if (number == nullptr || with_shorthand(all, sim::Shorthand::kList) != nullptr) return {};
  Outliner outliner;
  number->describe_default(outliner);
  for (const Outline& member : outliner.taken) {
    const auto takes_list = [](const OutlineAlternative& a) { return a.shorthand == sim::Shorthand::kList; };
    if (member.name == number->shorthand.key && std::ranges::any_of(member.alternatives, takes_list))
      return member.name;
  }
  return {};
}

}  // namespace

std::string expected_object(const sim::Describe& members) {
  Outliner outliner;
  members(outliner);
  for (const bool required : {true, false}) {
    for (const Outline& member : outliner.taken) {
      const std::string value = short_example(member);
      if (member.required == required && !value.empty())
        return fmt::format(R"(an object such as {{"{}": {}}})", member.name, value);
    }
  }
  return "an object";
}

const sim::Alternative* with_shorthand(std::span<const sim::Alternative> all, sim::Shorthand::Kind kind) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const sim::Alternative& a) { return a.shorthand.kind == kind; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> member_names(const sim::Describe& members) {
  Outliner outliner;
  members(outliner);
  return names_of(outliner.taken);
}

std::string found_keys(const Node& object) {
  constexpr std::size_t kMost = 5;
  Names keys;
  for (const Node::Member& member : object.items().first(std::min(kMost, object.items().size())))
    keys.push_back(printable(member.key));
  return keys.empty() ? "an empty object"
                      : fmt::format("an object with the key{} {}{}", keys.size() == 1 ? "" : "s",
                                    fmt::join(keys, ", "), object.items().size() > kMost ? ", ..." : "");
}

std::string expected_forms(std::span<const sim::Alternative> all, const Node* instead,
                           std::string_view unit) {
  if (instead != nullptr && instead->is(Node::Kind::kList)) {
    const std::string key = key_of_list(all), forms = expected_forms(all);
    return key.empty() ? forms : fmt::format("{}, or for one value per agent {{\"{}\": [...]}}", forms, key);
  }
  std::string out;
  const auto has_key = [](const sim::Alternative& a) { return !a.shorthand.key.empty(); };
  if (instead != nullptr && instead->is(Node::Kind::kObject) && std::ranges::all_of(all, has_key)) {
    Names keys;
    for (const sim::Alternative& a : all) keys.emplace_back(a.shorthand.key);
    return fmt::format("an object with one of the keys {}", fmt::join(keys, ", "));
  }
  if (with_shorthand(all, sim::Shorthand::kNumber) != nullptr) {
    const bool text = instead != nullptr && instead->is(Node::Kind::kText) && !example_quantity(unit).empty();
    out += text ? fmt::format("{} or ", expected_quantity(unit)) : "a number or ";
  }
  if (with_shorthand(all, sim::Shorthand::kList) != nullptr) out += "a list or ";
  if (with_shorthand(all, sim::Shorthand::kText) != nullptr) out += "text or ";
  if (all.front().name == "constant")
    return out + fmt::format("a distribution ({})", fmt::join(names_of(all), ", "));
  Names names;  // but for the one that a number is
  for (const sim::Alternative& a : all) {
    if (a.shorthand.kind != sim::Shorthand::kNumber) names.emplace_back(a.name);
  }
  if (names.size() == 1) {
    const auto one = std::ranges::find(all, names.front(), &sim::Alternative::name);
    const std::string_view key = one->shorthand.key;
    return out + (key.empty() ? fmt::format("\"{}\"", one->name) : fmt::format("{{\"{}\": ...}}", key));
  }
  return out + fmt::format("one of {}", fmt::join(names, ", "));
}

}  // namespace hearsay::scenarios
