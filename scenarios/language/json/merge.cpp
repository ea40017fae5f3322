#include "scenarios/language/json/merge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/parse.hpp"
#include "scenarios/language/json/text_file.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::size_t kMostFiles = 16;

bool types_differ(const Node& a, const Node& b) {
  const Node* type_a = a.find("type");
  const Node* type_b = b.find("type");
  return type_a != nullptr && type_b != nullptr &&
         (type_a->kind != type_b->kind || type_a->text != type_b->text);
}

// A scenario and what it extends, read one after the other: the scenario first.
class Chain {
 public:
  Chain(Document& document, const Limits& limits) : document_(document), left_(limits) {}

  void follow(const std::filesystem::path& file) {
    std::filesystem::path next = file;
    // What names the next file; of the scenario itself, the user.
    std::string where = printable(file.string(), 4096);
    std::string pointer;
    for (;;) {
      refuse_circle(next, where, pointer);
      read(next, where, pointer);
      const Node* extends = layers_.back().find("extends");
      if (extends == nullptr || extends->is(Node::Kind::kNull)) return;
      where = document_.where(extends->at);
      pointer = "/extends";
      if (!extends->is(Node::Kind::kText)) {
        throw InputError(
            located(where, pointer, fmt::format("expected the path of a file, found {}", found(*extends))));
      }
      next = (next.parent_path() / extends->text).lexically_normal();
    }
  }

  Node merged() {
    Node result = Node::object(layers_.front().at);
    std::for_each(layers_.rbegin(), layers_.rend(), [&result](Node& layer) {
      layer.erase("extends");
      layer.erase("$schema");
      merge_patch(result, layer);
    });
    return result;
  }

 private:
  void refuse_circle(const std::filesystem::path& next, const std::string& where,
                     const std::string& pointer) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(next, error);
    const auto chain = [&] {
      std::string out;
      for (const auto& name : names_) out += printable(name.string(), 4096) + " -> ";
      return out + printable(next.string(), 4096);
    };
    if (std::find(real_.begin(), real_.end(), real) != real_.end()) {
      throw InputError(located(where, pointer, "a scenario must not extend itself: " + chain()));
    }
    if (real_.size() > kMostFiles) {
      throw InputError(
          located(where, pointer,
                  fmt::format("expected a chain of at most {} files, found {}", kMostFiles, chain())));
    }
    names_.push_back(next);
    real_.push_back(real);
  }

  void read(const std::filesystem::path& file, const std::string& where, const std::string& pointer) {
    std::string text;
    try {
      text = read_text_file(file, left_.bytes);
    } catch (const std::runtime_error& error) {
      const bool named = pointer.empty();
      throw InputError(
          located(where, pointer,
                  error.what() + (named ? "" : fmt::format(" ({})", printable(file.string(), 4096)))));
    }
    const std::uint32_t source =
        document_.add_source({Source::Kind::kFile, printable(file.string(), 4096), file.parent_path()});
    Node root = parse_text(text, document_, source, left_);
    if (!root.is(Node::Kind::kObject)) {
      throw InputError(
          located(document_.where(root.at), "", fmt::format("expected an object, found {}", found(root))));
    }
    layers_.push_back(std::move(root));
  }

  Document& document_;
  Limits left_;
  std::vector<Node> layers_;
  std::vector<std::filesystem::path> names_, real_;
};

// JSON if it parses as such, else a text. What begins like JSON that is no bare word must be JSON.
Node command_line_value(const Document& document, std::uint32_t source, std::string_view text,
                        const std::string& path) {
  Node node;
  try {
    Limits limits;
    node = parse_text(text, document, source, limits);
  } catch (const InputError& error) {
    if (!text.empty() && std::string_view("{[\"").find(text[0]) != std::string_view::npos) {
      throw InputError(
          fmt::format("--set {}: {}", path,
                      std::string_view(error.what()).substr(document.where({source, 0, 0}).size() + 2)));
    }
    node = Node::string(std::string(text), {});
  }
  node.relocate({source, 0, 0});
  return node;
}

constexpr std::string_view kSweepPrefix = "sweep.";

// Axes are named by paths: "sweep.privacy.epsilon" is the axis "privacy.epsilon".
void set_axis(Document& document, const std::string& name, const Node& value) {
  if (document.root.find("sweep") == nullptr) document.set("sweep", Node::object(value.at));
  for (Node::Member& member : document.root.changeable_items()) {
    if (member.key != "sweep") continue;
    if (!member.value.is(Node::Kind::kObject)) member.value = Node::object(value.at);
    Node patch = Node::object(value.at);
    patch.add(name, Node{});
    patch.at = member.value.at;
    patch.key_at = member.value.key_at;
    // A range replaces the axis that was there; it is not merged into it.
    merge_patch(member.value, patch);
    if (!value.is(Node::Kind::kNull)) member.value.add(name, value);
  }
}

}  // namespace

void merge_patch(Node& target, const Node& patch) {
  if (!patch.is(Node::Kind::kObject)) {
    target = patch;
    return;
  }
  if (!target.is(Node::Kind::kObject) || types_differ(target, patch)) target = Node::object(patch.at);
  target.at = patch.at;
  target.key_at = patch.key_at;
  for (const Node::Member& member : patch.items()) {
    if (member.value.is(Node::Kind::kNull)) {
      target.erase(member.key);
      continue;
    }
    auto& members = target.changeable_items();
    const auto held = std::find_if(members.begin(), members.end(),
                                   [&member](const Node::Member& m) { return m.key == member.key; });
    merge_patch(held == members.end() ? target.add(member.key, Node{}) : held->value, member.value);
  }
}

void apply_set(Document& document, const std::string& set) {
  const std::size_t equals = set.find('=');
  if (equals == std::string::npos) {
    throw InputError(fmt::format("--set {}: expected PATH=VALUE, found no '='", printable(set)));
  }
  const std::string path = set.substr(0, equals);
  const std::string shown = printable(path);
  const std::uint32_t source = document.add_source({Source::Kind::kCommandLine, "--set " + shown, {}});
  Node value = command_line_value(document, source, std::string_view(set).substr(equals + 1), shown);
  if (path.starts_with(kSweepPrefix)) return set_axis(document, path.substr(kSweepPrefix.size()), value);
  document.set(path, std::move(value));
}

Document load(const std::filesystem::path& file, std::span<const std::string> sets, const Limits& limits) {
  Document document;
  document.set_folder(file.parent_path());
  Chain chain(document, limits);
  chain.follow(file);
  document.root = chain.merged();
  for (const std::string& set : sets) apply_set(document, set);
  return document;
}

}  // namespace hearsay::scenarios
