#include "scenarios/language/json/syntax_message.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

namespace {

// Cuts `text` at the first `mark`; what follows it is returned, nothing if there is none.
std::string_view cut(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + mark.size());
  text = text.substr(0, at);
  return rest;
}

}  // namespace

// Their form:  [json.exception.parse_error.101] parse error at line 1, column 5: syntax error while parsing
// CONTEXT - REASON where REASON is "unexpected TOKEN" or "PROBLEM; last read: 'TOKEN'", and "; expected WHAT"
// may follow.
std::string syntax_message(std::string_view what, std::string_view word) {
  constexpr std::string_view kContext = "syntax error while parsing ", kExpected = "; expected ",
                             kUnexpected = "unexpected ";
  const std::size_t start = what.find(kContext);
  if (start == what.npos) return fmt::format("expected JSON: {}", printable(what, 200));
  std::string_view context = what.substr(start + kContext.size());
  std::string_view reason = cut(context, " - ");

  // What was read last may hold anything, also words that look like the rest of the message.
  std::string_view token = cut(reason, "; last read: '");
  std::string_view tail = token.empty() ? reason : token.substr(std::min(token.rfind('\''), token.size()));
  std::string_view expected = context;
  if (const std::size_t at = tail.rfind(kExpected); at != tail.npos) {
    expected = tail.substr(at + kExpected.size());
    if (token.empty()) reason = reason.substr(0, at);
  }
  // In the middle of an object or list there may always be more.
  if (expected == "'}'") expected = "',' or '}'";
  if (expected == "']'") expected = "',' or ']'";
  if (!word.empty()) return fmt::format("expected {}, found {}", expected, printable(word));
  if (reason.starts_with(kUnexpected)) reason.remove_prefix(kUnexpected.size());
  if (token.empty()) return fmt::format("expected {}, found {}", expected, printable(reason));
  token = token.substr(0, token.rfind('\''));
  return fmt::format("expected {}, found {} ({})", expected, printable(token), printable(reason));
}

}  // namespace hearsay::scenarios
