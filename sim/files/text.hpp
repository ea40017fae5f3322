#pragma once
// Text from outside the program: whether it is UTF-8, and how people are shown it.
#include <cstddef>
#include <string>
#include <string_view>

namespace hearsay::sim {

/// `text` with everything escaped that a terminal would not show as a character: control characters ("\x1b", "\u009b"),
/// marks that change the direction of writing ("\u202e"), and bytes that are not UTF-8 ("\xe9"). Line feeds stay if
/// `lines`. Of text without control characters below 0x20 and invalid bytes, the escapes are those of JSON.
std::string escaped(std::string_view text, bool lines = false);

/// escaped(), cut after `max_characters` with "...". Each escape counts as one character.
std::string printable(std::string_view text, std::size_t max_characters = 80);

/// escaped() in at most `max_characters`, of escapes each letter: the middle gives way to " ... ", so that the advice at
/// the end of a message stays.
std::string shortened_line(std::string_view text, std::size_t max_characters);

/// Offset of the first byte that is not UTF-8; npos if there is none.
std::size_t find_not_utf8(std::string_view text);

/// "expected UTF-8 text, found the byte 0xe9", by its offset.
std::string not_utf8(std::string_view text, std::size_t offset);

/// The same for a file's text: ..."; convert the file with iconv -f latin1 -t utf8".
std::string file_not_utf8(std::string_view text, std::size_t offset);

/// Number of letters to insert, remove, replace, or swap with their neighbour (Damerau-Levenshtein); any number above
/// `most` if it is above.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most = std::string_view::npos);

}  // namespace hearsay::sim
