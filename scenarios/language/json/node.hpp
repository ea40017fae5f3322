#pragma once
// A JSON value that knows where it was written, so that whatever is wrong with it can be said where it
// stands.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::scenarios {

/// Where something was written: a source of the document, and line and column in it, counted from 1 in
/// characters. A source that has no lines (the command line) leaves them 0.
struct Position {
  std::uint32_t source = 0, line = 0, column = 0;
  auto operator<=>(const Position&) const = default;
};

/// A JSON value. Copying shares lists and objects until one of the copies changes them: a copy is O(1), and
/// setting one value of a copy costs the widths of the objects on its path.
struct Node {
  enum class Kind : std::uint8_t { kNull, kBoolean, kNumber, kText, kList, kObject };
  struct Member;

  Kind kind = Kind::kNull;
  bool boolean = false;
  bool integer = false;  ///< the number was written without fraction and exponent
  double number = 0;
  std::string text;  ///< of a text; of a number, as it was written
  Position at;       ///< of the value
  Position key_at;   ///< of its key, in an object

  static Node object(Position at);
  static Node string(std::string text, Position at);

  bool is(Kind k) const { return kind == k; }

  /// The elements of a list (with empty keys) or the members of an object, in the order they were written.
  std::span<const Member> items() const;
  std::vector<Member>& changeable_items();

  /// The member `key` of an object; null if there is none, or this is no object. O(members).
  const Node* find(std::string_view key) const;
  /// The value at "a.b.0": members and list elements from here on; null if there is none.
  const Node* find_path(std::string_view dotted) const;
  Node& add(std::string key, Node value);
  void erase(std::string_view key);

  /// Says of this value and all within that it was written at `position`.
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

/// What was found, for a message: the number as written, the text in quotes, "a list of 3", "an object".
std::string found(const Node& node);

}  // namespace hearsay::scenarios
