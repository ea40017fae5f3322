#include "scenarios/language/json/document.hpp"

#include <fmt/format.h>

#include "scenarios/language/input_error.hpp"

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

namespace {

bool same_type(const Node& object, const Node& type) {
  const Node* present = object.find("type");
  return present == nullptr || (present->is(type.kind) && present->text == type.text);
}

}  // namespace

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
    } else if (node->is(Node::Kind::kObject)) {
      if (last && value.is(Node::Kind::kNull)) return node->erase(part);
      const bool clears = last && part == "type" && !same_type(*node, value);
      if (clears) node->changeable_items().clear();
      node = position && !clears ? &node->changeable_items()[*position].value
                                 : &node->add(std::string(part), Node{});
      if (node->is(Node::Kind::kNull)) {
        *node = Node::object(at);
        node->key_at = at;
      }
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
