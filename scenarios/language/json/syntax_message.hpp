#pragma once
// The JSON library's messages in the form of ours.
#include <string>
#include <string_view>

namespace hearsay::scenarios {

/// "expected X, found Y" from what nlohmann::json says of a syntax error; `word` is what was wrong, if that is
/// a whole word.
std::string syntax_message(std::string_view what, std::string_view word);

}  // namespace hearsay::scenarios
