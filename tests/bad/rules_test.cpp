// Every rule that options state is broken once, and the message is compared. A new option is in the outline, and so is
// tested here; a new check() needs an example in checks.json.
#include "tests/bad/rules.hpp"

#include <filesystem>
#include <map>
#include <regex>

#include "scenarios/commands/command_line.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/language/reference/explain.hpp"
#include "scenarios/study/scenario.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/process.hpp"
#include "tests/support/schema_check.hpp"

using namespace hearsay;
using Json = nlohmann::ordered_json;

namespace {

const char* const kRight = R"({
  "data": {"type": "lending_like", "owners": 3, "records": 100, "features": 2},
  "network": {"topology": "star"},
  "protocol": {"type": "central_async", "rho": 1},
  "privacy": {"mechanism": "laplace", "epsilon": 1},
  "stop": {"iterations": 5}})";

// The message about a scenario, without its position.
template <class Options = scenarios::Scenario>
std::string answer(const Json& scenario, const test::Scratch& dir) {
  const std::string message = test::message_of([&] {
    const auto document = scenarios::parse(scenario.dump(), dir / "x.json");
    Options read;
    scenarios::read(document, document.root, read);
  });
  static const std::regex kPosition("^.*x\\.json:[0-9]+:[0-9]+: ");
  return std::regex_replace(message, kPosition, "", std::regex_constants::format_first_only);
}

// A class of the program with a metric of the name of one of push_sum.
struct OwnMetrics final : models::MetricsCode {
  OwnMetrics() { metrics.push_back({.name = "held_weight", .help = ""}); }
  std::shared_ptr<const models::Probe> make(const std::vector<sim::CodeValue>&) const override { return {}; }
};

std::vector<test::BrokenRule> rules() {
  return test::broken_rules(scenarios::outline<scenarios::Scenario>(), Json::parse(kRight));
}

}  // namespace

TEST_CASE("bad: the scenario that is broken below is valid") {
  const test::Scratch dir;
  CHECK(answer(Json::parse(kRight), dir) == "accepted");
}

TEST_CASE("bad: whether listed texts are one number depends on the decimal mark") {
  const test::Scratch dir;
  dir.write("data.csv", "x;y\n1.5;0\n1.50;1\n");
  Json scenario = Json::parse(kRight);
  const auto with = [&](const char* mark, const char* list) {
    scenario["data"] = Json::parse(R"({"type": "csv", "path": "data.csv", "target": "y"})");
    scenario["data"]["decimal"] = mark;
    scenario["data"].update(Json::parse(list));
    return answer(scenario, dir);
  };
  constexpr const char* kPoints = R"({"categories": [{"column": "x", "values": ["1.5", "1.50", "2,5"]}]})";
  CHECK(with(",", kPoints) == "accepted");
  CHECK(with(".", kPoints) == "/data/categories/0/values/1: expected different values, found '1.50' twice");
  constexpr const char* kCommas = R"({"classes": ["2,5", "1,5", "1,50"]})";
  CHECK(with(".", kCommas) == "accepted");
  CHECK(with(",", kCommas) == "/data/classes/2: expected different classes, found '1,50' twice");
  CHECK(with(",", R"({"classes": {"values": ["2,5", "1,5", "1,50"]}})") ==
        "/data/classes/values/2: expected different classes, found '1,50' twice");
}

TEST_CASE("bad: every violated range, type, unit and required option is refused with the expected message") {
  const test::Scratch dir;
  dir.write("data.csv", "x,y\n1,2\n");
  const auto all = rules();
  CHECK(all.size() > 150);
  for (const test::BrokenRule& rule : all) {
    const std::string got = answer(rule.scenario, dir);
    INFO(rule.scenario.dump());
    // Messages on units, unknown keys and objects go on with lists and examples, which are not repeated here.
    const bool exact = rule.message.find("furlong") == std::string::npos &&
                       rule.message.find("no_such") == std::string::npos && !rule.message.ends_with("{") &&
                       !rule.message.ends_with("expected ");
    if (exact) {
      CHECK(got == rule.message);
    } else {
      const std::size_t colon = rule.message.find(": ");
      CHECK_THAT(got, Catch::StartsWith(rule.message.substr(0, colon)) &&
                          Catch::Contains(rule.message.substr(colon + 2)));
    }
    CHECK(got.find('\n') == std::string::npos);
  }
}

TEST_CASE("bad: the JSON Schema refuses all rules that it can check") {
  std::vector<std::string> invalid;
  for (const auto& rule : rules()) {
    if (rule.schema_sees_it) invalid.push_back(rule.scenario.dump());
  }
  const auto schema = scenarios::json_schema(scenarios::outline<scenarios::Scenario>());
  test::check_schema(schema.dump(), {Json::parse(kRight).dump()}, invalid);
}

TEST_CASE("bad: every check() of options has an example that violates it, with its message") {
  const test::Scratch dir;
  dir.write("data.csv", "x,y\n1,2\n");
  scenarios::add_python([](const sim::CodePlace&, sim::CodeKind kind) -> std::shared_ptr<const sim::Code> {
    if (kind == sim::CodeKind::kMetrics) return std::make_shared<OwnMetrics>();
    throw std::runtime_error("there is no such class");
  });
  const Json examples = Json::parse(test::text_of(HEARSAY_SOURCE_DIR "/tests/bad/checks.json"));
  std::map<std::string, std::size_t> shown;
  for (const Json& example : examples) {
    ++shown[example.at("source").get<std::string>()];
    Json scenario = Json::parse(kRight);
    for (const auto& [part, change] : example.at("change").items()) {
      const bool other_type = change.contains("type") && scenario.contains(part) &&
                              scenario[part].value("type", "") != change["type"];
      if (other_type || !scenario.contains(part)) scenario[part] = Json::object();
      scenario[part].merge_patch(change);
    }
    INFO(scenario.dump());
    CHECK(answer(scenario, dir) == example.at("message").get<std::string>());
  }
  std::map<std::string, std::size_t> made;
  const std::regex check(R"(\bv\.check\()");
  for (const char* layer : {"sim", "models", "analysis", "scenarios"}) {
    const std::filesystem::path root = HEARSAY_SOURCE_DIR;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / layer)) {
      const auto name = std::filesystem::relative(entry.path(), root).string();
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      if (name.find("/example/") != std::string::npos) continue;
      const std::string text = test::text_of(entry.path().string());
      const auto count = std::distance(std::sregex_iterator(text.begin(), text.end(), check), {});
      if (count > 0) made[name] = static_cast<std::size_t>(count);
    }
  }
  CHECK(shown == made);
}
