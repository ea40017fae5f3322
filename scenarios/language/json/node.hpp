#pragma once
// JSON values with their positions in the input, which error messages name.
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::scenarios {

/// A position in the input: a source of the document, line and column from 1, in characters. Line and column are 0 in
/// sources without lines (the command line).
struct Position {
  std::uint32_t source = 0, line = 0, column = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
  auto operator<=>(const Position&) const = default;
};

/// A JSON value. Copies share lists and objects until one of them changes: copying is O(1), and setting one value of a
/// copy costs the widths of the objects on its path.
struct Node {
  enum class Kind : std::uint8_t { kNull, kBoolean, kNumber, kText, kList, kObject };
  struct Member;

  Kind kind = Kind::kNull;
  bool boolean = false;
  bool integer = false;  ///< the number was written without fraction and exponent
  double number = 0;
  std::string text;  ///< of a text; of a number, as written
  Position at;       ///< of the value
  Position key_at;   ///< of its key, in an object

  static Node object(Position at);
  static Node string(std::string text, Position at);

  bool is(Kind k) const { return kind == k; }

  /// The elements of a list (with empty keys) or the members of an object, in the order they were written.
  std::span<const Member> items() const;
  std::vector<Member>& changeable_items();

  /// The index in items() of a member of an object by its key, or of an element of a list by its number.
  std::optional<std::size_t> position(std::string_view part) const;
  /// The member `key` of an object; null if there is none, or this is no object. O(members).
  const Node* find(std::string_view key) const;
  /// The value at "a.b.0", through members and list elements; null if there is none.
  const Node* find_path(std::string_view dotted) const;
  Node& add(std::string key, Node value);
  void erase(std::string_view key);

  /// Sets the position of this value and of all values in it.
  void relocate(Position position);

 private:
  std::shared_ptr<std::vector<Member>> items_;
};

struct Node::Member {
  std::string key;
  Node value;
};

/// The parts of "a.b.0".
std::vector<std::string_view> split_path(std::string_view dotted);
/// The parts of a path, where a key of the node with dots in it is one part: "events.0.set.network.latency".
std::vector<std::string_view> split_path(std::string_view dotted, const Node& root);

/// The value in a message: a number as written, a text in quotes, "a list of 3", "an object".
std::string found(const Node& node);

/// "expected one of a, b, found X; did you mean 'a'?". `path` and `more`: see input_error.hpp.
std::string expected_one_of(const std::vector<std::string>& names, const Node& found,
                            std::string_view path = {}, const std::vector<std::string>& more = {});

/// The value as plain JSON.
nlohmann::ordered_json to_json(const Node& node);

/// The value as JSON text, with numbers as they were written: labels of points follow from these. Lines after the first
/// are indented by `indent` and more; without it, the text is one line.
std::string json_as_written(const Node& node, std::optional<std::size_t> indent);

}  // namespace hearsay::scenarios
