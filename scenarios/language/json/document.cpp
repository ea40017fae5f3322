#include "scenarios/language/json/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/outline.hpp"

namespace hearsay::scenarios {

Document::Document()
    : sources_(std::make_shared<std::vector<Source>>(1, Source{Source::Kind::kCommandLine, "scenario", {}})) {
  root.kind = Node::Kind::kObject;
}

std::vector<Source>& Document::changeable_sources() {
  if (sources_.use_count() > 1) sources_ = std::make_shared<std::vector<Source>>(*sources_);
  return *sources_;
}

std::uint32_t Document::add_source(Source source) {
  changeable_sources().push_back(std::move(source));
  return static_cast<std::uint32_t>(sources_->size() - 1);
}

void Document::set_folder(const std::filesystem::path& folder) {
  changeable_sources().at(0).folder = folder;
}

std::string Document::where(Position position) const {
  const Source& from = source(position);
  if (from.kind == Source::Kind::kCommandLine || position.line == 0) return from.name;
  return fmt::format("{}:{}:{}", from.name, position.line, position.column);
}

bool types_differ(const Node& object, const Node& type, const Outline* option) {
  if (const Node* const present = object.find("type"))
    return !present->is(type.kind) || present->text != type.text;
  if (!type.is(Node::Kind::kText) || option == nullptr || option->kind != Outline::Kind::kVariant ||
      option->required || object.items().empty())
    return false;
  // It can only be read as the default type if that has all of its keys.
  const OutlineAlternative& held = alternative_of(*option, &object);
  const auto has = [&](const Node::Member& m) {
    return held.open || std::ranges::count(held.members, m.key, &Outline::name) > 0;
  };
  return held.name != type.text && std::ranges::all_of(object.items(), has);
}

void Document::fail(Position at, const std::string& pointer, const std::string& message) const {
  throw InputError(located(where(at), pointer, message));
}

void Document::set(std::string_view path, Node value) {
  std::string pointer;
  const Position at = value.at;
  const auto parts = split_path(path, root);
  if (const std::size_t most = Limits().depth; parts.size() > most)
    fail(at, pointer, fmt::format("expected a path of at most {} keys, found {}", most, parts.size()));
  Node* node = &root;
  const Outline* option = outline;  // that the node sets; null: unknown
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const bool last = i + 1 == parts.size();
    if (part.empty())
      fail(at, pointer, fmt::format("expected a path such as network.latency, found '{}'", printable(path)));
    if (node->is(Node::Kind::kText)) {  // "fedavg" is short for {"type": "fedavg"}
      Node whole = Node::object(node->at);
      whole.key_at = node->key_at;
      whole.add("type", *node);
      *node = std::move(whole);
    }
    const auto position = node->position(part);
    if (node->is(Node::Kind::kList)) {
      if (!position)
        fail(at, pointer,
             fmt::format("expected an index below {}, found '{}'", node->items().size(), printable(part)));
      node = &node->changeable_items()[*position].value;
      if (option != nullptr)
        option = option->kind == Outline::Kind::kList && !option->members.empty() ? &option->members.front()
                                                                                  : nullptr;
    } else if (node->is(Node::Kind::kObject)) {
      const Outline* const member = option != nullptr ? member_of(*option, node, part) : nullptr;
      if (last && value.is(Node::Kind::kNull) && (member == nullptr || !member->has_null()))
        return node->erase(part);
      // What has been set without a type is meant for the type that follows.
      const auto set_too = [&](const Node::Member& m) {
        return source(m.value.at).kind == Source::Kind::kCommandLine;
      };
      const bool clears = last && part == "type" && types_differ(*node, value, option) &&
                          (node->find("type") != nullptr || std::ranges::none_of(node->items(), set_too));
      if (clears) node->changeable_items().clear();
      node = position && !clears ? &node->changeable_items()[*position].value
                                 : &node->add(std::string(part), Node{});
      if (node->is(Node::Kind::kNull)) {
        *node = Node::object(at);
        node->key_at = at;
      }
      option = member;
    } else {
      fail(at, pointer, fmt::format("expected an object with '{}', found {}", printable(part), found(*node)));
    }
    pointer += pointer_step(part);
  }
  *node = std::move(value);
}

Node parse_object(std::string_view text, const Document& document, std::uint32_t source, Limits& left) {
  Node root = parse_text(text, document, source, left);
  if (!root.is(Node::Kind::kObject)) document.fail(root.at, "", "expected an object, found " + found(root));
  return root;
}

Document parse(std::string_view text, const std::string& name, const Limits& limits) {
  return parse(text, name, std::filesystem::path(name).parent_path(), limits);
}

Document parse(std::string_view text, const std::string& name, const std::filesystem::path& folder,
               const Limits& limits) {
  Document document;
  const std::uint32_t source = document.add_source({Source::Kind::kFile, name, folder});
  document.set_folder(folder);
  Limits left = limits;
  document.root = parse_object(text, document, source, left);
  return document;
}

}  // namespace hearsay::scenarios
