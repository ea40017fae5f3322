#include "sim/files/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <numeric>
#include <vector>

namespace hearsay::sim {

namespace {

namespace utf = boost::locale::utf;

struct Character {
  std::size_t bytes;     // at least 1
  utf::code_point code;  // utf::illegal: the byte is not UTF-8
};

// The character that `text` starts with.
Character first_character(std::string_view text) {
  if (const auto byte = static_cast<unsigned char>(text[0]); byte < 0x80) return {1, byte};
  const char* next = text.data();
  const utf::code_point code = utf::utf_traits<char>::decode(next, text.data() + text.size());
  if (!utf::is_valid_codepoint(code)) return {1, utf::illegal};
  return {static_cast<std::size_t>(next - text.data()), code};
}

// Bytes of the first `count` characters.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t bytes = 0;
  for (; count > 0 && bytes < text.size(); --count) bytes += first_character(text.substr(bytes)).bytes;
  return bytes;
}

// Not a control character, a separator of lines, a mark that changes the direction of writing (Unicode 15, property
// Bidi_Control), or an invisible character (byte order mark, tags).
bool visible(utf::code_point c) {
  const auto within = [c](utf::code_point first, utf::code_point last) { return c >= first && c <= last; };
  return !(c < 0x20 || within(0x7f, 0x9f) || c == 0x061c || within(0x200e, 0x200f) ||
           within(0x2028, 0x202e) || within(0x2066, 0x2069) || c == 0xfeff || within(0xe0000, 0xe007f));
}

void append_escape(std::string& out, char byte, utf::code_point code) {
  if (code == utf::illegal || code < 0x20) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  } else if (code < 0x10000) {
    out += fmt::format("\\u{:04x}", code);
  } else {  // as UTF-16, in which JSON writes it
    out += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
  }
}

}  // namespace

std::string escaped(std::string_view text, bool lines) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string out;
  for (; !text.empty();) {
    const auto [bytes, code] = first_character(text);
    if ((code != utf::illegal && visible(code)) || (lines && code == '\n')) {
      out += text.substr(0, bytes);
    } else {
      append_escape(out, text[0], code);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string printable(std::string_view text, std::size_t max_characters) {
  const std::size_t bytes = bytes_of(text, max_characters);
  return escaped(text.substr(0, bytes)) + (bytes < text.size() ? "..." : "");
}

std::string shortened_line(std::string_view text, std::size_t max_characters) {
  std::string line = escaped(text);
  if (line.size() <= max_characters) return line;
  constexpr std::string_view kCut = " ... ";
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  const auto all = static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins));
  if (all <= max_characters) return line;
  const std::size_t tail = max_characters / 3, head = max_characters - tail - kCut.size();
  return line.substr(0, bytes_of(line, head)).append(kCut) + line.substr(bytes_of(line, all - tail));
}

std::size_t find_not_utf8(std::string_view text) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), ascii)) return text.npos;
  for (std::size_t at = 0; at < text.size();) {
    const auto [bytes, code] = first_character(text.substr(at));
    if (code == utf::illegal) return at;
    at += bytes;
  }
  return text.npos;
}

std::string not_utf8(std::string_view text, std::size_t offset) {
  return fmt::format("expected UTF-8 text, found the byte 0x{:02x}",
                     static_cast<unsigned char>(text.at(offset)));
}

std::string file_not_utf8(std::string_view text, std::size_t offset) {
  const bool wide = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  return fmt::format("{}; convert the file with iconv -f {} -t utf8", not_utf8(text, offset),
                     wide ? "utf16" : "latin1");
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    // Every way to the last row leads through one of these two.
    if (std::min(*std::ranges::min_element(row), *std::ranges::min_element(last)) > most) return most + 1;
  }
  return row[b.size()];
}

}  // namespace hearsay::sim
