#pragma once
// From JSON text to values with positions, in one pass.
#include <string_view>

#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

/// Parses one JSON value of any kind, comments allowed, written in `source` of `document`. Takes what it
/// reads from the bytes and values `left`. Never recurses; O(bytes). Throws InputError at the first thing
/// that is wrong: a byte order mark, a NUL, text that is no UTF-8 or no JSON, a key twice in an object, a
/// number that overflows, too deep, too much.
Node parse_text(std::string_view text, const Document& document, std::uint32_t source, Limits& left);

}  // namespace hearsay::scenarios
