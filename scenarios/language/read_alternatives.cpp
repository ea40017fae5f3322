// What Reader does with a value that may have one of several forms: alternatives, and values by agent.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenarios/language/expected.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reader.hpp"
#include "sim/files/whole_number.hpp"

namespace hearsay::scenarios {

Reader::Chosen Reader::choose(const Node& node, const sim::About& about,
                              std::span<const sim::Alternative> all, std::size_t index) {
  using Form = Chosen::Form;
  const auto none = [&]() -> Chosen {
    const std::string shown = node.is(Node::Kind::kObject) ? found_keys(node) : found(node);
    return {Form::kNone, 0,
            fmt::format("expected {}, found {}", expected_forms(all, &node, about.unit), shown)};
  };
  const auto bare = [&](sim::Shorthand::Kind kind) -> Chosen {
    const sim::Alternative* a = with_shorthand(all, kind);
    return a == nullptr ? none() : Chosen{Form::kBare, static_cast<std::size_t>(a - all.data())};
  };
  switch (node.kind) {
    case Node::Kind::kNumber:
      return bare(sim::Shorthand::kNumber);
    case Node::Kind::kList:
      return bare(sim::Shorthand::kList);
    case Node::Kind::kNull:
    case Node::Kind::kBoolean:
      return none();
    case Node::Kind::kText: {
      if (const std::size_t named = index_of(all, node); named < all.size()) return {Form::kDefaults, named};
      const bool numeric = !node.text.empty() &&
                           std::string_view("0123456789+-.").find(node.text[0]) != std::string_view::npos;
      const bool share = node.text.ends_with('%') && with_shorthand(all, sim::Shorthand::kText);
      if (numeric && !share && with_shorthand(all, sim::Shorthand::kNumber))
        return bare(sim::Shorthand::kNumber);
      Chosen text = bare(sim::Shorthand::kText);
      text.hint += text.form == Form::kNone ? did_you_mean(node.text, names_of(all)) : "";
      return text;
    }
    case Node::Kind::kObject:
      break;
  }
  if (const Node* type = node.find("type")) {
    const std::size_t named = index_of(all, *type);
    if (named < all.size()) return {Form::kObject, named};
    return {Form::kNone, 0, expected_one_of(names_of(all), *type)};
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].shorthand.key.empty() && node.find(all[i].shorthand.key)) return {Form::kObject, i};
  }
  // A key may be misspelt: one that the default has not, near one that another has.
  Names keys;
  for (const sim::Alternative& a : all) keys.emplace_back(a.shorthand.key);
  const Names usual = about.required ? Names{} : member_names(all[index].describe_default);
  for (const Node::Member& member : node.items()) {
    const std::string_view near = nearest(member.key, keys);
    if (near.empty() || std::ranges::count(usual, member.key) > 0) continue;
    const auto meant =
        std::ranges::find(all, near, [](const sim::Alternative& a) { return a.shorthand.key; });
    return {Form::kObject, static_cast<std::size_t>(meant - all.begin())};
  }
  if (about.required) return none();
  return {Form::kObject, index,
          fmt::format("; for other keys set another \"type\" ({})", fmt::join(names_of(all), ", "))};
}

void Reader::alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                          const std::function<void(std::size_t)>& select, const sim::Describe& current) {
  const Node* node = given(about, [&] { return expected_forms(all); });
  if (node == nullptr) return;
  Chosen chosen = choose(*node, resolved(about), all, index);
  if (chosen.form == Chosen::Form::kNone) {
    const Node* type = node->find("type");
    return fault(type ? type->at : node->at, pointer(about.name) + (type ? "/type" : ""), chosen.hint);
  }
  // The alternative that is selected by default keeps the defaults of this option.
  if (chosen.index != index) select(chosen.index);
  const bool bare = chosen.form == Chosen::Form::kBare;
  const std::string_view key = all[chosen.index].shorthand.key;
  const bool by_key =
      chosen.form == Chosen::Form::kObject && node->find("type") == nullptr && node->find(key) != nullptr;
  within({.kind = bare ? Frame::Kind::kBare : Frame::Kind::kObject,
          .node = chosen.form == Chosen::Form::kDefaults ? nullptr : node,
          .at = node->at,
          .name = about.name,
          .place = resolved(about),
          .key = bare || by_key ? key : "",
          .type = all[chosen.index].name,
          .open = all[chosen.index].open,
          .hint = std::move(chosen.hint),
          .others = by_key ? all : std::span<const sim::Alternative>()},
         current);
}

void Reader::by_agent(const sim::About& about,
                      const std::function<void(const std::vector<sim::AgentId>&)>& set,
                      const sim::Describe& values) {
  const Node* node =
      given_as(about, Node::Kind::kObject, R"(an object of agents and values such as {"3": 1})");
  if (node == nullptr) return;
  std::vector<sim::AgentId> agents;
  std::map<std::string, std::string, std::less<>> keys;
  const std::size_t faults = faults_.size();
  for (const auto& [key, value] : node->items()) {
    const std::string place = pointer(about.name) + pointer_step(key);
    const bool digits = key.find_first_not_of("0123456789") == std::string::npos;
    const auto i = digits ? sim::whole_number<sim::AgentId>(key) : named(key, value.key_at, place);
    if (digits && (!i || *i >= sim::kMaxAgents || key != std::to_string(*i))) {
      fault(value.key_at, place,
            fmt::format("expected the number or name of an agent as key, found '{}'", printable(key)));
    } else if (value.is(Node::Kind::kNull)) {
      fault(value.at, place, "expected a value, found null");
    } else if (i && !keys.emplace(std::to_string(*i), key).second) {
      fault(value.key_at, place,
            fmt::format("agent {} has a value already, as '{}': remove one", *i,
                        printable(keys.at(std::to_string(*i)))));
    }
    if (i) agents.push_back(*i);
  }
  if (faults_.size() > faults || agents.size() < node->items().size()) return;
  set(agents);
  within({.node = node,
          .at = node->at,
          .name = about.name,
          .place = frames_.back().place,
          .keys = std::move(keys)},
         values);
}

}  // namespace hearsay::scenarios
