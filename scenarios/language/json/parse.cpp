// Values with positions from JSON text, in one pass of nlohmann's SAX parser.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/json/document.hpp"
#include "sim/files/text.hpp"

namespace hearsay::scenarios {

namespace {

bool part_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// An iterator over a text that stores how far it has come.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* here, const char** reached) : here_(here), reached_(reached) {}
  reference operator*() const { return *here_; }
  CountingIterator& operator++() {
    *reached_ = ++here_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return here_ == other.here_; }
  bool operator!=(const CountingIterator& other) const { return here_ != other.here_; }

 private:
  const char* here_;
  const char** reached_;
};

// Builds the tree from the parser's events, with a stack of open lists and objects.
class Builder {
 public:
  Builder(std::string_view text, const Document& document, std::uint32_t source, Limits& left)
      : text_(text),
        document_(document),
        source_(source),
        left_(left),
        reached_(text.data()),
        counted_(text.data()) {}

  const char** reached() { return &reached_; }
  Node take() { return std::move(root_); }

  bool null() { return value(Node{}, reached_ - 4); }
  bool boolean(bool b) {
    Node node;
    node.kind = Node::Kind::kBoolean;
    node.boolean = b;
    return value(std::move(node), reached_ - (b ? 4 : 5));
  }
  bool number_integer(std::int64_t x) { return number(static_cast<double>(x)); }
  bool number_unsigned(std::uint64_t x) { return number(static_cast<double>(x)); }
  bool number_float(double x, const std::string&) { return number(x); }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool string(std::string& s) {
    const char* begin = string_begin();
    refuse_nul(s, begin);
    return value(Node::string(std::move(s), {}), begin);
  }
  bool key(std::string& s) {
    const char* begin = string_begin();
    refuse_nul(s, begin);
    Open& open = open_.back();
    const Position at = position(begin);
    if (open.node.items().size() == left_.members) {
      fail(at, pointer(), fmt::format("expected at most {} members, found more", left_.members));
    }
    if (const Node* first = open.node.find(s)) {
      fail(at, pointer() + pointer_step(s),
           fmt::format("duplicate key on lines {} and {}", first->key_at.line, at.line));
    }
    open.key = std::move(s);
    open.key_at = at;
    return true;
  }
  bool start_object(std::size_t) { return start(Node::Kind::kObject); }
  bool start_array(std::size_t) { return start(Node::Kind::kList); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }

  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& error) {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) {
      fail(position(number_begin()), pointer(),
           fmt::format("expected a number of at most 1.8e308 in magnitude, found {}", printable(token)));
    }
    // "... while parsing CONTEXT - REASON[; last read: 'TOKEN'][; expected WHAT]"
    std::string_view what = error.what();
    what = what.substr(0, what.find("; last read: '"));
    if (contains(what, "unexpected end of input")) {
      const bool list = !open_.empty() && open_.back().node.is(Node::Kind::kList);
      fail(position(text_.data() + text_.size()), pointer(),
           fmt::format("the {} ends before the closing {}", noun(), list ? "bracket" : "brace"));
    }
    // The wrong character is the last one read.
    const char* at = std::max(reached_ - 1, text_.data());
    if (contains(what, "missing closing quote"))
      fail(position(at), pointer(), "the closing quote is missing");
    if (contains(what, "control character") && *at == '\n')
      fail(position(string_begin()), pointer(), "the closing quote is missing on this line");
    for (const char* problem : {"invalid string", "invalid comment"}) {
      if (const auto reason = what.find(problem); reason != what.npos)
        fail(position(at), pointer(), printable(what.substr(reason), 200));
    }
    const auto offset = static_cast<std::size_t>(at - text_.data());
    const auto last = offset == 0 ? text_.npos : text_.find_last_not_of(" \t\r\n", offset - 1);
    if (const char before = last == text_.npos ? ' ' : text_[last]; before == ',' || *at == ',') {
      if (*at == '}' || *at == ']')
        fail(position(text_.data() + last), pointer(),
             fmt::format("remove the trailing comma before '{}'", *at));
      if (before == ',' && *at == ',') fail(position(at), pointer(), "remove the second of two commas");
      if (before == '{' || before == '[')
        fail(position(at), pointer(), fmt::format("remove the comma after '{}'", before));
    }
    std::string_view wrong(at, 1);
    if (contains(what, "unexpected string literal")) {
      const char* begin = string_begin();
      wrong = {begin, static_cast<std::size_t>(reached_ - begin)};
    } else if (contains(what, "literal") || contains(what, "invalid number")) {
      if (const std::string_view word = word_at(at); !word.empty()) wrong = word;
    }
    if (wrong.starts_with('\''))
      fail(position(wrong.data()), pointer(), "use double quotes, found " + printable(wrong));
    if (open_.empty() && root_.at.line == 0 && document_.source({source_, 0, 0}).kind == Source::Kind::kFile)
      fail(position(wrong.data()), pointer(),
           fmt::format("expected a scenario in JSON, which begins with '{{', found {}", printable(wrong)));
    const std::string shown = wrong.size() == 1 ? fmt::format("'{}'", printable(wrong)) : printable(wrong);
    std::string lower(wrong);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool literal = lower == "true" || lower == "false" || lower == "null";
    fail(position(wrong.data()), pointer(),
         fmt::format("expected {}, found {}{}", expected(what), shown,
                     literal && lower != wrong ? fmt::format("; write {}", lower) : ""));
  }

  [[noreturn]] void fail(Position at, const std::string& path, const std::string& message) const {
    throw InputError(located(document_.where(at), path, message));
  }

  // Each character is counted once, because positions are requested in the order of the text.
  Position position(const char* p) {
    for (; counted_ < p; ++counted_) {
      if (*counted_ == '\n') {
        ++line_;
        column_ = 1;
      } else if ((static_cast<unsigned char>(*counted_) & 0xc0) != 0x80) {
        ++column_;
      }
    }
    return {source_, line_, column_};
  }

 private:
  struct Open {
    Node node;
    std::string key;  // of the member that is being read
    Position key_at;
  };

  static bool contains(std::string_view what, std::string_view part) { return what.find(part) != what.npos; }

  std::string_view noun() const {
    return document_.source({source_, 0, 0}).kind == Source::Kind::kFile ? "file" : "value";
  }

  // What the parser expected, by the context in its message.
  std::string expected(std::string_view what) const {
    if (open_.empty() && root_.at.line > 0) return fmt::format("the end of the {}", noun());
    if (contains(what, "parsing object key")) return "a key in double quotes";
    if (contains(what, "parsing object separator")) return "':'";
    if (contains(what, "parsing object")) return "',' or '}'";
    return contains(what, "parsing array") ? "',' or ']'" : "a value";
  }

  // The word around `p`.
  std::string_view word_at(const char* p) const {
    constexpr std::string_view kSeparators = " \t\r\n,:[]{}\"/";
    const char* end = text_.data() + text_.size();
    const char* begin = p;
    while (begin > text_.data() && !contains(kSeparators, {begin - 1, 1})) --begin;
    while (p < end && !contains(kSeparators, {p, 1})) ++p;
    return {begin, static_cast<std::size_t>(p - begin)};
  }

  bool number(double x) {
    const char* begin = number_begin();
    const char* end = begin;
    while (end < reached_ && part_of_number(*end)) ++end;
    Node node;
    node.kind = Node::Kind::kNumber;
    node.number = x;
    node.text.assign(begin, end);
    node.integer = node.text.find_first_of(".eE") == std::string::npos;
    return value(std::move(node), begin);
  }

  // The parser reads one character past a number, except at the end of the text.
  const char* number_begin() const {
    const char* p = reached_;
    if (p > text_.data() && !part_of_number(p[-1])) --p;
    while (p > text_.data() && part_of_number(p[-1])) --p;
    return p;
  }

  // Every quote inside a text has a backslash before it; the first quote never has one.
  const char* string_begin() const {
    const char* p = reached_ - 2;
    while (*p != '"' || (p > text_.data() && p[-1] == '\\')) --p;
    return p;
  }

  void refuse_nul(const std::string& s, const char* begin) {
    if (s.find('\0') == std::string::npos) return;
    fail(position(begin), pointer(), fmt::format("expected text without NUL, found \"{}\"", printable(s)));
  }

  bool start(Node::Kind kind) {
    Node node;
    node.kind = kind;
    node.at = position(reached_ - 1);
    if (open_.size() == left_.depth) {
      fail(node.at, "", fmt::format("expected at most {} levels of nesting, found more", left_.depth));
    }
    count(node.at);
    open_.push_back({std::move(node), {}, {}});
    return true;
  }

  bool end() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    place(std::move(node));
    return true;
  }

  bool value(Node node, const char* begin) {
    node.at = position(begin);
    count(node.at);
    place(std::move(node));
    return true;
  }

  void count(Position at) {
    if (left_.values == 0) fail(at, "", "too many values for a scenario; put large lists in files");
    --left_.values;
  }

  void place(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& open = open_.back();
    node.key_at = open.key_at;
    open.node.add(std::exchange(open.key, {}), std::move(node));
  }

  std::string pointer() const {
    std::string out;
    for (const Open& open : open_) {
      if (open.node.is(Node::Kind::kList)) {
        out += fmt::format("/{}", open.node.items().size());
      } else if (!open.key.empty()) {
        out += pointer_step(open.key);
      }
    }
    return out;
  }

  std::string_view text_;
  const Document& document_;
  std::uint32_t source_;
  Limits& left_;
  const char* reached_;
  const char* counted_;
  std::uint32_t line_ = 1, column_ = 1;
  std::vector<Open> open_;
  Node root_;
};

}  // namespace

Node parse_text(std::string_view text, const Document& document, std::uint32_t source, Limits& left) {
  Builder builder(text, document, source, left);
  const auto fail_at = [&](std::size_t offset, const std::string& message) {
    builder.fail(builder.position(text.data() + offset), "", message);
  };
  if (text.size() > left.bytes) {
    fail_at(0, fmt::format("expected at most {} bytes together with all it extends, found {} here",
                           Limits{}.bytes, text.size()));
  }
  left.bytes -= text.size();
  if (text.find_first_not_of(" \t\r\n") == text.npos) fail_at(0, "expected JSON text, found nothing");
  if (text.starts_with("\xef\xbb\xbf")) fail_at(0, "expected UTF-8 without a byte order mark, found one");
  // To the parser a NUL ends the text.
  if (const std::size_t nul = text.find('\0'); nul != text.npos)
    fail_at(nul, "expected text, found a NUL byte");
  if (const std::size_t bad = sim::find_not_utf8(text); bad != text.npos)
    fail_at(bad, sim::file_not_utf8(text, bad));

  const char* end = text.data() + text.size();
  nlohmann::json::sax_parse(CountingIterator(text.data(), builder.reached()),
                            CountingIterator(end, builder.reached()), &builder,
                            nlohmann::json::input_format_t::json, true, true);
  return builder.take();
}

}  // namespace hearsay::scenarios
