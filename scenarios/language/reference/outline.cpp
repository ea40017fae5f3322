#include "scenarios/language/reference/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/language/member_names.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/language/reference/writer.hpp"

namespace hearsay::scenarios {

namespace {

constexpr int kDeepest = 16;  // of options that hold options of their own kind

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump();
}

bool has_duration(const std::vector<Outline>& members) {
  return std::any_of(members.begin(), members.end(),
                     [](const Outline& m) { return m.unit == "s" || has_duration(m.members); });
}

// What may be written as a bare number is shown as one of its place. The examples of laws are durations: they
// say nothing where something else varies.
std::string example_of(const sim::Alternative& alternative, const std::vector<Outline>& members,
                       std::string_view unit) {
  const bool duration = alternative.example.find(" ms\"") != std::string_view::npos;
  if (!alternative.example.empty())
    return duration && !has_duration(members) ? "" : std::string(alternative.example);
  if (alternative.shorthand.kind != sim::Shorthand::kNumber) return {};
  const std::string_view number = example_quantity(unit);
  return number.empty() ? "1" : fmt::format("\"{}\"", number);
}

}  // namespace

sim::About Outline::about() const {
  return {.name = name,
          .help = help,
          .unit = unit,
          .source = source,
          .min = min,
          .max = max,
          .open_min = open_min,
          .open_max = open_max,
          .required = required};
}

Outline& Outliner::add(Outline::Kind kind, const sim::About& about, std::string standard) {
  Outline one;
  one.kind = kind;
  one.name = about.name;
  one.help = about.help;
  one.unit = about.unit == "=" ? place_.unit : about.unit;
  one.source = about.source;
  one.min = about.unit == "=" ? std::max(about.min, place_.min) : about.min;
  one.max = about.unit == "=" ? std::min(about.max, place_.max) : about.max;
  one.open_min = about.open_min && one.min == about.min;
  one.open_max = about.open_max && one.max == about.max;
  one.required = about.required;
  one.standard = std::move(standard);
  return taken.emplace_back(std::move(one));
}

std::vector<Outline> Outliner::members_of(const sim::About& place, const sim::Describe& members) {
  if (depth_ == kDeepest) return {};
  Outliner inner;
  inner.place_ = place;
  inner.depth_ = depth_ + 1;
  members(inner);
  return std::move(inner.taken);
}

void Outliner::boolean(bool& value, const sim::About& about) {
  add(Outline::Kind::kBoolean, about, value ? "true" : "false");
}

void Outliner::number(double& value, const sim::About& about) {
  Outline& one = add(Outline::Kind::kNumber, about, "");
  one.standard = std::isnan(value) ? "none" : format_quantity(value, one.unit);
}

void Outliner::whole(std::int64_t& value, const sim::About& about) {
  Outline& one = add(Outline::Kind::kWhole, about, "");
  one.standard =
      one.unit.empty() ? fmt::format("{}", value) : format_quantity(static_cast<double>(value), one.unit);
}

void Outliner::text(std::string& value, const sim::About& about) {
  add(Outline::Kind::kText, about, json_text(value));
}

void Outliner::file(sim::InputFile& value, const sim::About& about) {
  add(Outline::Kind::kFile, about, value.path.empty() ? "none" : json_text(value.path));
}

void Outliner::choice(std::size_t& index, std::span<const sim::Choice> all, const sim::About& about) {
  Outline& one = add(Outline::Kind::kChoice, about, std::string(all[index].name));
  for (const sim::Choice& c : all) one.choices.push_back({std::string(c.name), std::string(c.help)});
}

void Outliner::object(const sim::About& about, const sim::Describe& members) {
  Outline& one = add(Outline::Kind::kObject, about, "");
  one.members = members_of(about.unit.empty() ? place_ : one.about(), members);
}

void Outliner::optional(const sim::About&, bool present, const std::function<void(bool)>& set,
                        const sim::Describe& value) {
  if (!present) set(true);
  value(*this);
  if (!present) set(false);
  taken.back().optional = true;
  if (!present) taken.back().standard = "none";
}

void Outliner::list(const sim::About& about, std::size_t size, const std::function<void(std::size_t)>& resize,
                    const std::function<void(sim::Visitor&, std::size_t)>& element) {
  Writer writer(Numbers::kQuantities, false, place_.unit);
  for (std::size_t i = 0; i < size; ++i) element(writer, i);
  auto standard = nlohmann::ordered_json::array();
  for (const auto& one : writer.written()) standard.push_back(one);
  Outline& list = add(Outline::Kind::kList, about, json_text(standard));
  if (depth_ == kDeepest) return;
  resize(0);
  resize(1);
  list.members = members_of(place_, [&](sim::Visitor& v) { element(v, 0); });
  resize(0);
}

void Outliner::alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                            const std::function<void(std::size_t)>&, const sim::Describe& current) {
  Outline& one = add(Outline::Kind::kVariant, about, "");
  const sim::About place = one.about();
  Writer writer(Numbers::kQuantities, false, place.unit);
  current(writer);
  nlohmann::ordered_json standard{{"type", std::string(all[index].name)}};
  standard.update(writer.written());
  one.standard = json_text(standard);
  one.held = index;
  for (std::size_t i = 0; i < all.size(); ++i) {
    OutlineAlternative a;
    a.name = all[i].name;
    a.help = all[i].help;
    a.shorthand_key = all[i].shorthand.key;
    a.shorthand = all[i].shorthand.kind;
    a.members = members_of(place, i == index ? current : all[i].describe_default);
    a.example = example_of(all[i], a.members, place.unit);
    one.alternatives.push_back(std::move(a));
  }
}

std::string kind_text(const Outline& option) {
  switch (option.kind) {
    case Outline::Kind::kBoolean:
      return "true or false";
    case Outline::Kind::kNumber:
      return "number";
    case Outline::Kind::kWhole:
      return "whole number";
    case Outline::Kind::kText:
      return "text";
    case Outline::Kind::kFile:
      return "path of a file";
    case Outline::Kind::kObject:
      return "object";
    case Outline::Kind::kList:
      return option.members.empty() ? "list" : "list, each " + kind_text(option.members[0]);
    case Outline::Kind::kChoice:
    case Outline::Kind::kVariant:
      break;
  }
  std::vector<std::string> names;
  for (const auto& c : option.choices) names.push_back(c.name);
  for (const auto& a : option.alternatives) names.push_back(a.name);
  return "one of " + comma_separated(names);
}

}  // namespace hearsay::scenarios
