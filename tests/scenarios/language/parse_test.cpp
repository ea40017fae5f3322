#include <catch2/catch.hpp>

#include "scenarios/language/json/document.hpp"
#include "tests/support/input_message.hpp"

using namespace hearsay;
using scenarios::Node;
using scenarios::Position;

namespace {

std::string parse_refusal(const std::string& text) {
  return test::message_of([&] { scenarios::parse(text, "x.json"); });
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("parse: every value and key has its line and column") {
  const auto d = scenarios::parse(
      "{ // a comment with \"quotes\" and {braces}\n"
      "  \"a\": -1.5e3, /* between */ \"b\\\"\\\\\": [true,false , null],\n"
      "\t\"\u00e4\u00e4\": \"t\\\\\", \"c\":7}\n",
      "x.json");
  const auto at = [&d](std::string_view path) { return d.root.find_path(path)->at; };
  const auto key_at = [&d](std::string_view path) { return d.root.find_path(path)->key_at; };
  CHECK(d.root.at == Position{1, 1, 1});
  CHECK(key_at("a") == Position{1, 2, 3});
  CHECK(at("a") == Position{1, 2, 8});
  CHECK(key_at("b\"\\") == Position{1, 2, 30});
  CHECK(at("b\"\\") == Position{1, 2, 39});
  CHECK(at("b\"\\.0") == Position{1, 2, 40});
  CHECK(at("b\"\\.1") == Position{1, 2, 45});
  CHECK(at("b\"\\.2") == Position{1, 2, 53});
  CHECK(key_at("\u00e4\u00e4") == Position{1, 3, 2});
  CHECK(at("\u00e4\u00e4") == Position{1, 3, 8});
  CHECK(at("c") == Position{1, 3, 19});
  CHECK(d.where(at("c")) == "x.json:3:19");
}

TEST_CASE("parse: numbers keep how they were written") {
  const auto d = scenarios::parse(R"({"a": 1e4, "b": 18446744073709551616, "c": -7, "d": 1.0})", "x.json");
  CHECK(d.root.find("a")->text == "1e4");
  CHECK_FALSE(d.root.find("a")->integer);
  CHECK(d.root.find("a")->number == 10000);
  CHECK(d.root.find("b")->text == "18446744073709551616");
  CHECK(d.root.find("b")->integer);
  CHECK(d.root.find("b")->number == 18446744073709551616.0);
  CHECK(d.root.find("c")->text == "-7");
  CHECK_FALSE(d.root.find("d")->integer);
}

TEST_CASE("parse: invalid JSON is refused at the position of the error") {
  CHECK(parse_refusal("") == "x.json:1:1: expected JSON text, found nothing");
  CHECK(parse_refusal(" \n ") == "x.json:1:1: expected JSON text, found nothing");
  CHECK(parse_refusal("\xef\xbb\xbf{}") == "x.json:1:1: expected UTF-8 without a byte order mark, found one");
  CHECK(parse_refusal("[1]") == "x.json:1:1: expected an object, found a list of 1");
  CHECK(parse_refusal("3") == "x.json:1:1: expected an object, found 3");
  CHECK(parse_refusal("{} {}") == "x.json:1:4: expected the end of the file, found '{'");
  CHECK(parse_refusal(std::string("{}\0{", 4)) == "x.json:1:3: expected text, found a NUL byte");
  CHECK(parse_refusal("{\"a\": {\"b\": [1, ") ==
        "x.json:1:17: /a/b/1: the file ends before the closing bracket");
  CHECK(parse_refusal("{\"a\": \"bc") == "x.json:1:9: /a: the closing quote is missing");
  CHECK(parse_refusal("{\"a\": 1") == "x.json:1:8: the file ends before the closing brace");
  CHECK(parse_refusal("{\"a\": 1,}") == "x.json:1:8: remove the trailing comma before '}'");
  CHECK(parse_refusal("{\"a\": [1,\n]}") == "x.json:1:9: /a/1: remove the trailing comma before ']'");
  CHECK(parse_refusal("{\"a\": 1 \"b\": 2}") == "x.json:1:9: expected ',' or '}', found \"b\"");
  CHECK(parse_refusal("{\"a\": [1 2]}") == "x.json:1:10: /a/1: expected ',' or ']', found '2'");
  CHECK(parse_refusal("{\"a\": NaN}") == "x.json:1:7: /a: expected a value, found NaN");
  CHECK(parse_refusal("{\"a\": -Infinity}") == "x.json:1:7: /a: expected a value, found -Infinity");
  CHECK(parse_refusal("{a: 1}") == "x.json:1:2: expected a key in double quotes, found 'a'");
  CHECK(parse_refusal("{\"a\": 'b'}") == "x.json:1:7: /a: use double quotes, found 'b'");
  CHECK(parse_refusal("{\"a\":\n 1e400}") ==
        "x.json:2:2: /a: expected a number of at most 1.8e308 in magnitude, found 1e400");
  const std::string hint =
      ": expected UTF-8 text, found the byte 0xff; convert the file with iconv -f latin1 -t utf8";
  CHECK(parse_refusal("{\"a\": \"\xff\"}") == "x.json:1:8" + hint);
  CHECK(parse_refusal("{\"a\": \"\xc3\xbc\xff\"}") == "x.json:1:9" + hint);  // positions count characters
  CHECK(parse_refusal("{} // \xff") == "x.json:1:7" + hint);
  CHECK(parse_refusal("{\"a\": \"\\u0000\"}") ==
        "x.json:1:7: /a: expected text without NUL, found \"\\x00\"");
  CHECK(parse_refusal("{\"a\": 1 /* ").find("missing closing '*/'") != std::string::npos);
}

TEST_CASE("parse: a duplicate key is refused with both its lines") {
  CHECK(parse_refusal("{\"n\": {\"a\": 1,\n\"b\": 2,\n  \"a\": 3}}") ==
        "x.json:3:3: /n/a: duplicate key on lines 1 and 3");
  CHECK(parse_refusal("{\"n\": {\"a\": 1}, \"a\": 3}") == "accepted");
}

TEST_CASE("parse: 64 levels are read, 65 are not") {
  const auto nested = [](int lists) {
    return "{\"a\": " + repeated("[", lists) + repeated("]", lists) + "}";
  };
  CHECK(parse_refusal(nested(63)) == "accepted");
  CHECK(parse_refusal(nested(64)) == "x.json:1:70: expected at most 64 levels of nesting, found more");
}

TEST_CASE("parse: input of any size is refused in one short line") {
  const std::string large(scenarios::Limits{}.bytes - 100, 'x');
  const int many = 1'000'000;
  std::string wide = "{";
  for (int i = 0; i < 200'000; ++i) wide += "\"k" + std::to_string(i) + "\":1,";
  const std::vector<std::string> inputs{
      repeated("[", 200'000),
      repeated("{\"a\":", 200'000),
      "{\"a\":[" + repeated("0,", many),
      "{\"a\":[" + repeated("{},", many),
      "{\"a\":\"" + large,
      "{\"" + large + "\":1, \"" + "b",
      "{\"a\":" + std::string(1'000'000, '9') + "}",
      wide,
      std::string(scenarios::Limits{}.bytes + 1, ' '),
      "//" + large,
      "{\"a\":" + large,
      std::string(large.size(), '\n') + "{",
  };
  for (const std::string& input : inputs) {
    const std::string message = parse_refusal(input);
    INFO(message);
    CHECK(message.starts_with("x.json:"));
    CHECK(message.size() < 300);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("parse: what is written again has the text of its numbers, on one line or indented") {
  const auto root =
      scenarios::parse("{\"a\": [1e-5,\n 2.0, {}], /* none */ \"b\": {\"c\": \"1\"}}", "x.json").root;
  CHECK(scenarios::json_as_written(root, {}) == R"({"a":[1e-5,2.0,{}],"b":{"c":"1"}})");
  CHECK(scenarios::json_as_written(*root.find("b"), 2) == "{\n    \"c\": \"1\"\n  }");
}
