#include "scenarios/language/reference/explain.hpp"

#include <catch2/catch.hpp>

#include "scenarios/study/scenario.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/toy.hpp"

using namespace hearsay;

namespace {

struct Once {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp = "Once.";
  void describe(sim::Visitor&) {}
};
struct Twice {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp = "Twice.";
  void describe(sim::Visitor&) {}
};
struct Alike {
  std::variant<toy::Star, Once> first, third;
  std::variant<toy::Star, Twice> second;
  void describe(sim::Visitor& v) {
    v(first, {.name = "first"});
    v(second, {.name = "second"});
    v(third, {.name = "third"});
  }
};

std::string explained(const std::string& path) {
  return scenarios::explain(scenarios::outline<toy::Study>(), path);
}

}  // namespace

TEST_CASE("explain: an option is described with type, unit, default, range, meaning and source") {
  CHECK(explained("network.bandwidth") ==
        "network.bandwidth\n"
        "  type      number, or none\n"
        "  unit      B/s, or text such as \"10 Mbit/s\"\n"
        "  default   none\n"
        "  range     above 0 B/s\n"
        "  meaning   Of a link.\n");
  CHECK(explained("network.loss") ==
        "network.loss\n"
        "  type      number\n"
        "  default   0\n"
        "  range     in [0, 1]\n"
        "  meaning   Share of messages lost.\n"
        "  source    Bertsekas 1989, eq. 7\n");
  CHECK(explained("colour") ==
        "colour\n"
        "  type      one of red, green, blue\n"
        "  default   red\n"
        "    red: Like fire.\n"
        "    green: Like grass.\n"
        "    blue\n");
}

TEST_CASE("explain: every alternative of an option is described") {
  CHECK(explained("network.topology") ==
        "network.topology\n"
        "  type      one of star, blocks, named\n"
        "  default   {\"type\":\"star\",\"points\":7}\n"
        "  meaning   Who can talk to whom.\n"
        "    star: All around one.\n"
        "      points  How many. (whole number, at least 1, default 7)\n"
        "    blocks A bare list is its sizes.\n"
        "      sizes  Size of each. (list, each whole number, at least 1, required)\n"
        "    named: By a word. A bare text is its word.\n"
        "      word    The word. (text, default \"none\")\n"
        "      colour  Its colour. (one of red, green, blue, default green)\n");
  CHECK(
      explained("network.latency.lognormal").find("median  Median. (number in s, at least 0 s, required)") !=
      std::string::npos);
}

TEST_CASE("explain: a path can skip the alternative and passes through lists") {
  const std::string min = explained("network.latency.min");
  CHECK(min.find("network.latency.uniform.min\n") == 0);
  CHECK(min.find("\nnetwork.latency.pareto.min\n") != std::string::npos);
  CHECK(explained("owners.weight").find("owners.0.weight\n") == 0);
  CHECK(explained("owners.0.weight") == explained("owners.weight"));
}

TEST_CASE("explain: an unknown path is answered with the nearest") {
  const auto refusal = [](const std::string& path) { return test::message_of([&] { explained(path); }); };
  CHECK(refusal("netwrk.loss") == "explain netwrk.loss: unknown key 'netwrk'; did you mean 'network'?");
  CHECK(refusal("network.latency.lognorml") ==
        "explain network.latency.lognorml: unknown key 'lognorml'; did you mean "
        "'lognormal'?");
  CHECK(refusal("horizon.x") == "explain horizon.x: unknown key 'x'; this option has no members");
  CHECK(refusal("network.zzzzz")
            .ends_with("unknown key 'zzzzz'; known keys: topology, latency, bandwidth, loss"));
}

TEST_CASE("explain: a key can have dots in it") {
  const auto explained_scenario = [](const char* path) {
    return scenarios::explain(scenarios::outline<scenarios::Scenario>(), path);
  };
  const std::string latency = explained_scenario("events.0.set.network.latency");
  CHECK(latency.find("events.0.set.set.network.latency\n") == 0);
  CHECK(latency.find("  meaning   Latency from then on.\n") != std::string::npos);
  CHECK(explained_scenario("events.set.network.latency.uniform.max").find("  meaning   Maximum.\n") !=
        std::string::npos);
  CHECK(
      test::message_of([&] { explained_scenario("events.0.set.network.latancy"); }) ==
      "explain events.0.set.network.latancy: unknown key 'network.latancy'; did you mean 'network.latency'?");
}

TEST_CASE("reference page: has a row for every option") {
  const std::string page = scenarios::reference_page(scenarios::outline<toy::Study>());
  for (const char* option : {"name", "points", "max", "bandwidth", "weight", "shares", "data", "rates"}) {
    INFO(option);
    CHECK(page.find(std::string("| `") + option + "` |") != std::string::npos);
  }
  CHECK(
      page.find("| `loss` | number | `0` | in [0, 1] | Share of messages lost. *Bertsekas 1989, eq. 7* |") !=
      std::string::npos);
}

TEST_CASE("reference page: refers to an earlier alternative only if its meaning is the same too") {
  const std::string page = scenarios::reference_page(scenarios::outline<Alike>());
  CHECK_THAT(page, Catch::Contains("### `first.auto`\n\nOnce.\n") &&
                       Catch::Contains("### `second.auto`\n\nTwice.\n") &&
                       Catch::Contains("### `third.auto`\n\nAs `first.auto`.\n") &&
                       Catch::Contains("### `second.star`\n\nAs `first.star`.\n"));
}
