#include "scenarios/language/reference/outline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/node.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/language/units.hpp"

namespace hearsay::scenarios {

namespace {

constexpr int kMaxDepth = 16;  // options can contain options of their own type

bool has_duration(const std::vector<Outline>& members) {
  return std::any_of(members.begin(), members.end(),
                     [](const Outline& m) { return m.unit == "s" || has_duration(m.members); });
}

// The example of an alternative. Where a bare number is allowed it has the unit of the place. The examples of
// distributions are durations, so they are left out for other quantities.
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
          .required = required,
          .in_run = in_run};
}

const OutlineAlternative& alternative_of(const Outline& variant, const Node* written) {
  const Node* const type =
      written != nullptr && written->is(Node::Kind::kObject) ? written->find("type") : written;
  for (const OutlineAlternative& one : variant.alternatives) {
    const bool named = type != nullptr && type->is(Node::Kind::kText) && type->text == one.name;
    const bool keyed = type == nullptr && written != nullptr && !one.shorthand_key.empty() &&
                       written->find(one.shorthand_key) != nullptr;
    if (named || keyed) return one;
  }
  return variant.alternatives[variant.held];
}

const Outline* member_of(const Outline& option, const Node* written, std::string_view name) {
  const bool variant = option.kind == Outline::Kind::kVariant;
  if (!variant && option.kind != Outline::Kind::kObject) return nullptr;
  const auto& members = variant ? alternative_of(option, written).members : option.members;
  const auto found = std::ranges::find(members, name, &Outline::name);
  return found == members.end() ? nullptr : &*found;
}

Outline& Outliner::add(Outline::Kind kind, const sim::About& about, std::string standard) {
  const bool inherits = about.unit == "=";
  Outline one{.kind = kind,
              .name = std::string(about.name),
              .help = std::string(about.help),
              .source = std::string(about.source),
              .unit = std::string(inherits ? place_.unit : about.unit),
              .min = inherits ? std::max(about.min, place_.min) : about.min,
              .max = inherits ? std::min(about.max, place_.max) : about.max,
              .required = about.required,
              .in_run = about.in_run,
              .agent = about.noun == sim::kAgentNumber,
              .standard = std::move(standard)};
  one.open_min = about.open_min && one.min == about.min;
  one.open_max = about.open_max && one.max == about.max;
  return taken.emplace_back(std::move(one));
}

std::vector<Outline> Outliner::members_of(const sim::About& place, const sim::Describe& members) {
  if (depth_ == kMaxDepth) return {};
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
  add(Outline::Kind::kText, about, nlohmann::json(value).dump());
}

void Outliner::file(sim::InputFile& value, const sim::About& about) {
  add(Outline::Kind::kFile, about, value.path.empty() ? "none" : nlohmann::json(value.path).dump());
}

void Outliner::choice(std::size_t& index, std::span<const sim::Choice> all, const sim::About& about) {
  Outline& one = add(Outline::Kind::kChoice, about, std::string(all[index].name));
  for (const sim::Choice& c : all) {
    if (c.listed)
      one.choices.push_back({std::string(c.name), std::string(c.help)});
    else
      one.unlisted.emplace_back(c.name);
  }
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
  Outline& list = add(Outline::Kind::kList, about, standard.dump());
  if (depth_ == kMaxDepth) return;
  resize(0);
  resize(1);
  list.members = members_of(place_, [&](sim::Visitor& v) { element(v, 0); });
  resize(0);
}

void Outliner::by_agent(const sim::About& about,
                        const std::function<void(const std::vector<sim::AgentId>&)>& set,
                        const sim::Describe& values) {
  Outline& all = add(Outline::Kind::kByAgent, about, "{}");
  if (depth_ == kMaxDepth) return;
  set({0});
  all.members = members_of(place_, values);
  set({});
}

void Outliner::alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                            const std::function<void(std::size_t)>&, const sim::Describe& current) {
  Outline& one = add(Outline::Kind::kVariant, about, "");
  const sim::About place = one.about();
  Writer writer(Numbers::kQuantities, false, place.unit);
  current(writer);
  nlohmann::ordered_json standard{{"type", std::string(all[index].name)}};
  standard.update(writer.written());
  one.standard = standard.dump();
  one.held = index;
  for (std::size_t i = 0; i < all.size(); ++i) {
    OutlineAlternative a{.name = std::string(all[i].name),
                         .help = std::string(all[i].help),
                         .shorthand_key = std::string(all[i].shorthand.key),
                         .shorthand = all[i].shorthand.kind,
                         .members = members_of(place, i == index ? current : all[i].describe_default),
                         .open = all[i].open};
    a.example = example_of(all[i], a.members, place.unit);
    one.alternatives.push_back(std::move(a));
  }
}

std::string kind_text(const Outline& option) {
  constexpr std::string_view kTexts[] = {
      "true or false",  "number", "whole number", "text",
      "path of a file", "",       "object",       "list"};  // by Outline::Kind
  if (option.kind == Outline::Kind::kList && !option.members.empty())
    return "list, each " + kind_text(option.members[0]);
  if (option.kind == Outline::Kind::kByAgent)
    return "object with agents as keys" +
           (option.members.empty() ? "" : ", each value " + kind_text(option.members[0]));
  if (option.agent && option.kind == Outline::Kind::kWhole) return "agent (number or name)";
  if (option.kind != Outline::Kind::kChoice && option.kind != Outline::Kind::kVariant)
    return std::string(kTexts[static_cast<std::size_t>(option.kind)]);
  const Names names = option.choices.empty() ? names_of(option.alternatives) : names_of(option.choices);
  return fmt::format("one of {}", fmt::join(names, ", "));
}

}  // namespace hearsay::scenarios
