#include "scenarios/language/json/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

Node Node::object(Position at) {
  Node node;
  node.kind = Kind::kObject;
  node.at = at;
  return node;
}

Node Node::string(std::string text, Position at) {
  Node node;
  node.kind = Kind::kText;
  node.text = std::move(text);
  node.at = at;
  return node;
}

std::span<const Node::Member> Node::items() const {
  if (!items_) return {};
  return *items_;
}

std::vector<Node::Member>& Node::changeable_items() {
  if (!items_) {
    items_ = std::make_shared<std::vector<Member>>();
  } else if (items_.use_count() > 1) {
    items_ = std::make_shared<std::vector<Member>>(*items_);
  }
  return *items_;
}

const Node* Node::find(std::string_view key) const {
  if (kind != Kind::kObject) return nullptr;
  for (const Member& member : items()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Node* Node::find_path(std::string_view dotted) const {
  const Node* node = this;
  for (const std::string_view part : split_path(dotted)) {
    if (node->is(Kind::kList)) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
      if (error != std::errc{} || end != part.data() + part.size() || index >= node->items().size()) {
        return nullptr;
      }
      node = &node->items()[index].value;
    } else {
      node = node->find(part);
    }
    if (node == nullptr) return nullptr;
  }
  return node;
}

Node& Node::add(std::string key, Node value) {
  return changeable_items().emplace_back(Member{std::move(key), std::move(value)}).value;
}

void Node::erase(std::string_view key) {
  if (find(key) == nullptr) return;
  std::erase_if(changeable_items(), [key](const Member& member) { return member.key == key; });
}

void Node::relocate(Position position) {
  at = key_at = position;
  if (!items_) return;
  for (Member& member : changeable_items()) member.value.relocate(position);
}

std::vector<std::string_view> split_path(std::string_view dotted) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t dot = dotted.find('.');
    parts.push_back(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    dotted.remove_prefix(dot + 1);
  }
}

std::string found(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kBoolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::kNumber:
      return printable(node.text);
    case Node::Kind::kText:
      return fmt::format("\"{}\"", printable(node.text));
    case Node::Kind::kList:
      return fmt::format("a list of {}", node.items().size());
    case Node::Kind::kObject:
      return "an object";
  }
  return {};
}

}  // namespace hearsay::scenarios
