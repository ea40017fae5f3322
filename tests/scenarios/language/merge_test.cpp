#include "scenarios/language/json/merge.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "scenarios/language/reference/outline.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/toy.hpp"

using namespace hearsay;
using scenarios::Node;
using namespace hearsay::test;

namespace {

std::string merge_refusal(const std::string& file, std::vector<std::string> sets = {}) {
  return message_of([&] { scenarios::load(file, sets); });
}

std::string where(const scenarios::Document& d, std::string_view path) {
  return d.where(d.root.find_path(path)->at);
}

}  // namespace

TEST_CASE("extends: base, then file, then --set, each value keeps its position") {
  const Scratch dir;
  dir.write("scenario.schema.json", "{}");
  const std::string base = dir.write("presets/base.json", R"({"a": 1, "n": {"x": 1, "y": 2,
    "z": 3}, "l": [1, 2], "gone": 4})");
  const std::string file = dir.write("s/x.json", R"({"$schema": "anything",
    "extends": "../presets/base.json",
    "n": {"y": 20}, "l": [9], "gone": null})");
  const auto d =
      scenarios::load(file, std::vector<std::string>{"n.z=30", "w.deep.er=\"15 ms\"", "name=free text"});
  CHECK(d.root.find("$schema") == nullptr);
  CHECK(d.root.find("extends") == nullptr);
  CHECK(d.root.find("gone") == nullptr);
  CHECK(d.root.find("a")->number == 1);
  CHECK(where(d, "a") == dir / "presets/base.json" + ":1:7");
  CHECK(d.root.find_path("n.x")->number == 1);
  CHECK(d.root.find_path("n.y")->number == 20);
  CHECK(where(d, "n.y") == file + ":3:16");
  CHECK(d.root.find_path("n.z")->number == 30);
  CHECK(where(d, "n.z") == "--set n.z");
  CHECK(d.root.find("l")->items().size() == 1);
  CHECK(d.root.find_path("w.deep.er")->text == "15 ms");
  CHECK(d.root.find("name")->text == "free text");
}

TEST_CASE(
    "extends: a file elsewhere is refused unless its folder is allowed or in the same tree of scenarios") {
  const Scratch dir;
  dir.write("presets/base.json", R"({"n": 1})");
  const std::string file = dir.write("studies/x.json", R"({"extends": "../presets/base.json"})");
  const std::string outside =
      dir / "studies/x.json:1:13: /extends: file \"../presets/base.json\" is outside " + dir / "studies" +
      "; to allow its folder, use --allow-path";
  CHECK(merge_refusal(file) == outside);
  CHECK(merge_refusal(dir.write("studies/y.json", R"({"extends": "/etc/passwd"})")) ==
        dir / "studies/y.json:1:13: /extends: file \"/etc/passwd\" is outside " + dir / "studies" +
            "; to allow its folder, use --allow-path");
  CHECK(message_of([&] { scenarios::load(file, {}, {dir / "presets"}); }) == "accepted");
  dir.write("scenario.schema.json", "{}");
  CHECK(merge_refusal(file) == "accepted");
}

TEST_CASE("set: a path has at most 64 keys") {
  const Scratch dir;
  const std::string file = dir.write("x.json", "{}");
  std::string path = "a";
  for (int key = 1; key < 64; ++key) path += ".a";
  CHECK(merge_refusal(file, {path + "=1"}) == "accepted");
  CHECK_THAT(merge_refusal(file, {path + ".a=1"}),
             Catch::Contains("expected a path of at most 64 keys, found 65"));
  for (int key = 0; key < 100000; ++key) path += ".a";
  CHECK_THAT(merge_refusal(file, {path + "=1"}), Catch::Contains("at most 64 keys, found 100064"));
}

TEST_CASE("extends: a different type replaces the object, the same type or none merges into it") {
  const Scratch dir;
  dir.write("base.json",
            R"({"p": {"type": "a", "x": 1}, "q": {"type": "a", "x": 1}, "r": {"type": "a", "x": 1}})");
  const auto d = scenarios::load(dir.write(
      "x.json",
      R"({"extends": "base.json", "p": {"type": "b", "y": 2}, "q": {"type": "a", "y": 2}, "r": {"y": 2}})"));
  CHECK(d.root.find_path("p.x") == nullptr);
  CHECK(d.root.find_path("p.y")->number == 2);
  CHECK(d.root.find_path("q.x")->number == 1);
  CHECK(d.root.find_path("r.x")->number == 1);
  CHECK(d.root.find_path("r.type")->text == "a");
}

TEST_CASE("extends: an object without a written type has that of its keys, or the default one") {
  const Scratch dir;
  const scenarios::Outline outline = scenarios::outline<toy::Study>();
  const auto topology = [&](const std::string& base, const std::string& patch, const std::string& set = "") {
    const auto one = [](const std::string& value) { return R"("network": {"topology": )" + value + "}"; };
    dir.write("base.json", "{" + one(base) + "}");
    const std::string file = dir.write("x.json", R"({"extends": "base.json", )" + one(patch) + "}");
    const auto sets = set.empty() ? std::vector<std::string>() : std::vector{set};
    return scenarios::to_json(
               *scenarios::load(file, sets, {}, {}, &outline).root.find_path("network.topology"))
        .dump();
  };
  // A star by default.
  CHECK(topology(R"({"points": 3})", R"({"type": "named"})") == R"({"type":"named"})");
  CHECK(topology(R"({"points": 3})", R"({"type": "star"})") == R"({"points":3,"type":"star"})");
  CHECK(topology(R"({"word": "a"})", R"({"type": "named"})") == R"({"word":"a","type":"named"})");
  CHECK(topology(R"({"points": 3})", "{}", "network.topology.type=named") == R"({"type":"named"})");
  CHECK(topology(R"({"word": "a"})", "{}", "network.topology.type=named") ==
        R"({"word":"a","type":"named"})");
}

TEST_CASE("extends: of an option that has another default null is a value") {
  struct Kept {
    std::optional<double> wall = 60;
    std::optional<double> end;
    void describe(sim::Visitor& v) {
      v(wall, {.name = "wall"});
      v(end, {.name = "end"});
    }
  };
  const Scratch dir;
  const scenarios::Outline outline = scenarios::outline<Kept>();
  const auto merged = [&](const std::string& base, const std::string& patch,
                          const std::vector<std::string>& sets = {}) {
    dir.write("base.json", base);
    const std::string file = dir.write("x.json", R"({"extends": "base.json")" + patch + "}");
    return scenarios::to_json(scenarios::load(file, sets, {}, {}, &outline).root).dump();
  };
  CHECK(merged(R"({"wall": 5, "end": 6})", R"(, "wall": null, "end": null)") == R"({"wall":null})");
  CHECK(merged(R"({"wall": null, "end": null})", "") == R"({"wall":null})");
  CHECK(merged(R"({"wall": null})", R"(, "wall": 7)") == R"({"wall":7})");
  CHECK(merged("{}", "", {"wall=null", "end=null"}) == R"({"wall":null})");
}

TEST_CASE("extends: merging follows the examples of RFC 7386, appendix A") {
  const auto merged = [](const std::string& a, const std::string& b) {
    auto target = scenarios::parse(R"({"v": )" + a + "}", "a").root;
    scenarios::merge_patch(target, scenarios::parse(R"({"v": )" + b + "}", "b").root);
    return target;
  };
  CHECK(merged(R"({"a":"b"})", R"({"a":"c"})").find_path("v.a")->text == "c");
  CHECK(merged(R"({"a":"b"})", R"({"b":"c"})").find("v")->items().size() == 2);
  CHECK(merged(R"({"a":"b"})", R"({"a":null})").find("v")->items().empty());
  CHECK(merged(R"({"a":["b"]})", R"({"a":"c"})").find_path("v.a")->text == "c");
  CHECK(merged(R"({"a":"c"})", R"({"a":["b"]})").find_path("v.a.0")->text == "b");
  CHECK(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})").find_path("v.a")->items().size() == 1);
  CHECK(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})").find_path("v.a.0")->number == 1);
  CHECK(merged(R"(["a","b"])", R"({"a":"b","c":null})").find("v")->items().size() == 1);
  CHECK(merged(R"({})", R"({"a":{"bb":{"ccc":null}}})").find_path("v.a.bb")->items().empty());
}

TEST_CASE("extends: an object is merged into the name of a type, and replaces a quantity") {
  const auto merged = [](const std::string& a, const std::string& b) {
    auto target = scenarios::parse(R"({"a": )" + a + "}", "a").root;
    scenarios::merge_patch(target, scenarios::parse(R"({"a": )" + b + "}", "b").root);
    return scenarios::to_json(target).dump();
  };
  CHECK(merged(R"("ring")", R"({"w":1})") == R"({"a":{"type":"ring","w":1}})");
  CHECK(merged(R"("ring")", R"({"type":"ring","w":1})") == R"({"a":{"type":"ring","w":1}})");
  CHECK(merged(R"("ring")", R"({"type":"star","w":1})") == R"({"a":{"type":"star","w":1}})");
  CHECK(merged(R"("10 ms")", R"({"max":1})") == R"({"a":{"max":1}})");
  CHECK(merged(R"(".5 s")", R"({"max":1})") == R"({"a":{"max":1}})");
}

TEST_CASE("extends: circles, long chains and missing files are refused at the name of the file") {
  const Scratch dir;
  const std::string a = dir.write("a.json", R"({"extends": "b.json"})");
  dir.write("b.json", R"({
  "extends": "./a.json"})");
  CHECK(merge_refusal(a) == dir / "b.json" + ":2:14: /extends: a scenario must not extend itself: " + a +
                                " -> " + dir / "b.json" + " -> " + a);
  for (int i = 0; i < 18; ++i) {
    const auto link = fmt::format(R"({{"extends": "c{}.json"}})", i + 1);
    dir.write(fmt::format("c{}.json", i), i < 17 ? link : "{}");
  }
  CHECK(merge_refusal(dir / "c1.json") == "accepted");
  CHECK(merge_refusal(dir / "c0.json")
            .starts_with(dir / "c16.json" + ":1:13: /extends: expected a chain of at most 16 files, found " +
                         dir / "c0.json -> " + dir / "c1.json"));
  CHECK(merge_refusal(dir.write("d.json", R"({"extends": "none.json"})")) ==
        dir / "d.json:1:13: /extends: file \"none.json\" not found in " + dir.path().string() +
            "; to search another folder, use --data-dir");
  CHECK(merge_refusal(dir.write("e.json", R"({"extends": 3})")) ==
        dir / "e.json:1:13: /extends: expected the path of a file, found 3");
}

TEST_CASE("load: only a regular file of bounded size is opened") {
  const Scratch dir;
  CHECK(merge_refusal(dir / "none.json") == dir / "none.json: file not found");
  CHECK(merge_refusal(dir.path().string()) ==
        dir.path().string() + ": expected a regular file, found a directory");
  CHECK(merge_refusal("/dev/zero") == "/dev/zero: expected a regular file, found a device");
  REQUIRE(mkfifo((dir / "pipe").c_str(), 0600) == 0);
  CHECK(merge_refusal(dir / "pipe") == dir / "pipe: expected a regular file, found a FIFO");
  CHECK(merge_refusal(dir.write("big.json", std::string(2 << 20, ' '))) ==
        dir / "big.json: expected at most 1048576 bytes, found 2097152");
  const std::string half(700'000, ' ');
  dir.write("half.json", "{}" + half);
  CHECK(merge_refusal(dir.write("two.json", std::string(R"({"extends": "half.json"})") + half))
            .find("half.json: expected at most 348552 bytes, found 700002") != std::string::npos);
}

TEST_CASE("set: sets elements of lists, restores defaults, replaces an object of another type") {
  const Scratch dir;
  const std::string file =
      dir.write("x.json", R"({"m": ["a", "b"], "n": 3, "p": {"type": "a", "x": 1}, "q": {"x": 1, "y": 2}})");
  const auto d =
      scenarios::load(file, std::vector<std::string>{"m.1=c", "p.type=b", "q.x=null", "e={\"k\": [1]}"});
  CHECK(d.root.find_path("m.1")->text == "c");
  CHECK(d.root.find_path("p.x") == nullptr);
  CHECK(d.root.find_path("p.type")->text == "b");
  CHECK(d.root.find_path("q")->items().size() == 1);
  CHECK(where(d, "e.k.0") == "--set e");
  CHECK(merge_refusal(file, {"m.2=c"}) == "--set m.2: /m: expected an index below 2, found '2'");
  CHECK(merge_refusal(file, {"m.01=c"}) == "--set m.01: /m: expected an index below 2, found '01'");
  CHECK(merge_refusal(file, {"n.x=c"}) == "--set n.x: /n: expected an object with 'x', found 3");
  CHECK(merge_refusal(file, {"n"}) == "--set n: expected PATH=VALUE, found no '='");
  CHECK(merge_refusal(file, {"n..x=1"}).find("expected a path such as network.latency, found 'n..x'") !=
        std::string::npos);
  CHECK(merge_refusal(file, {"=1"}).find("expected a path such as") != std::string::npos);
  CHECK(merge_refusal(file, {"e={\"a\":1,}"}) == "--set e: remove the trailing comma before '}'");
}

TEST_CASE("sweep points: values set in a copy leave the document as it was") {
  auto d = scenarios::parse(R"({"n": {"x": 1}, "m": {"y": 2}})", "x.json");
  scenarios::Document copy = d;
  Node five = scenarios::parse(R"({"n": 5})", "v.json").root;
  five = Node(*five.find("n"));
  copy.set("n.x", five);
  CHECK(copy.root.find_path("n.x")->number == 5);
  CHECK(d.root.find_path("n.x")->number == 1);
  CHECK(copy.root.find_path("m.y") == d.root.find_path("m.y"));
}
