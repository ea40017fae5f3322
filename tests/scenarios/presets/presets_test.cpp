// The networks that scenarios can start from.
#include <fmt/format.h>

#include "scenarios/language/reference/outline.hpp"
#include "scenarios/study/scenario.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;

namespace {

const std::string kPresets = HEARSAY_SOURCE_DIR "/scenarios/presets/";

std::string shown(const std::string& preset, const std::string& what) {
  const test::Scratch dir;
  dir.write("x.json", fmt::format(R"({{"extends": "{}", "protocol": {{"type": "central_async", "rho": 1}},
                 "privacy": {{"mechanism": "none"}}, "stop": {{"iterations": 1}}}})",
                                  kPresets + preset + ".json"));
  const auto outcome = test::shell("hearsay show --allow-path " + kPresets + " " + dir / "x.json");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  const auto line = outcome.out.find("\"" + what + "\"");
  return line == outcome.out.npos ? "" : outcome.out.substr(line);
}

}  // namespace

TEST_CASE("presets: a scenario that extends one of the six networks runs") {
  const std::vector<std::string> names{"flash-crowd", "gossip-extreme", "mobile",
                                       "papers-lan",  "partition-heal", "wan"};
  for (const std::string& name : names) {
    INFO(name);
    const test::Scratch dir;
    dir.write("x.json", fmt::format(R"({{"extends": "{}",
      "data": {{"type": "lending_like", "owners": 6, "records": 50, "features": 2}},
      "protocol": {{"type": "central_async", "rho": 1, "timeout": "30 s", "horizon": 1000}},
      "privacy": {{"mechanism": "none"}}, "stop": {{"time": "150 s"}},
      "record": {{"metrics": ["messages", "messages_lost", "fraction_up"]}}}})",
                                    kPresets + name + ".json"));
    const auto outcome = test::shell(dir, "hearsay run x.json --no-progress --allow-path " + kPresets);
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(std::filesystem::exists(dir / "out"));
  }
}

TEST_CASE("presets: they have the properties in their descriptions") {
  CHECK_THAT(shown("papers-lan", "latency"), Catch::Contains("\"15 ms\""));
  CHECK_THAT(shown("wan", "latency"), Catch::Contains("\"40 ms\"") && Catch::Contains("0.001"));
  CHECK_THAT(shown("mobile", "availability"), Catch::Contains("\"10 min\"") && Catch::Contains("stationary"));
  CHECK_THAT(shown("gossip-extreme", "loss"), Catch::Contains("0.5"));
  // E up/(E up + E down) of lognormal times with one sigma is the medians' share: 90 %.
  CHECK_THAT(shown("gossip-extreme", "availability"),
             Catch::Contains("\"1.5 min\"") && Catch::Contains("\"10 s\""));
  CHECK_THAT(shown("partition-heal", "loss"), Catch::Contains("partition"));
  CHECK_THAT(shown("flash-crowd", "availability"), Catch::Contains("mixture"));
}

TEST_CASE(
    "explain network: every law of links, computing, availability and clocks has an example, and a mean or "
    "share") {
  const scenarios::Outline root = scenarios::outline<scenarios::Scenario>();
  const auto told = test::shell("hearsay explain network").out + test::shell("hearsay explain clocks").out;
  std::size_t laws = 0;
  for (const scenarios::Outline& part : root.members) {
    if (part.name != "network" && part.name != "clocks") continue;
    const std::vector<scenarios::Outline> places = part.name == "clocks" ? std::vector{part} : part.members;
    for (const scenarios::Outline& place : places) {
      if (place.name == "topology") continue;
      for (const scenarios::OutlineAlternative& law : place.alternatives) {
        INFO(place.name << " " << law.name);
        ++laws;
        CHECK_FALSE(law.help.empty());
        CHECK_FALSE(law.example.empty());
        CHECK_THAT(told, Catch::Contains(law.help) && Catch::Contains("example: " + law.example));
      }
    }
  }
  CHECK(laws >= 35);
}
