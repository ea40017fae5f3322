#include "scenarios/language/reference/writer.hpp"

#include <catch2/catch.hpp>

#include "scenarios/language/reader.hpp"
#include "tests/support/toy.hpp"

using namespace hearsay;
using Json = nlohmann::ordered_json;

namespace {

toy::Study read_back(const Json& json) {
  const auto document = scenarios::parse(json.dump(), "x.json");
  toy::Study study;
  scenarios::read(document, document.root, study);
  return study;
}

toy::Study unusual() {
  toy::Study s;
  s.name = std::string("n");
  s.seed = 9007199254740992;
  s.network.topology = toy::Named{"w", toy::Colour::kBlue};
  s.network.latency = sim::Distribution(sim::Lognormal{0.1, 1.0 / 3});
  s.network.bandwidth = 1.25e6;
  s.horizon = 0.1 + 0.2;
  s.bytes = 2000;
  s.owners = {{2, false}, {1, true}};
  s.metrics = {};
  s.rates = {sim::Distribution(5.0), sim::Distribution(sim::Uniform{0, 1})};
  s.hub = toy::Owner{1, true};
  return s;
}

std::string all(const toy::Study& s) {
  return scenarios::write_all(s, scenarios::Numbers::kBare).dump();
}

}  // namespace

TEST_CASE("writer: all three forms read back as the same options") {
  for (const toy::Study& s : {toy::Study{}, unusual()}) {
    CHECK(all(read_back(scenarios::write_all(s))) == all(s));
    CHECK(all(read_back(scenarios::write_all(s, scenarios::Numbers::kBare))) == all(s));
    CHECK(all(read_back(scenarios::write_changes(s))) == all(s));
  }
  const toy::Study s = read_back(scenarios::write_changes(unusual()));
  CHECK(s.seed == 9007199254740992u);
  CHECK(std::get<toy::Named>(s.network.topology).colour == toy::Colour::kBlue);
  CHECK(std::get<sim::Lognormal>(s.network.latency.law()).sigma == 1.0 / 3);
  CHECK(s.network.bandwidth == 1.25e6);
  CHECK(s.horizon == 0.1 + 0.2);
  CHECK(s.owners.at(0).weight == 2);
  CHECK_FALSE(s.owners.at(0).shares);
  CHECK(s.metrics.empty());
  CHECK(std::get<sim::Uniform>(s.rates.at(1).law()).max == 1);
  CHECK(s.hub->weight == 1);
}

TEST_CASE("writer: all options are shown, with readable units") {
  const Json expected = Json::parse(R"({
    "name": "", "seed": 1,
    "network": {"topology": {"type": "star", "points": 7},
                "latency": {"type": "uniform", "min": "0 s", "max": "15 ms"}, "bandwidth": null, "loss": 0},
    "privacy": {"epsilon": 1}, "colour": "red", "horizon": "10 s", "warm_up": "0 s", "bytes": "0 B", "small": 0,
    "owners": [], "metrics": ["objective"], "rates": ["5 /s"], "hub": null, "data": null})");
  toy::Study s;
  s.rates = {sim::Distribution(5.0)};
  CHECK(scenarios::write_all(s) == expected);
}

TEST_CASE("writer: changes are the options that differ from the default, required ones, and changed types") {
  CHECK(scenarios::write_changes(toy::Study{}) == Json::object());
  toy::Study s;
  s.horizon = 20;
  s.network.topology = toy::Star{5};
  CHECK(scenarios::write_changes(s) ==
        Json::parse(R"({"network": {"topology": {"type": "star", "points": 5}}, "horizon": 20})"));
  s = {};
  s.network.topology = toy::Named{"none", toy::Colour::kRed};
  CHECK(scenarios::write_changes(s) ==
        Json::parse(R"({"network": {"topology": {"type": "named", "colour": "red"}}})"));
  s = {};
  s.network.latency = sim::Distribution(0.0);
  CHECK(scenarios::write_changes(s) ==
        Json::parse(R"({"network": {"latency": {"type": "constant", "value": 0}}})"));
  s = {};
  s.network.latency = sim::Distribution(sim::Uniform{0.001, 0.015});
  CHECK(scenarios::write_changes(s) ==
        Json::parse(R"({"network": {"latency": {"type": "uniform", "min": 0.001, "max": 0.015}}})"));
  s = {};
  s.owners = {{1, true}, {2, false}};
  CHECK(scenarios::write_changes(s) ==
        Json::parse(R"({"owners": [{"weight": 1}, {"weight": 2, "shares": false}]})"));
  s = {};
  s.hub = toy::Owner{};
  CHECK(scenarios::write_changes(s) == Json::parse(R"({"hub": {"weight": 1}})"));
}

TEST_CASE("writer: the canonical text does not depend on the order and form of the input") {
  const auto text = [](const std::string& scenario) {
    const auto document = scenarios::parse(scenario, "x.json");
    toy::Study study;
    scenarios::read(document, document.root, study);
    return scenarios::canonical(scenarios::write_changes(study));
  };
  CHECK(text(R"({"seed": 7, "network": {"loss": 0.1, "latency": "15 ms"}, "colour": "red"})") ==
        R"({"network":{"latency":{"type":"constant","value":0.015},"loss":0.1},"seed":7})");
  CHECK(text(R"({"network": {"latency": {"value": 15e-3}, "loss": 1e-1}, "seed": 7.0})") ==
        R"({"network":{"latency":{"type":"constant","value":0.015},"loss":0.1},"seed":7})");
}
