// UTF-8 by the table of RFC 3629, section 4; code points from Unicode 15.
#include "sim/files/text.hpp"

#include <catch2/catch.hpp>

#include "sim/files/csv_table.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace std::string_literals;

TEST_CASE("text: what is UTF-8") {
  for (const std::string& good :
       {""s, "plain\n\t\x1b\x7f\0"s, "\xc2\x80"s, "\xdf\xbf"s, "\xe0\xa0\x80"s, "\xed\x9f\xbf"s,
        "\xee\x80\x80"s, "\xef\xbf\xbd"s, "\xf0\x90\x80\x80"s, "\xf4\x8f\xbf\xbf"s}) {
    INFO(escaped(good));
    CHECK(find_not_utf8(good) == good.npos);
    CHECK(find_not_utf8("ab" + good + "\xff") == 2 + good.size());
  }
  // A byte of Latin-1, a lone continuation, overlong forms, a surrogate, beyond U+10FFFF, cut off.
  for (const std::string& bad :
       {"\xe9"s, "\x80"s, "\xc0\xaf"s, "\xc1\xbf"s, "\xe0\x9f\xbf"s, "\xed\xa0\x80"s, "\xf0\x8f\xbf\xbf"s,
        "\xf4\x90\x80\x80"s, "\xf5\x80\x80\x80"s, "\xe2\x82"s}) {
    INFO(escaped(bad));
    CHECK(find_not_utf8("x" + bad) == 1);
    CHECK(find_not_utf8("x" + bad + "yyyy") == 1);
  }
}

TEST_CASE("text: escapes of control characters, marks of direction and other bytes") {
  CHECK(escaped("Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x99\x82") ==
        "Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x99\x82");
  CHECK(escaped("\x1b[31m\r\n\t\0"s) == "\\x1b[31m\\x0d\\x0a\\x09\\x00");
  CHECK(escaped("a\nb\x07", true) == "a\nb\\x07");
  CHECK(escaped("\x7f\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0") == "\\u007f\\u0080\\u009b\\u009f\xc2\xa0");
  CHECK(escaped("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9") ==
        "\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069");
  CHECK(escaped("\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf") == "\\u2028\\u2029\\ufeff");
  CHECK(escaped("\xf3\xa0\x81\x81") == "\\udb40\\udc41");  // U+E0041, a tag
  CHECK(escaped("caf\xe9 \x9b") == "caf\\xe9 \\x9b");
}

TEST_CASE("text: long names are cut at the end, long messages in the middle") {
  CHECK(printable("abcdef", 6) == "abcdef");
  CHECK(printable("abcdef", 5) == "abcde...");
  CHECK(printable("\xc3\xbc\x1b\xc3\xbc\xc3\xbc", 3) == "\xc3\xbc\\x1b\xc3\xbc...");
  CHECK(shortened_line("0123456789012345678901234567890", 31) == "0123456789012345678901234567890");
  // 30 of 31: a third is the end, " ... " are 5, 15 are left for the beginning.
  CHECK(shortened_line("0123456789012345678901234567890", 30) == "012345678901234 ... 1234567890");
  const std::string umlauts = [] {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "\xc3\xbc";
    return text;
  }();
  CHECK(shortened_line(umlauts, 40) == umlauts);
  CHECK(shortened_line(umlauts, 30).size() == 2 * 25 + 5);
  CHECK(shortened_line(std::string(1'000'000, '\x1b'), 2000).size() == 2000);
}

TEST_CASE("text: a table that is not UTF-8 is refused with line and byte") {
  const test::Scratch dir;
  const auto message = [&](const std::string& text) -> std::string {
    const std::string file = dir.write("t.csv", text);
    return test::error_of<FileError>([&] { CsvTable({"t.csv", file}); });
  };
  const std::string hint = "; convert the file with iconv -f latin1 -t utf8";
  CHECK(message("a,gr\xf6\xdf"
                "e\n1,2\n") == "t.csv:1: expected UTF-8 text, found the byte 0xf6" + hint);
  CHECK(message("a,b\n1,2\n3,\xe9t\xe9\n") == "t.csv:3: expected UTF-8 text, found the byte 0xe9" + hint);
  CHECK(message("a,b\n1,\"x\ny\nz\xe9\"\n") == "t.csv:4: expected UTF-8 text, found the byte 0xe9" + hint);
  CHECK(message("\xff\xfe"
                "a\0,\0b\0\n\0"s) ==
        "t.csv:1: expected UTF-8 text, found the byte 0xff; convert the file with iconv -f utf16 -t utf8");
  CHECK(message("a,gr\xc3\xb6\xc3\x9f"
                "e\n1,\xe2\x82\xac\n") == "accepted");
}

TEST_CASE("text: the edit distance counts letters that are inserted, removed, replaced or swapped") {
  CHECK(sim::edit_distance("kitten", "sitting") == 3);  // Levenshtein's textbook example
  CHECK(sim::edit_distance("epsilno", "epsilon") == 1);
  CHECK(sim::edit_distance("", "abc") == 3);
  CHECK(sim::edit_distance("abc", "") == 3);
  CHECK(sim::edit_distance("ca", "abc") == 3);  // no letter is changed twice
  CHECK(sim::edit_distance("kitten", "sitting", 2) > 2);
}
