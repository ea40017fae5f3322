// How the reader determines which alternative a value is.
#include <fmt/format.h>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/member_names.hpp"
#include "scenarios/language/reader.hpp"

namespace hearsay::scenarios {

namespace {

bool looks_like_number(std::string_view text) {
  return !text.empty() && std::string_view("0123456789+-.").find(text[0]) != std::string_view::npos;
}

const sim::Alternative* with_shorthand(std::span<const sim::Alternative> all, sim::Shorthand::Kind kind) {
  for (const sim::Alternative& a : all) {
    if (a.shorthand.kind == kind) return &a;
  }
  return nullptr;
}

std::string expected_forms(std::span<const sim::Alternative> all) {
  std::string out = fmt::format("an object with a \"type\" ({})", comma_separated(names_of(all)));
  if (with_shorthand(all, sim::Shorthand::kNumber) != nullptr) out += " or a number";
  if (with_shorthand(all, sim::Shorthand::kList) != nullptr) out += " or a list";
  if (with_shorthand(all, sim::Shorthand::kText) != nullptr) out += " or text";
  return out;
}

}  // namespace

// The alternative that a value means, and how its members are found in it.
struct Reader::Chosen {
  enum class Form { kNone, kObject, kBare, kDefaults };
  Form form = Form::kNone;
  std::size_t index = 0;
  std::string hint = {};
};

Reader::Chosen Reader::choose_by_type(const Node& type, std::span<const sim::Alternative> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (type.is(Node::Kind::kText) && all[i].name == type.text) return {Chosen::Form::kObject, i};
  }
  const auto names = names_of(all);
  const bool named = type.is(Node::Kind::kText);
  return {Chosen::Form::kNone, 0,
          fmt::format("expected one of {}, found {}{}", comma_separated(names), found(type),
                      named ? did_you_mean(type.text, names) : "")};
}

Reader::Chosen Reader::choose(const Node& node, const sim::About& about,
                              std::span<const sim::Alternative> all, std::size_t index) {
  const auto bare = [&](sim::Shorthand::Kind kind) -> Chosen {
    const sim::Alternative* a = with_shorthand(all, kind);
    if (a == nullptr) return {};
    return {Chosen::Form::kBare, static_cast<std::size_t>(a - all.data())};
  };
  switch (node.kind) {
    case Node::Kind::kNumber:
      return bare(sim::Shorthand::kNumber);
    case Node::Kind::kList:
      return bare(sim::Shorthand::kList);
    case Node::Kind::kNull:
    case Node::Kind::kBoolean:
      return {};
    case Node::Kind::kText: {
      Chosen named = choose_by_type(node, all);
      if (named.form == Chosen::Form::kObject) return {Chosen::Form::kDefaults, named.index};
      if (looks_like_number(node.text) && with_shorthand(all, sim::Shorthand::kNumber))
        return bare(sim::Shorthand::kNumber);
      const Chosen text = bare(sim::Shorthand::kText);
      return text.form == Chosen::Form::kNone ? named : text;
    }
    case Node::Kind::kObject:
      break;
  }
  if (const Node* type = node.find("type")) return choose_by_type(*type, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].shorthand.key.empty() && node.find(all[i].shorthand.key)) return {Chosen::Form::kObject, i};
  }
  if (about.required) return {};
  return {Chosen::Form::kObject, index,
          fmt::format("; for other keys set another \"type\" ({})", comma_separated(names_of(all)))};
}

void Reader::alternatives(const sim::About& about, std::span<const sim::Alternative> all, std::size_t index,
                          const std::function<void(std::size_t)>& select, const sim::Describe& current) {
  const Node* node = given(about);
  if (node == nullptr) return;
  Chosen chosen = choose(*node, about, all, index);
  if (chosen.form == Chosen::Form::kNone) {
    if (chosen.hint.empty()) return wrong(*node, about, expected_forms(all));
    const Node* type = node->find("type");
    return fault(type ? type->at : node->at, pointer(about.name) + (type ? "/type" : ""), chosen.hint);
  }
  // The alternative that is selected by default keeps the defaults of this option.
  if (chosen.index != index) select(chosen.index);
  Frame frame;
  frame.kind = chosen.form == Chosen::Form::kBare ? Frame::Kind::kBare : Frame::Kind::kObject;
  frame.node = chosen.form == Chosen::Form::kDefaults ? nullptr : node;
  frame.at = node->at;
  frame.name = about.name;
  frame.place = resolved(about);
  frame.type = all[chosen.index].name;
  if (chosen.form == Chosen::Form::kBare) frame.key = all[chosen.index].shorthand.key;
  frame.hint = std::move(chosen.hint);
  within(std::move(frame), current);
}

}  // namespace hearsay::scenarios
