#include "scenarios/language/json/document.hpp"

#include <fmt/format.h>

#include <charconv>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/parse.hpp"

namespace hearsay::scenarios {

Document::Document()
    : sources_(std::make_shared<std::vector<Source>>(1, Source{Source::Kind::kSweep, "sweep point", {}})) {
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
  switch (from.kind) {
    case Source::Kind::kFile:
      if (position.line == 0) return from.name;
      return fmt::format("{}:{}:{}", from.name, position.line, position.column);
    case Source::Kind::kCommandLine:
      return from.name;
    case Source::Kind::kSweep:
      return fmt::format("{} {}", from.name, position.line);
  }
  return {};
}

namespace {

bool same_type(const Node& object, const Node& type) {
  const Node* held = object.find("type");
  return held == nullptr || (held->is(type.kind) && held->text == type.text);
}

// The list element that `part` names.
Node* element(Node& list, std::string_view part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc{} || end != part.data() + part.size() || index >= list.items().size())
    return nullptr;
  return &list.changeable_items()[index].value;
}

Node* member(Node& object, std::string_view key) {
  for (Node::Member& m : object.changeable_items()) {
    if (m.key == key) return &m.value;
  }
  return nullptr;
}

}  // namespace

void Document::set(std::string_view path, Node value) {
  std::string pointer;
  const Position at = value.at;
  const auto fail = [&](const std::string& message) {
    throw InputError(located(where(at), pointer, message));
  };
  const auto parts = split_path(path);
  Node* node = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const bool last = i + 1 == parts.size();
    if (part.empty())
      fail(fmt::format("expected a path such as network.latency, found '{}'", printable(path)));
    if (node->is(Node::Kind::kList)) {
      Node* next = element(*node, part);
      if (next == nullptr) {
        fail(fmt::format("expected an index below {}, found '{}'", node->items().size(), printable(part)));
      }
      node = next;
    } else if (node->is(Node::Kind::kObject)) {
      if (last && value.is(Node::Kind::kNull)) return node->erase(part);
      if (last && part == "type" && !same_type(*node, value)) node->changeable_items().clear();
      Node* next = member(*node, part);
      if (next == nullptr || next->is(Node::Kind::kNull)) {
        Node made = Node::object(at);
        made.key_at = at;
        if (next == nullptr) {
          next = &node->add(std::string(part), std::move(made));
        } else {
          *next = std::move(made);
        }
      }
      node = next;
    } else {
      fail(fmt::format("expected an object with '{}', found {}", printable(part), found(*node)));
    }
    pointer += pointer_step(part);
  }
  *node = std::move(value);
}

Document parse(std::string_view text, const std::string& name, const Limits& limits) {
  Document document;
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  const std::uint32_t source = document.add_source({Source::Kind::kFile, name, folder});
  document.set_folder(folder);
  Limits left = limits;
  document.root = parse_text(text, document, source, left);
  if (!document.root.is(Node::Kind::kObject)) {
    throw InputError(located(document.where(document.root.at), "",
                             fmt::format("expected an object, found {}", found(document.root))));
  }
  return document;
}

}  // namespace hearsay::scenarios
