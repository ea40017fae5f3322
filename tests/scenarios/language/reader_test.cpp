#include "scenarios/language/reader.hpp"

#include <catch2/catch.hpp>

#include "scenarios/language/json/merge.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/toy.hpp"

using namespace hearsay;
using test::message_of;

namespace {

toy::Study study(const std::string& text) {
  const auto document = scenarios::parse(text, "x.json");
  toy::Study value;
  scenarios::read(document, document.root, value);
  return value;
}

std::string reader_refusal(const std::string& text) {
  return message_of([&text] { study(text); });
}

}  // namespace

TEST_CASE("reader: an absent option keeps its default") {
  const auto s = study(R"({"name": "n", "network": {"loss": 0.25}})");
  CHECK(s.name == "n");
  CHECK(s.network.loss == 0.25);
  CHECK(s.seed == 1);
  CHECK(s.horizon == 10);
  CHECK(s.metrics == std::vector<std::string>{"objective"});
  CHECK(std::get<sim::Uniform>(s.network.latency.law()).max == 0.015);
  CHECK_FALSE(s.network.bandwidth);
  CHECK_FALSE(s.hub);
}

TEST_CASE("reader: null restores the default of a member and unsets an optional one") {
  toy::Study s;
  s.network.bandwidth = 3;
  s.horizon = 4;
  const auto d = scenarios::parse(R"({"horizon": null, "network": {"bandwidth": null}})", "x.json");
  scenarios::read(d, d.root, s);
  CHECK_FALSE(s.network.bandwidth);
  CHECK(s.horizon == 4);
}

TEST_CASE("nearest: the smallest edit distance, then no extra letter, then a longer name") {
  const std::vector<std::string> names{"epsilon", "epsilon_1", "epsilon_2", "turns", "round_timeout", "rho"};
  CHECK(scenarios::nearest("epsilon2", names) == "epsilon_2");
  CHECK(scenarios::nearest("epsilom", names) == "epsilon");
  CHECK(scenarios::nearest("timeout", names) == "round_timeout");
  CHECK(scenarios::nearest("turn", names) == "turns");
  CHECK(scenarios::nearest("hr", names).empty());
  CHECK(scenarios::nearest("bandwidth", names).empty());
}

TEST_CASE("reader: unknown keys are refused with the nearest known one") {
  CHECK(reader_refusal(R"({"colr": "red"})") ==
        "x.json:1:2: /colr: unknown key 'colr'; did you mean 'colour'?");
  CHECK(reader_refusal("{\"network\": {\n \"latncy\": 3}}") ==
        "x.json:2:2: /network/latncy: unknown key 'latncy'; did you mean 'latency'?");
  CHECK(reader_refusal(R"({"network": {"zzz": 1}})") ==
        "x.json:1:14: /network/zzz: unknown key 'zzz'; known keys: topology, latency, bandwidth, "
        "loss");
  CHECK(reader_refusal(R"({"network": {"topology": {"type": "star", "size": 1}}})") ==
        "x.json:1:43: /network/topology/size: unknown key 'size' of 'star'; known keys: points, "
        "type");
  CHECK(reader_refusal(R"({"network": {"topology": {"colour": "red"}}})") ==
        "x.json:1:27: /network/topology/colour: unknown key 'colour' of 'star'; known keys: "
        "points, type; "
        "for other keys set another \"type\" (star, blocks, named)");
  CHECK(reader_refusal("{\"a/b~c\\n\": 1}")
            .starts_with("x.json:1:2: /a~1b~0c\\x0a: unknown key 'a/b~c\\x0a'; known"));
}

TEST_CASE("reader: numbers must be numbers in their range, with their unit") {
  CHECK(study(R"({"horizon": "15 ms"})").horizon == 0.015);
  CHECK(study(R"({"horizon": 2.5})").horizon == 2.5);
  CHECK(study(R"({"network": {"bandwidth": "10 Mbit/s"}})").network.bandwidth == 1.25e6);
  CHECK(reader_refusal(R"({"horizon": "15 MB"})") ==
        "x.json:1:13: /horizon: expected a duration such as \"15 ms\" (in ns, us, ms, s, min, h, d) or a "
        "number in s, "
        "found \"15 MB\"");
  CHECK(reader_refusal(R"({"horizon": true})").ends_with("or a number in s, found true"));
  CHECK(reader_refusal(R"({"network": {"loss": "0.5"}})") ==
        "x.json:1:22: /network/loss: expected a number in [0, 1], without quotes, found \"0.5\"");
  CHECK(reader_refusal(R"({"network": {"loss": 1.5}})") ==
        "x.json:1:22: /network/loss: expected a value in [0, 1], found 1.5");
  CHECK(reader_refusal(R"({"horizon": "-3 ms"})") ==
        "x.json:1:13: /horizon: expected a value of at least 0 s, found \"-3 ms\"");
  CHECK(reader_refusal(R"({"privacy": {"epsilon": 0}})") ==
        "x.json:1:25: /privacy/epsilon: expected a value above 0, found 0");
  CHECK(reader_refusal(R"({"horizon": 9007199254740993})") ==
        "x.json:1:13: /horizon: expected an integer that a double can hold, found 9007199254740993");
  CHECK(study(R"({"horizon": 9007199254740994})").horizon == 9007199254740994.0);
}

TEST_CASE("reader: whole numbers are whole, at most 2^53, and fit their type") {
  CHECK(study(R"({"seed": 1e4})").seed == 10000);
  CHECK(study(R"({"seed": 9007199254740992})").seed == 9007199254740992u);
  CHECK(study(R"({"bytes": "2 kB"})").bytes == 2000);
  CHECK(study(R"({"small": -2147483648})").small == std::numeric_limits<std::int32_t>::min());
  const auto refused = [](const std::string& key, const std::string& value, const std::string& expected) {
    INFO(key << " " << value);
    CHECK(reader_refusal("{\"" + key + "\": " + value + "}") ==
          "x.json:1:" + std::to_string(key.size() + 6) + ": /" + key + ": " + expected + " " + value);
  };
  refused("seed", "1.5", "expected a whole number, found");
  refused("seed", "\"7\"", "expected a whole number of at least 0, without quotes, found");
  refused("seed", "-1", "expected a value of at least 0, found");
  refused("seed", "9007199254740993", "expected a whole number of at most 2^53 in magnitude, found");
  refused("seed", "9223372036854775808", "expected a whole number of at most 2^53 in magnitude, found");
  refused("seed", "1e16", "expected a whole number of at most 2^53 in magnitude, found");
  refused("bytes", "\"3 bit\"", "expected a whole number of B, found");
  refused("small", "2147483648", "expected a value in [-2147483648, 2147483647], found");
}

TEST_CASE("reader: a value of the wrong type is refused") {
  CHECK(reader_refusal(R"({"name": 3})") == "x.json:1:10: /name: expected text, found 3");
  CHECK(reader_refusal(R"({"owners": [{"weight": 1, "shares": 1}]})") ==
        "x.json:1:37: /owners/0/shares: expected true or false, found 1");
  CHECK(study(R"({"colour": "blue"})").colour == toy::Colour::kBlue);
  CHECK(reader_refusal(R"({"colour": "bleu"})") ==
        "x.json:1:12: /colour: expected one of red, green, blue, found \"bleu\"; did you mean 'blue'?");
  CHECK(reader_refusal(R"({"colour": "gren"})") ==
        "x.json:1:12: /colour: expected one of red, green, blue, found \"gren\"; did you mean 'green'?");
  CHECK(reader_refusal(R"({"colour": 1})") ==
        "x.json:1:12: /colour: expected one of red, green, blue, found 1");
  CHECK(study(R"({"metrics": []})").metrics.empty());
  CHECK(study(R"({"metrics": ["a", "b"]})").metrics == std::vector<std::string>{"a", "b"});
  CHECK(reader_refusal(R"({"metrics": "a"})") == "x.json:1:13: /metrics: expected a list, found \"a\"");
  CHECK(reader_refusal(R"({"metrics": ["a", null]})") ==
        "x.json:1:19: /metrics/1: expected text, found null");
  CHECK(reader_refusal(R"({"network": 3})") ==
        R"(x.json:1:13: /network: expected an object such as {"topology": "star"}, found 3)");
  CHECK(reader_refusal(R"({"hub": 3})") ==
        R"(x.json:1:9: /hub: expected an object such as {"weight": 5}, found 3)");
  CHECK(reader_refusal(R"({"network": {"topology": [2, 0]}})") ==
        "x.json:1:30: /network/topology/1: expected a value of at least 1, found 0");
}

TEST_CASE("reader: a missing required key is reported at its object") {
  CHECK(reader_refusal("{\"owners\": [{\"weight\": 1},\n {\"shares\": true}]}") ==
        "x.json:2:2: /owners/1/weight: required key is missing; expected a number");
  CHECK(reader_refusal(R"({"hub": {}})") ==
        "x.json:1:9: /hub/weight: required key is missing; expected a number");
  CHECK(reader_refusal(R"({"hub": {"wieght": 1}})") ==
        "x.json:1:10: /hub/wieght: unknown key 'wieght'; did you mean 'weight'?");
  CHECK(reader_refusal(R"({"network": {"latency": "exponential"}})") ==
        "x.json:1:25: /network/latency/mean: required key is missing; expected a duration such as \"15 ms\" "
        "(in ns, "
        "us, ms, s, min, h, d) or a number in s");
  CHECK(study(R"({"hub": {"weight": 2}})").hub->weight == 2);
}

TEST_CASE("reader: an alternative is selected by type, by its shorthand, or by default") {
  const auto topology = [](const std::string& t) {
    return study(R"({"network": {"topology": )" + t + "}}").network.topology;
  };
  CHECK(std::get<toy::Star>(topology(R"({"type": "star", "points": 3})")).points == 3);
  CHECK(std::get<toy::Star>(topology(R"({"points": 3})")).points == 3);
  CHECK(std::get<toy::Star>(topology(R"("star")")).points == 7);
  CHECK(std::get<toy::Star>(topology(R"({"type": "star"})")).points == 7);
  CHECK(std::get<toy::Blocks>(topology(R"({"sizes": [1, 2]})")).sizes.size() == 2);
  CHECK(std::get<toy::Blocks>(topology(R"([3, 4])")).sizes == std::vector<std::int64_t>{3, 4});
  CHECK(std::get<toy::Named>(topology(R"("petersen")")).word == "petersen");
  CHECK(std::get<toy::Named>(topology(R"("named")")).word == "none");
  CHECK(std::get<toy::Named>(topology(R"({"word": "w", "colour": "red"})")).colour == toy::Colour::kRed);
  CHECK(reader_refusal(R"({"network": {"topology": {"type": "strar"}}})") ==
        "x.json:1:35: /network/topology/type: expected one of star, blocks, named, found \"strar\"; did you "
        "mean 'star'?");
  CHECK(reader_refusal(R"({"network": {"topology": {"type": 3}}})") ==
        "x.json:1:35: /network/topology/type: expected one of star, blocks, named, found 3");
  CHECK(reader_refusal(R"({"network": {"topology": true}})") ==
        "x.json:1:26: /network/topology: expected a list or text or one of star, blocks, named, found true");
}

TEST_CASE("reader: a distribution has the unit and the range of its place") {
  const auto latency = [](const std::string& t) {
    return study(R"({"network": {"latency": )" + t + "}}").network.latency;
  };
  CHECK(std::get<sim::Constant>(latency(R"("15 ms")").law()).value == 0.015);
  CHECK(std::get<sim::Constant>(latency("2").law()).value == 2);
  CHECK(std::get<sim::Uniform>(latency(R"({"max": "3 ms"})").law()).max == 0.003);
  CHECK(std::get<sim::Uniform>(latency(R"({"type": "uniform", "max": 1})").law()).min == 0);
  CHECK(std::get<sim::Exponential>(latency(R"({"type": "exponential", "mean": "1 min"})").law()).average ==
        60);
  const auto refused = [](const std::string& l) {
    return reader_refusal(R"({"network": {"latency": )" + l + "}}");
  };
  CHECK(refused("-1") == "x.json:1:25: /network/latency: expected a value of at least 0 s, found -1");
  CHECK(
      refused(R"("low")")
          .starts_with(
              "x.json:1:25: /network/latency: expected a duration such as \"15 ms\" (in ns, us, ms, s, min, h, d) "
              "or a number in s or a distribution (constant, uniform, "));
  CHECK(refused(R"("unifrm")").ends_with("found \"unifrm\"; did you mean 'uniform'?"));
  CHECK(refused(R"("15 MB")").find("/network/latency: expected a duration such as") != std::string::npos);
  CHECK(refused(R"({"type": "lognormal", "median": "1 s", "sigma": "1 s"})") ==
        "x.json:1:73: /network/latency/sigma: expected a number in [0, 20], without a unit, found \"1 s\"");
  CHECK(refused(R"({"min": "-5 ms", "max": 1})") ==
        "x.json:1:33: /network/latency/min: expected a value of at least 0 s, found \"-5 ms\"");
  CHECK(refused(R"({"type": "expnential"})").ends_with("found \"expnential\"; did you mean 'exponential'?"));
  CHECK(reader_refusal(R"({"rates": [1, 0]})") ==
        "x.json:1:15: /rates/1: expected a value above 0 /s, found 0");
  CHECK(study(R"({"rates": ["5 Hz", {"type": "exponential", "mean": "6 /min"}]})").rates[1].mean() == 0.1);
}

TEST_CASE("reader: inconsistent options are reported at the option that is given") {
  CHECK(reader_refusal("{\"horizon\": 5,\n \"warm_up\": 7}") ==
        "x.json:2:13: /warm_up: expected at most horizon (5 s), found 7 s");
  CHECK(reader_refusal("{\"warm_up\": 70}") ==
        "x.json:1:13: /warm_up: expected at most horizon (10 s), found 70 s");
  CHECK(reader_refusal(R"({"network": {"latency": {"min": "30 ms", "max": "15 ms"}}})") ==
        "x.json:1:49: /network/latency/max: expected at least min (30 ms), found 15 ms");
  CHECK(reader_refusal(R"({"horizon": -1, "warm_up": 70})") ==
        "x.json:1:13: /horizon: expected a value of at least 0 s, found -1");
}

TEST_CASE("reader: options that could not be read are not checked against each other") {
  try {
    study(R"({"horizon": -1, "warm_up": 70})");
    FAIL("accepted");
  } catch (const scenarios::InputError& error) {
    CHECK(error.lines() ==
          std::vector<std::string>{"x.json:1:13: /horizon: expected a value of at least 0 s, found -1"});
  }
}

TEST_CASE("reader: the elements of a given list start from their own defaults") {
  toy::Study s;
  s.owners = {{5, false}};
  const auto d = scenarios::parse(R"({"owners": [{"weight": 1}]})", "x.json");
  scenarios::read(d, d.root, s);
  CHECK(s.owners.at(0).shares);
}

TEST_CASE("reader: all errors are found and reported in the order of the text") {
  const auto d = scenarios::parse("{\"colour\": 1,\n\"oops\": 2,\n\"horizon\": -1,\n\"name\": 4}", "x.json");
  toy::Study s;
  try {
    scenarios::read(d, d.root, s);
    FAIL("accepted");
  } catch (const scenarios::InputError& error) {
    REQUIRE(error.lines().size() == 4);
    CHECK(error.lines()[0].starts_with("x.json:1:12: /colour"));
    CHECK(error.lines()[1].starts_with("x.json:2:1: /oops"));
    CHECK(error.lines()[2].starts_with("x.json:3:12: /horizon"));
    CHECK(error.lines()[3].starts_with("x.json:4:9: /name"));
  }
}

TEST_CASE("reader: errors name the file that a value comes from, or the command line") {
  const test::Scratch dir;
  dir.write("base.json", "{\"network\": {\n  \"loss\": 7}}");
  const std::string file = dir.write("x.json", R"({"extends": "base.json", "network": {"latency": 0}})");
  const auto refused = [&file](std::vector<std::string> sets) {
    return message_of([&] {
      const auto d = scenarios::load(file, sets);
      toy::Study s;
      scenarios::read(d, d.root, s);
    });
  };
  CHECK(refused({}) == dir / "base.json:2:11: /network/loss: expected a value in [0, 1], found 7");
  CHECK(refused({"network.loss=0"}) == "accepted");
  CHECK(refused({"network.loss=-1"}) ==
        "--set network.loss: /network/loss: expected a value in [0, 1], found -1");
  CHECK(refused({"network.loss=0", "privacy.epsilon=1e400"}) ==
        "--set privacy.epsilon: /privacy/epsilon: expected a number, found \"1e400\"");
  CHECK(refused({"network.loss=0", "network.latncy=1 s"}) ==
        "--set network.latncy: /network/latncy: unknown key 'latncy'; did you mean 'latency'?");
  CHECK(refused({"network.loss=0", "network.latency=1 s"}) == "accepted");
}

TEST_CASE("reader: a part of a document is read with its pointer") {
  const auto d = scenarios::parse(R"({"owners": [{"weight": 1}, {"weight": 0}], "e": "15 ms"})", "x.json");
  std::vector<toy::Owner> owners;
  CHECK(message_of([&] { scenarios::read(d, *d.root.find("owners"), owners, {}, "/owners"); }) ==
        "x.json:1:39: /owners/1/weight: expected a value above 0, found 0");
  double seconds = 0;
  scenarios::read(d, *d.root.find("e"), seconds, {}, "/e", {.name = "e", .unit = "s"});
  CHECK(seconds == 0.015);
}
