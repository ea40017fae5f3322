// Messages that name what was probably meant.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "analysis/metrics/metric.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/study/scenario.hpp"
#include "tests/support/input_message.hpp"

using namespace hearsay;

namespace {

std::string about_text(const std::string& text) {
  return test::message_of([&] {
    const auto document = scenarios::parse(text, "x.json");
    scenarios::Scenario scenario;
    scenarios::read(document, document.root, scenario);
  });
}

// The first message about a valid scenario with another part, without its position.
std::string about(const std::string& part) {
  const std::string message = about_text(
      "{\"protocol\": {\"type\": \"central_async\", \"rho\": 1},\n"
      "\"privacy\": {\"mechanism\": \"none\"}, \"stop\": {\"iterations\": 5},\n" +
      part + "}");
  const auto at = message.find(": /");
  return at == std::string::npos ? message : message.substr(at + 2);
}

std::string about_event(const std::string& effect) {
  return about(R"("events": [{"at": 1, )" + effect + "}]");
}

std::string about_metric(const std::string& name) {
  return about(fmt::format(R"("record": {{"metrics": ["objective", "{}"]}})", name));
}

}  // namespace

TEST_CASE("bad: of many names, the nearest are named, and how to list all") {
  const std::string many =
      fmt::format("/record/metrics/1: expected one of {} names, found ", analysis::metrics().size());
  const std::string all = " For all names run `hearsay explain record.metrics`";
  CHECK(about_metric("distence") == many + "\"distence\"; did you mean 'distance'?" + all);
  CHECK(about_metric("xx") == many + "\"xx\"; for all names run `hearsay explain record.metrics`");
  CHECK(about_metric("accuracy.mean") ==
        many +
            "\"accuracy.mean\": 'accuracy' has no '.mean'; did you mean "
            "'accuracy', 'accuracy_by_owner.mean' or 'accuracy_on_owner.mean'?" +
            all);
  CHECK(about_metric("own_test_error.mean") ==
        many +
            "\"own_test_error.mean\": 'own_test_error' has no '.mean'; did you mean 'own_test_error', "
            "'test_error_by_owner.mean' or 'test_error_on_owner.mean'?" +
            all);
  CHECK(about_metric("test_error_by_owner.q5") ==
        many +
            "\"test_error_by_owner.q5\": 'test_error_by_owner' has no '.q5'; did you mean "
            "'test_error_by_owner.q1', 'test_error_by_owner.q2' or 'test_error_by_owner.q3'?" +
            all);
  CHECK_THAT(about_metric("test_error.mean"),
             Catch::Contains(
                 "did you mean 'test_error', 'test_error_by_owner.mean' or 'test_error_on_owner.mean'?"));
  CHECK(about_metric("test_error_by_owner.q1") == "accepted");
}

TEST_CASE("bad: a number without a unit says so, with its range") {
  CHECK(about(R"("network": {"loss": "5 %"})") ==
        "/network/loss: expected a number in [0, 1], without a unit, found \"5 %\"");
  CHECK(about(R"("network": {"topology": {"type": "random_geometric", "radius": "250 m"}})") ==
        "/network/topology/radius: expected a number above 0, without a unit, found \"250 m\"");
  CHECK(about(R"("seed": "3")") ==
        "/seed: expected a whole number of at least 0, without quotes, found \"3\"");
}

TEST_CASE("bad: agents of a network without names are given by number") {
  const std::string wanted =
      ": expected the number of an agent, because the network's graph has no names, found 'Ada'";
  CHECK(about_event(R"("crash": [1, "Ada"])") == "/events/0/crash/1" + wanted);
  CHECK(about(R"("record": {"trace": {"agent": "Ada"}})") == "/record/trace/agent" + wanted);
  CHECK(about(R"("network": {"compute_time": {"default": 1, "agents": {"Ada": 2}}})") ==
        "/network/compute_time/agents/Ada" + wanted);
  CHECK(about(R"("network": {"compute_time": {"default": 1, "agents": {"03": 2}}})") ==
        "/network/compute_time/agents/03: expected the number or name of an agent as key, found '03'");
}

TEST_CASE("bad: an alternative is recognised by a key that is misspelt, and has one such key") {
  CHECK(about_event(R"("crsh": [1])") ==
        "/events/0/crsh: unknown key 'crsh' of 'crash'; did you mean 'crash'?");
  CHECK(about_event(R"("name": "x")") ==
        "/events/0: expected an object with one of the keys crash, partition, join, leave, set, found an "
        "object with "
        "the keys at, name");
  CHECK(about_event(R"("crash": [1], "leave": [2])") ==
        "/events/0/leave: give only one of 'crash' and 'leave'");
  CHECK(about(R"("network": {"compute_time": {"default": 1, "agent": {"1": 2}}})") ==
        "/network/compute_time/agent: unknown key 'agent' of 'by_agent'; did you mean 'agents'?");
  // A key of the usual alternative is never taken for one of another.
  CHECK(about(R"("network": {"compute_time": {"value": 1, "drawn": "per_agent"}})") == "accepted");
}

TEST_CASE("bad: a list in place of one number, and an element of a list that is not there") {
  CHECK(about(R"("network": {"bandwidth": [1, 2]})") ==
        "/network/bandwidth: expected a number or one of unlimited, up_down, or for one value per agent "
        "{\"rate\": [...]}, found a list of 2");
  CHECK(about(R"("network": {"bandwidth": {"rate": [1, 2]}})") == "accepted");
  CHECK(about(R"("events": {"0": {"at": 1}})") ==
        "/events: expected a list, found an object: there is no element 0 to set or sweep");
}

TEST_CASE("bad: what is wrong with an analysis names the element") {
  CHECK(about(R"("analysis": {"slopes": [{"over": "seed"}, {"of": "objektive", "over": "seed"}]})") ==
        "/analysis/slopes/1/of: expected one of record.metrics (relative_fitness, objective), found "
        "\"objektive\"; did "
        "you mean 'objective'?");
  CHECK(about(R"("analysis": {"gains": ["relative_fitness", "objective"]}, "baselines": ["isolated"])") ==
        "/analysis/gains/1: expected one of relative_fitness, test_error, test_error_by_owner, found "
        "\"objective\"");
}

TEST_CASE("bad: quotes, commas and literals that are not JSON") {
  CHECK(about_text("{\"name\": \"abc,\n \"seed\": 1}") ==
        "x.json:1:10: /name: the closing quote is missing on this line");
  CHECK(about_text("{\"seed\": 1,, \"repeat\": 2}") == "x.json:1:12: remove the second of two commas");
  CHECK(about_text("{\"seed\": 1,\n, \"repeat\": 2}") == "x.json:2:1: remove the second of two commas");
  CHECK(about_text("{\"baselines\": [,]}") == "x.json:1:16: /baselines/0: remove the comma after '['");
  CHECK(about_text("{, \"seed\": 1}") == "x.json:1:2: remove the comma after '{'");
  CHECK(about_text("{\"seed\": 1,}") == "x.json:1:11: remove the trailing comma before '}'");
  CHECK(about_text("{\"seed\": True}") == "x.json:1:10: /seed: expected a value, found True; write true");
}
