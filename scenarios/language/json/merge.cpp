#include "scenarios/language/json/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/language/reference/outline.hpp"
#include "sim/files/text.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::size_t kMaxFiles = 16;

// The top of the tree of scenarios that a file belongs to; empty if it is in none.
std::filesystem::path tree_of(const std::filesystem::path& file) {
  std::error_code error;
  for (auto folder = std::filesystem::weakly_canonical(file, error).parent_path();;
       folder = folder.parent_path()) {
    if (std::filesystem::is_regular_file(folder / "scenario.schema.json", error)) return folder;
    if (folder == folder.parent_path()) return {};
  }
}

// A scenario and the files that it extends, the scenario first.
class Chain {
 public:
  Chain(Document& document, const Folders& folders, const Limits& limits)
      : document_(document), folders_(folders), left_(limits) {}

  void follow(const std::filesystem::path& file) {
    std::filesystem::path next = file;
    std::string where = printable(file.string(), 4096), pointer;  // of the name of the next file
    for (;;) {
      read(next, where, pointer);
      const Node* extends = layers_.back().find("extends");
      if (extends == nullptr || extends->is(Node::Kind::kNull)) return;
      where = document_.where(extends->at);
      pointer = "/extends";
      if (!extends->is(Node::Kind::kText))
        throw InputError(located(where, pointer, "expected the path of a file, found " + found(*extends)));
      next = found_beside(next, extends->text, where);
    }
  }

  Node merged() { return merge_layers(std::move(layers_), document_.outline); }

 private:
  // The extended file, by the name that it has in the folder of `file` if it is there.
  std::filesystem::path found_beside(const std::filesystem::path& file, const std::string& written,
                                     const std::string& where) const {
    try {
      const auto real = find_input(written, file.parent_path(), folders_);
      const auto beside = (file.parent_path() / written).lexically_normal();
      std::error_code error;
      return std::filesystem::weakly_canonical(beside, error) == real ? beside : real;
    } catch (const std::runtime_error& e) {
      throw InputError(located(where, "/extends", e.what()));
    }
  }

  void read(const std::filesystem::path& file, const std::string& where, const std::string& pointer) {
    const auto fail = [&](const std::string& message) { throw InputError(located(where, pointer, message)); };
    const std::string name = printable(file.string(), 4096);
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(file, error);
    const bool circular = std::find(real_.begin(), real_.end(), real) != real_.end();
    names_.push_back(name);
    real_.push_back(real);
    if (circular) fail(fmt::format("a scenario must not extend itself: {}", fmt::join(names_, " -> ")));
    if (real_.size() > kMaxFiles + 1) {
      fail(fmt::format("expected a chain of at most {} files, found {}", kMaxFiles,
                       fmt::join(names_, " -> ")));
    }
    std::string text;
    try {
      text = read_text_file(file, left_.bytes);
    } catch (const std::runtime_error& e) {
      fail(pointer.empty() ? e.what() : fmt::format("{}: {}", name, e.what()));
    }
    const std::uint32_t source = document_.add_source({Source::Kind::kFile, name, file.parent_path()});
    layers_.push_back(parse_object(text, document_, source, left_));
  }

  Document& document_;
  Folders folders_;
  Limits left_;
  std::vector<Node> layers_;
  std::vector<std::string> names_;
  std::vector<std::filesystem::path> real_;
};

// The value as JSON, or as a text if it is not JSON and does not begin like a list, an object or a quoted text.
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

// Sets the axis of an option: "sweep.privacy.epsilon" is the axis "privacy.epsilon".
void set_axis(Document& document, const std::string& name, const Node& value) {
  if (document.root.find("sweep") == nullptr) document.set("sweep", Node::object(value.at));
  Node& sweep = document.root.changeable_items()[*document.root.position("sweep")].value;
  if (!sweep.is(Node::Kind::kObject)) sweep = Node::object(value.at);
  // The new axis replaces an old one; it is not merged into it.
  sweep.erase(name);
  erase_zipped(sweep, name);
  if (!value.is(Node::Kind::kNull)) sweep.add(name, value);
}

}  // namespace

void erase_zipped(Node& sweep, std::string_view path) {
  const auto zip = sweep.position("zip");
  if (!zip || !sweep.items()[*zip].value.is(Node::Kind::kList)) return;
  auto& entries = sweep.changeable_items()[*zip].value.changeable_items();
  std::erase_if(entries, [path](Node::Member& entry) {
    if (entry.value.find(path) == nullptr) return false;
    entry.value.erase(path);
    return entry.value.items().empty();
  });
}

bool names_type(const Node& node) {
  return node.is(Node::Kind::kText) && !node.text.empty() &&
         std::string_view("0123456789.+-").find(node.text.front()) == std::string_view::npos;
}

void merge_patch(Node& target, const Node& patch, const Outline* option) {
  if (!patch.is(Node::Kind::kObject)) {
    target = patch;
    return;
  }
  if (names_type(target)) {
    Node whole = Node::object(target.at);  // "ring" is short for {"type": "ring"}
    whole.add("type", std::move(target));
    target = std::move(whole);
  }
  const Node* const type = patch.find("type");
  if (!target.is(Node::Kind::kObject) || (type != nullptr && types_differ(target, *type, option)))
    target = Node::object(patch.at);
  target.at = patch.at;
  target.key_at = patch.key_at;
  const Node typed =
      type != nullptr || target.items().empty() ? patch : target;  // selects the alternative of both
  for (const Node::Member& member : patch.items()) {
    const Outline* const inner = option != nullptr ? member_of(*option, &typed, member.key) : nullptr;
    if (member.value.is(Node::Kind::kNull) && (inner == nullptr || !inner->has_null())) {
      target.erase(member.key);
      continue;
    }
    const auto position = target.position(member.key);
    merge_patch(position ? target.changeable_items()[*position].value : target.add(member.key, Node{}),
                member.value, inner);
  }
}

Node merge_layers(std::vector<Node> layers, const Outline* outline) {
  Node result = Node::object(layers.at(0).at);
  std::for_each(layers.rbegin(), layers.rend(), [&](Node& layer) {
    layer.erase("extends");
    layer.erase("$schema");
    merge_patch(result, layer, outline);
  });
  return result;
}

void apply_set(Document& document, const std::string& set) {
  const std::size_t equals = set.find('=');
  if (equals == std::string::npos) {
    throw InputError(fmt::format("--set {}: expected PATH=VALUE, found no '='", printable(set)));
  }
  const std::string path = set.substr(0, equals);
  const std::string shown = printable(path);
  if (const std::size_t bad = sim::find_not_utf8(set); bad != set.npos)
    throw InputError(fmt::format("--set {}: {}", shown, sim::not_utf8(set, bad)));
  const std::uint32_t source = document.add_source({Source::Kind::kCommandLine, "--set " + shown, {}});
  Node value = command_line_value(document, source, std::string_view(set).substr(equals + 1), shown);
  if (path == "extends" || path.starts_with("extends.")) {
    throw InputError(
        fmt::format("--set {}: a scenario is extended by a file: write \"extends\" into one", shown));
  }
  if (path.starts_with(kSweepPrefix)) return set_axis(document, path.substr(kSweepPrefix.size()), value);
  document.set(path, std::move(value));
}

Document load(const std::filesystem::path& file, std::span<const std::string> sets, const Folders& folders,
              const Limits& limits, const Outline* outline) {
  Document document;
  document.outline = outline;
  document.set_folder(file.parent_path());
  Folders allowed = folders;
  if (const auto top = tree_of(file); !top.empty()) allowed.push_back(top);
  Chain chain(document, allowed, limits);
  chain.follow(file);
  document.root = chain.merged();
  for (const std::string& set : sets) apply_set(document, set);
  return document;
}

}  // namespace hearsay::scenarios
