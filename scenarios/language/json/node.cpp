#include "scenarios/language/json/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scenarios/language/input_error.hpp"
#include "sim/files/whole_number.hpp"

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
  return items_ ? std::span<const Member>(*items_) : std::span<const Member>();
}

std::vector<Node::Member>& Node::changeable_items() {
  if (!items_) {
    items_ = std::make_shared<std::vector<Member>>();
  } else if (items_.use_count() > 1) {
    items_ = std::make_shared<std::vector<Member>>(*items_);
  }
  return *items_;
}

std::optional<std::size_t> Node::position(std::string_view part) const {
  std::size_t index = items().size();
  if (kind == Kind::kList) {
    if (part == "0" || !part.starts_with('0')) index = sim::whole_number<std::size_t>(part).value_or(index);
  } else if (kind == Kind::kObject) {
    const auto found =
        std::find_if(items().begin(), items().end(), [&](const Member& m) { return m.key == part; });
    index = static_cast<std::size_t>(found - items().begin());
  }
  return index < items().size() ? std::optional(index) : std::nullopt;
}

const Node* Node::find(std::string_view key) const {
  const auto index = kind == Kind::kObject ? position(key) : std::nullopt;
  return index ? &items()[*index].value : nullptr;
}

const Node* Node::find_path(std::string_view dotted) const {
  const Node* node = this;
  for (const std::string_view part : split_path(dotted, *this)) {
    const auto index = node->position(part);
    if (!index) return nullptr;
    node = &node->items()[*index].value;
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

std::vector<std::string_view> split_path(std::string_view dotted, const Node& root) {
  const std::vector<std::string_view> words = split_path(dotted);
  std::vector<std::string_view> parts;
  const Node* node = &root;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view part = words[i];
    for (std::size_t j = i; node != nullptr && j < words.size(); ++j) {
      const char* const end = words[j].data() + words[j].size();
      const std::string_view key(words[i].data(), static_cast<std::size_t>(end - words[i].data()));
      if (!node->position(key)) continue;
      part = key;
      i = j;
      break;
    }
    const auto index = node != nullptr ? node->position(part) : std::nullopt;
    node = index ? &node->items()[*index].value : nullptr;
    parts.push_back(part);
  }
  return parts;
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

std::string expected_one_of(const Names& names, const Node& node, std::string_view path, const Names& more) {
  return expected_one_of(names, found(node), node.is(Node::Kind::kText) ? node.text : "", path, more);
}

std::string json_as_written(const Node& node, std::optional<std::size_t> indent) {
  if (node.is(Node::Kind::kNumber)) return node.text;
  if (node.items().empty()) return to_json(node).dump();
  const bool object = node.is(Node::Kind::kObject);
  const auto line = [&](std::size_t more) {
    return indent ? "\n" + std::string(*indent + more, ' ') : std::string();
  };
  std::string text(1, object ? '{' : '[');
  for (const auto& item : node.items()) {
    text += (text.size() > 1 ? "," : "") + line(2);
    if (object) text += nlohmann::json(item.key).dump() + (indent ? ": " : ":");
    text += json_as_written(item.value, indent ? std::optional(*indent + 2) : std::nullopt);
  }
  return text + line(0) + (object ? '}' : ']');
}

nlohmann::ordered_json to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return nullptr;
    case Node::Kind::kBoolean:
      return node.boolean;
    case Node::Kind::kNumber:
      return nlohmann::ordered_json::parse(node.text);
    case Node::Kind::kText:
      return node.text;
    case Node::Kind::kList: {
      auto list = nlohmann::ordered_json::array();
      for (const auto& item : node.items()) list.push_back(to_json(item.value));
      return list;
    }
    case Node::Kind::kObject: {
      auto object = nlohmann::ordered_json::object();
      for (const auto& item : node.items()) object[item.key] = to_json(item.value);
      return object;
    }
  }
  return nullptr;
}

}  // namespace hearsay::scenarios
