#include "scenarios/study/sweep/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>

#include "scenarios/language/json/merge.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;
using scenarios::Sweep;
using test::message_of;

namespace {

using Labels = std::vector<std::vector<std::string>>;

Sweep sweep_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  const test::Scratch dir;
  auto document = scenarios::load(dir.write("x.json", R"({"sweep": )" + text + "}"), sets);
  return Sweep(document, sets);
}

Labels labels(const std::string& text, const std::vector<std::string>& sets = {},
              const std::string& only = "") {
  Labels all;
  for (const auto& point : sweep_of(text, sets).points(only, 1e6)) all.push_back(point.labels);
  return all;
}

std::string sweep_refusal(const std::string& text) {
  const std::string message = message_of([&] { labels(text); });
  const auto at = message.find(".json:");
  return at == std::string::npos ? message : message.substr(at + 6);
}

}  // namespace

TEST_CASE("sweep: points are all combinations, the first axis varying slowest") {
  CHECK(labels(R"({"a": [1, 2], "b": ["x", "y", "z"]})") ==
        Labels{{"1", "x"}, {"1", "y"}, {"1", "z"}, {"2", "x"}, {"2", "y"}, {"2", "z"}});
  CHECK(labels("{}") == Labels{{}});
}

TEST_CASE("sweep: ranges by step, factor and count have round numbers and keep their unit") {
  CHECK(labels(R"({"a": {"from": 0, "to": 0.3, "step": 0.1}})") == Labels{{"0"}, {"0.1"}, {"0.2"}, {"0.3"}});
  CHECK(labels(R"({"a": {"from": 3, "to": 1, "step": -1}})") == Labels{{"3"}, {"2"}, {"1"}});
  CHECK(labels(R"({"a": {"from": 0, "to": 0.25, "step": 0.1}})") == Labels{{"0"}, {"0.1"}, {"0.2"}});
  CHECK(labels(R"({"a": {"from": "0 ms", "to": "60 ms", "step": "15 ms"}})") ==
        Labels{{"0 ms"}, {"15 ms"}, {"30 ms"}, {"45 ms"}, {"60 ms"}});
  CHECK(labels(R"({"a": {"from": "500 ms", "to": "1 s", "step": "250 ms"}})") ==
        Labels{{"500 ms"}, {"750 ms"}, {"1000 ms"}});
  CHECK(labels(R"({"a": {"from": 0, "to": "1 s", "step": "500 ms"}})") ==
        Labels{{"0 ms"}, {"500 ms"}, {"1000 ms"}});
  CHECK(labels(R"({"a": {"from": "10ms", "to": "1 s", "factor": 10}})") ==
        Labels{{"10 ms"}, {"100 ms"}, {"1000 ms"}});
  CHECK(labels(R"({"a": {"from": 1, "to": 1000, "factor": 10}})") ==
        Labels{{"1"}, {"10"}, {"100"}, {"1000"}});
  CHECK(labels(R"({"a": {"from": 0, "to": 1, "count": 5}})") ==
        Labels{{"0"}, {"0.25"}, {"0.5"}, {"0.75"}, {"1"}});
  CHECK(labels(R"({"a": {"from": "1 kB", "to": "100 kB", "count": 3, "scale": "log"}})") ==
        Labels{{"1 kB"}, {"10 kB"}, {"100 kB"}});
}

TEST_CASE("sweep: ranges of the smallest numbers, and of products that are no numbers") {
  CHECK(labels(R"({"a": {"from": 1e-170, "to": 1e-168, "factor": 10}})") ==
        Labels{{"1e-170"}, {"1e-169"}, {"1e-168"}});
  CHECK(labels(R"({"a": {"from": 1e-320, "to": 3e-320, "step": 2e-320}})").size() == 2);
  CHECK(
      sweep_refusal(R"({"a": {"from": -1, "to": 2, "factor": 10}})").ends_with("of the same sign and not 0"));
}

TEST_CASE("sweep: axes of one zip entry vary together, axes of different entries independently") {
  CHECK(labels(R"({"zip": [{"a": [1, 2], "b": [3, 4]}, {"c": [5, 6]}]})") ==
        Labels{{"1", "3", "5"}, {"1", "3", "6"}, {"2", "4", "5"}, {"2", "4", "6"}});
  CHECK(labels(R"({"zip": [{"a": [1, 2, 3], "b": {"from": 1, "to": 3, "step": 1}}]})").size() == 3);
}

TEST_CASE("sweep: 'where' and --points keep the points for which they hold, quantities being in SI") {
  const std::string sweep =
      R"({"privacy.epsilon": [0.1, 1], "wait": ["1 ms", "2 s"], "kind": ["x"], "where": "privacy.epsilon * wait >= 0.1"})";
  CHECK(labels(sweep) == Labels{{"0.1", "2 s", "x"}, {"1", "2 s", "x"}});
  CHECK(labels(sweep, {}, "privacy.epsilon > 0.5") == Labels{{"1", "2 s", "x"}});
  CHECK(labels(R"({"a": [1, 2, 3], "where": "a == 1 || a >= 3"})") == Labels{{"1"}, {"3"}});
  CHECK(labels(R"({"a": [-1, 1], "where": "sqrt(a) < 2"})") == Labels{{"1"}});  // not a number does not hold
}

TEST_CASE("sweep: errors are reported in one line") {
  CHECK(sweep_refusal("3") == "1:11: /sweep: expected an object of axes, found 3");
  CHECK(
      sweep_refusal(R"({"a": []})") ==
      R"(1:17: /sweep/a: expected a list of at least one value or a range such as {"from": 0, "to": 1, "step": 0.1}, found an empty list)");
  CHECK(sweep_refusal(R"({"a": 5})").ends_with("found 5"));
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2}})") ==
        "1:17: /sweep/a: give exactly one of step, factor and count");
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2, "step": 1, "count": 2}})")
            .ends_with("one of step, factor and count"));
  CHECK(
      sweep_refusal(R"({"a": {"to": 2, "step": 1}})").ends_with("required key 'from' of a range is missing"));
  CHECK(sweep_refusal(R"({"a": {"from": "x", "to": 2, "step": 1}})") ==
        R"(1:26: /sweep/a/from: expected a number or a quantity such as "15 ms", found "x")");
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2, "stp": 1}})") ==
        "1:38: /sweep/a/stp: unknown key 'stp' of a range; did you mean 'step'?");
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2, "step": 0}})")
            .ends_with("/step: a step of 0 does not lead from 'from' to 'to'"));
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2, "step": -1}})")
            .ends_with("a step of -1 does not lead from 'from' to 'to'"));
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2, "factor": 0.5}})")
            .ends_with("a factor of 0.5 does not lead from 'from' to 'to'"));
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2, "factor": 1}})")
            .ends_with("expected a number above 0 other than 1, found 1"));
  CHECK(sweep_refusal(R"({"a": {"from": 0, "to": 2, "factor": 2}})")
            .ends_with("a factor requires 'from' and 'to' of the same sign and not 0"));
  CHECK(sweep_refusal(R"({"a": {"from": 0, "to": 2, "count": 1.5}})")
            .ends_with("a whole number of at least 2, found 1.5"));
  CHECK(sweep_refusal(R"({"a": {"from": 0, "to": 2, "count": 3, "scale": "log"}})")
            .ends_with("a log scale requires 'from' and 'to' of the same sign and not 0"));
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2, "step": 1, "scale": "log"}})")
            .ends_with("scale requires count"));
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 2, "count": 2, "scale": "ln"}})")
            .ends_with("expected one of linear, log, found \"ln\""));
  CHECK(sweep_refusal(R"({"zip": {"a": [1]}})")
            .ends_with("each with axes that vary together, found an object"));
  CHECK(sweep_refusal(R"({"zip": [{}]})") ==
        "1:20: /sweep/zip/0: expected an object with axes that vary together, found an empty one");
  CHECK(sweep_refusal(R"({"zip": [{"a": [1, 2], "b": [1, 2, 3]}]})") ==
        "1:39: /sweep/zip/0/b: expected as many values as a (2), found 3");
  CHECK(sweep_refusal(R"({"a": [1], "zip": [{"a": [1]}]})")
            .ends_with("a is swept twice; remove one of its axes"));
  CHECK(sweep_refusal(R"({"repeat": [1]})").ends_with("cannot be swept: repeat is the same for all points"));
  CHECK(sweep_refusal(R"({"zip": [{"a": [1], "repeat": [1]}]})") ==
        "1:31: /sweep/zip/0/repeat: cannot be swept: repeat is the same for all points");
  CHECK(sweep_refusal(R"({"random_numbers": "none"})")
            .ends_with("expected one of common, independent, found \"none\""));
  CHECK(sweep_refusal(R"({"a": [1], "where": 3})").ends_with("expected a condition as text, found 3"));
  CHECK(sweep_refusal(R"({"abc": [1], "where": "abd > 1"})") ==
        "1:33: /sweep/where: expected swept options, found 'abd'; did you mean 'abc'?");
  CHECK(sweep_refusal(R"({"a": {"from": "0 s", "to": "60 m", "step": "15 s"}})") ==
        "1:17: /sweep/a: units of different kinds in one range");
  CHECK(sweep_refusal(R"({"a": {"from": 1, "to": 1, "count": 3}})") ==
        "1:17: /sweep/a: 'from' and 'to' of a count must differ: all values would be equal");
  for (const char* range : {R"({"from": 1, "to": 1.000000000000001, "count": 5})",
                            R"({"from": 1e20, "to": 1.000000000000005e20, "step": 1e5})",
                            R"({"from": 1, "to": 1.000000000000001, "count": 3, "scale": "log"})"})
    CHECK(sweep_refusal(R"({"a": )" + std::string(range) + "}")
              .ends_with("/sweep/a: values of a range have 15 digits, in which these are equal"));
  CHECK(labels(R"({"a": {"from": 1, "to": 1.00000000000004, "count": 3}})").size() == 3);
  CHECK(labels(R"({"a": {"from": 123456789012345, "to": 123456789012355, "step": 1}})").size() == 11);
  CHECK(labels(R"({"a": {"from": 9007199254740000, "to": 9007199254740990, "step": 10}})").size() == 100);
  CHECK(labels(R"({"zip": [{"a": {"from": 1, "to": 2, "step": 1, "count": null}}]})").size() == 2);
  for (const char* chain : {"0.5 < a < 1.5", "0 == a == 1", "a > 0 && (1 > a > 0)", "a >= 0 != 1"})
    CHECK(
        sweep_refusal(R"({"a": [1], "where": ")" + std::string(chain) + "\"}")
            .ends_with(
                "/sweep/where: a condition must not chain comparisons; write a < b && b < c for a < b < c"));
  for (const char* whole :
       {"0.5 < a && a < 1.5", "(a > 0) == (a < 2)", "a > 0 ? a < 2 : a < 1", "min(a > 0, a < 2) == 1"})
    CHECK(labels(R"({"a": [1], "where": ")" + std::string(whole) + "\"}").size() == 1);
  CHECK(sweep_refusal(R"({"a": [1], "where": "a = 1"})")
            .ends_with("/sweep/where: a condition must not assign; write == for equality"));
  CHECK(sweep_refusal(R"({"a": [1], "where": "a >"})").find("/sweep/where: expected a condition such as") !=
        std::string::npos);
  CHECK(sweep_refusal(R"({"a": ["x"], "where": "a > 1"})")
            .ends_with("a condition needs numbers; the values of a are not numbers"));
  CHECK(sweep_refusal(R"({"a": [1], "where": "a > 1"})").ends_with("no point satisfies the condition"));
}

TEST_CASE("sweep: too many points are refused by their number") {
  const auto too_many = [](const std::string& text) {
    return test::error_of<scenarios::RefusedError>([&] { sweep_of(text).points("", 1e4); });
  };
  CHECK(too_many(R"({"a": {"from": 1, "to": 1e30, "step": 1}})") ==
        "the sweep has 1e+30 points, more than 10000; raise --max-runs to allow them");
  CHECK(too_many(R"({"a": {"from": 1, "to": 1e30, "step": 1}, "where": "a > 3"})") ==
        "the sweep has 1e+30 combinations to test the condition on, more than 1e+07");
  CHECK(too_many(R"({"a": {"from": 1, "to": 3e4, "step": 1}, "where": "a > 0"})") ==
        "the sweep has more than 10000 points that satisfy its condition; raise --max-runs to allow them");
  CHECK(too_many(R"({"a": {"from": 1, "to": 3e4, "step": 1}, "where": "a < 10"})") == "accepted");
}

TEST_CASE("sweep: the command line replaces axes and sets them by name") {
  const std::string sweep = R"({"p.a": [1, 2], "zip": [{"p.b": [3, 4], "p.c": [5, 6]}]})";
  CHECK(labels(sweep, {"p.a=7"}) == Labels{{"7", "3", "5"}, {"7", "4", "6"}});
  CHECK(labels(sweep, {"p.b=7"}) ==
        Labels{{"1", "5", "7"}, {"1", "6", "7"}, {"2", "5", "7"}, {"2", "6", "7"}});
  CHECK(labels(sweep, {"sweep.p.a=[8,9]"}).size() == 4);
  CHECK(labels(sweep, {"sweep.p.a=null", "sweep.zip=null"}) == Labels{{}});
  CHECK(labels(sweep, {R"(sweep.p.a={"from":1,"to":3,"step":1})", "sweep.where=p.a>p.b-2"}) ==
        Labels{{"3", "5", "2"}, {"3", "5", "3"}, {"4", "6", "3"}});
  CHECK(labels("{}", {"sweep.q=[1,2]"}) == Labels{{"1"}, {"2"}});
}

TEST_CASE("sweep: a swept type is set before its siblings, in any order of the axes") {
  const test::Scratch dir;
  auto document = scenarios::load(dir.write("x.json", R"({"n": {"t": {"type": "a", "x": 1}},
    "sweep": {"n.t.y": [5], "n.t.type": ["b"], "n": [{"t": {"w": 2}, "z": 1}]}})"));
  const Sweep sweep(document, {});
  const auto at = scenarios::at_point(document, sweep.points("", 10).front());
  CHECK(at.root.find_path("n.t.type")->text == "b");
  CHECK(at.root.find_path("n.t.y")->number == 5);
  CHECK(at.root.find_path("n.t.x") == nullptr);
  CHECK(at.root.find_path("n.z")->number == 1);
}

TEST_CASE("sweep: the value of a point has the position of the axis") {
  const test::Scratch dir;
  const std::string file = dir.write("x.json", R"({"sweep": {
  "n.x": [5], "n.y": {"from": 1, "to": 2, "count": 2}}})");
  auto document = scenarios::load(file);
  const Sweep sweep(document, {});
  const auto at = scenarios::at_point(document, sweep.points("", 10).front());
  CHECK(at.where(at.root.find_path("n.x")->at) == file + ":2:11");
  CHECK(at.where(at.root.find_path("n.x")->key_at) == file + ":2:3");
  CHECK(at.where(at.root.find_path("n.y")->key_at) == file + ":2:15");
}

TEST_CASE("sweep: the command line takes precedence over axes, or is refused") {
  const auto points = [](const std::string& scenario, const std::vector<std::string>& sets) {
    const test::Scratch dir;
    auto document = scenarios::load(dir.write("x.json", scenario), sets);
    std::string text;
    for (const auto& point : Sweep(document, sets).points("", 100))
      text += fmt::format("{} {};", scenarios::at_point(document, point).root.find_path("n.x")->text,
                          fmt::join(point.labels, " "));
    return text;
  };
  const std::string scenario = R"({"n": {"x": 1}, "sweep": {"n.x": [2, 3]}})";
  CHECK(points(scenario, {}) == "2 2;3 3;");
  CHECK(points(scenario, {"n.x=4"}) == "4 4;");
  CHECK(points(scenario, {R"(n={"x":4})"}) == "4 4;");            // set in an object
  CHECK(points(scenario, {R"(n={"y":4})"}) == "2 2;3 3;");        // which need not hold the swept option
  CHECK(points(scenario, {"n.x=4", "sweep.n.x=[5]"}) == "5 5;");  // the last one counts
  CHECK(points(scenario, {"sweep.n.x=[5]", "n.x=4"}) == "4 4;");
  CHECK(points(scenario, {"n.x=4", R"(sweep={"n.x":[5,6]})"}) == "5 5;6 6;");  // also with the whole sweep
  CHECK(points(scenario, {R"(sweep={"n.x":[5,6]})", "n.x=4"}) == "4 4;");
  // The name of a type alone sets the type.
  const std::string types = R"({"n": {"type": "a"}, "sweep": {"n.type": ["b", "c"], "n.x": [1]}})";
  CHECK(points(types, {"n=d"}) == points(types, {R"(n={"type":"d"})"}));
  CHECK(points(types, {"n=d"}) == "1 d 1;");
  // An axis of zip is set by its name.
  const std::string zip = R"({"n": {"x": 1}, "sweep": {"zip": [{"n.x": [2, 3], "m": [4, 5]}]}})";
  CHECK(points(zip, {"sweep.n.x=[7]"}) == "7 4 7;7 5 7;");
  CHECK(points(zip, {"sweep.n.x=null"}) == "1 4;1 5;");
  CHECK(points(zip, {"n.x=9", R"(sweep.zip=[{"n.x":[6]}])"}) == "6 6;");
  const auto refused = [&](const std::string& sweep, const std::string& set) {
    return message_of([&] { points(R"({"n": {"type": "a", "x": 1}, "sweep": )" + sweep + "}", {set}); });
  };
  const std::string lost =
      ": the sweep sets n at every point; change the values of that axis, or run without the sweep: "
      "--set sweep=null";
  CHECK(refused(R"({"n": [{"x": 2}, {"x": 3}]})", "n.x=4") == "--set n.x" + lost);
  CHECK(refused(R"({"n": [{"y": 2}]})", "n.x=4") == "--set n.x" + lost);
  CHECK(refused(R"({"zip": [{"n": [{"x": 2}], "m": [1]}]})", "n.z.y=4") == "--set n.z.y" + lost);
  // A swept type clears the other members of its object.
  CHECK(refused(R"({"n.type": ["b", "c"]})", "n.x=4")
            .starts_with("--set n.x: the sweep sets n.type at every point"));
  CHECK(refused(R"({"n.type": ["b", "c"], "n.x": [7]})", "n.x=4") == "accepted");
  // A quantity is the name of no type.
  CHECK(refused(R"({"n.type": ["b"], "n.x": [7]})", "n=\"10 ms\"")
            .starts_with("--set n: the sweep sets n.type at every point"));
  CHECK(refused(R"({"nn": [1]})", "n.x=4") == "accepted");
}

TEST_CASE("sweep: a point that is listed twice, and two axes of one option, are refused") {
  CHECK(sweep_refusal(R"({"a": [1, 2, 1]})") == "1:24: /sweep/a/2: values 0 and 2 are both '1'; remove one");
  CHECK(sweep_refusal(R"({"a": ["20 ms", 0.02]})").ends_with("values 0 and 1 are both '0.02'; remove one"));
  CHECK(
      sweep_refusal(R"({"a": [{"x": 1, "y": "1 s"}, {"y": 1, "x": 1.0}]})").find("values 0 and 1 are both") !=
      std::string::npos);
  CHECK(sweep_refusal(R"({"a": ["on", {"type": "on"}]})").find("values 0 and 1 are both 'on'") !=
        std::string::npos);
  CHECK(sweep_refusal(R"({"zip": [{"a": [1, 1], "b": ["x", "x"]}]})")
            .ends_with("/sweep/zip/0/1: values 0 and 1 are both '1, x'; remove one"));
  CHECK(labels(R"({"zip": [{"a": [1, 1], "b": ["x", "y"]}]})") == Labels{{"1", "x"}, {"1", "y"}});
  CHECK(sweep_refusal(R"({"a.b": [1], "a": [{"c": 1}, {"b": 2}]})") ==
        "1:40: /sweep/a: value 'b=2' sets a.b, which another axis sweeps; remove it from one of them");
  CHECK(sweep_refusal(R"({"a": ["x", "y"], "a.type": ["x"]})") ==
        "1:18: /sweep/a: value 'x' sets a.type, which another axis sweeps; remove it from one of them");
  CHECK(sweep_refusal(R"({"a": [{"b": "x"}], "a.b.type": ["x"]})").find("sets a.b.type") !=
        std::string::npos);
  CHECK(labels(R"({"a": ["x", "y"], "a.kind": [1], "a.subtype": [1]})").size() == 2);
  CHECK(labels(R"({"a.b": [1], "a": [{"c": 1}, {"c": 2}]})").size() == 2);
  CHECK(labels(R"({"ab": [1], "a": [{"b": 2}]})").size() == 1);
}

TEST_CASE("sweep: values with labels") {
  const std::string down = R"({"n": [0, {"label": "20 % down", "value": {"type": "on_off", "down": "1 s"}},
                                     {"label": "half", "value": 0.5}], "where": "m == 1", "m": [1]})";
  const Sweep sweep = sweep_of(down);
  const auto points = sweep.points("", 10);
  REQUIRE(points.size() == 3);
  CHECK(points[1].labels == std::vector<std::string>{"20 % down", "1"});
  CHECK(points[1].settings[0].second.find("down")->text == "1 s");
  CHECK(points[2].labels[0] == "half");
  CHECK(points[2].numbers[0] == 0.5);
  CHECK(sweep_refusal(R"({"a": [{"label": "x"}]})") ==
        R"(1:18: /sweep/a/0: required key 'value' is missing; expected {"label": ..., "value": ...})");
  CHECK(sweep_refusal(R"({"a": [{"label": 3, "value": 1}]})")
            .ends_with("/sweep/a/0/label: expected text that is not empty, found 3"));
  CHECK(sweep_refusal(R"({"a": [{"label": "x", "valu": 1}]})")
            .ends_with("unknown key 'valu' of a labelled value; did you mean 'value'?"));
  CHECK(sweep_refusal(R"({"a": [{"label": "x", "value": 1}, {"label": "x", "value": 2}]})")
            .ends_with("/sweep/a/1: the labels of values 0 and 1 are both 'x'; remove one"));
  // Tables would have the number of the label.
  CHECK(
      sweep_refusal(R"({"a": [{"label": "1 h", "value": "20 ms"}]})") ==
      R"(1:28: /sweep/a/0/label: expected a label that is no number, or the number of its value, "20 ms", found "1 h")");
  CHECK(labels(R"({"a": [{"label": "20 ms", "value": 0.02}, {"label": "2", "value": {"b": 1}}]})") ==
        Labels{{"20 ms"}, {"2"}});
}

TEST_CASE("sweep: tables show of objects only what differs") {
  const auto shown = [](const std::string& values) {
    const Sweep sweep = sweep_of(R"({"a": )" + values + "}");
    const auto texts = sweep.swept().shown[0];
    std::vector<std::string> all;
    for (const auto& point : sweep.points("", 10)) {
      const auto text = texts.find(point.labels[0]);
      all.push_back(text == texts.end() ? point.labels[0] : text->second);
    }
    return all;
  };
  using Texts = std::vector<std::string>;
  CHECK(shown(R"([{"mechanism": "none"}, {"mechanism": "laplace", "clip": 1, "epsilon": 10},
                  {"mechanism": "laplace", "clip": 1, "epsilon": 1}])") ==
        Texts{"mechanism=none", "mechanism=laplace epsilon=10", "mechanism=laplace epsilon=1"});
  CHECK(shown(R"(["always", {"type": "on_off", "up": {"type": "exponential", "mean": "8 s"}, "down": "1 s"},
                  {"type": "on_off", "up": {"type": "exponential", "mean": "4 s"}, "down": "1 s"}])") ==
        Texts{"always", "on_off up.mean=8 s", "on_off up.mean=4 s"});
  // Without the only member that the second value has, the two would be equal.
  CHECK(shown(R"([{"type": "x"}, {"type": "x", "mu": 1}])") == Texts{"x", "x mu=1"});
  CHECK(
      shown(
          R"([{"type": "x", "parts": [{"w": 8}, {"w": 1}]}, {"type": "x", "parts": [{"w": 8}, {"w": 2}]}])") ==
      Texts{"parts.1.w=1", "parts.1.w=2"});
  CHECK(shown(R"([[1, 2], [1, 3]])") == Texts{"1 2", "1 3"});
  CHECK(shown(R"([{"type": "x", "mu": 1}])") == Texts{"x mu=1"});
  CHECK(shown(R"([1, 2])") == Texts{"1", "2"});
}

TEST_CASE("sweep: a label is a number as a whole or not at all") {
  CHECK(scenarios::label_number("0.5 ms") == 0.0005);
  CHECK(scenarios::label_number("-1e3") == -1000);
  for (const char* label : {"", "nan", "inf", "0x10", "1 a", " 1"})
    CHECK_FALSE(scenarios::label_number(label));
}

TEST_CASE("sweep: conditions accept quantities") {
  const std::string sweep = R"({"wait_2": ["20 ms", "30 ms"]})";
  for (const char* only : {"wait_2 >= 25 ms", "wait_2>=25ms", "wait_2 >= \"25 ms\"", "wait_2 - 5 ms >= .02 s",
                           "wait_2 > 1 min / 2400", "wait_2 >= 2.5e-2"}) {
    INFO(only);
    CHECK(labels(sweep, {}, only) == Labels{{"30 ms"}});
  }
  CHECK(labels(R"({"r": ["5 /s", "6 /s"]})", {}, "r > 5 /s") == Labels{{"6 /s"}});
  // Before a parenthesis "min" is a function: 1/min(1,2) is 1, and no rate.
  CHECK(labels(R"({"a": [1, 2]})", {}, "a > 1/min(1,2)") == Labels{{"2"}});
  // Where s is a name, only quotes make a rate of it: 12/s is 6 and 4.
  const std::string named = R"({"s": [2, 3], "r": ["5 /s"]})";
  CHECK(labels(named, {}, "12/s > r") == Labels{{"2", "5 /s"}});
  CHECK(labels(named, {}, "12 /s < r") == Labels{{"3", "5 /s"}});
  CHECK(labels(named, {}, "s < 3 && r == \"5 /s\"") == Labels{{"2", "5 /s"}});
  // Of the kinds that the axes in it have.
  CHECK(message_of([&] { labels(sweep, {}, "wait_2 < 60 m"); }) ==
        "--points: units of different kinds: the swept values are in s, found 60 m");
  CHECK(labels(sweep, {}, "wait_2 * 200000 km/s >= 5000 km").size() == 1);  // 0.025 s and more
  CHECK(labels(R"({"d": [0, "1 km"], "wait_2": ["20 ms"]})", {}, "d < 60 m && wait_2 < 1 s").size() == 1);
  CHECK(labels(R"({"wait": [0.02, 0.03]})", {}, "wait < 25 ms") == Labels{{"0.02"}});
  // Axes that it does not name have any names.
  CHECK(labels(R"({"a": [1, 2], "b.bank-a": [3]})", {}, "a > 1") == Labels{{"2", "3"}});
  CHECK(message_of([&] { labels(sweep, {}, "wait_2 >= 25 sm"); }).find("Unexpected") != std::string::npos);
}
