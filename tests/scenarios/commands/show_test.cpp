// `show` prints a scenario that means the same.
#include <cstdlib>
#include <filesystem>

#include "scenarios/language/input_error.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/scenario.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using test::kScenarios;

namespace {

// The text that `show` prints of a plan is read again beside the scenario's files.
void check_read_back(const scenarios::Plan& plan, const scenarios::Folders& folders) {
  const test::Scratch dir;
  const scenarios::Plan again = scenarios::make_plan(dir.write("shown.json", plan.resolved), {}, folders);
  CHECK(again.resolved == plan.resolved);
  CHECK(again.axes == plan.axes);
  CHECK(again.groups == plan.groups);
  CHECK(again.shown == plan.shown);
  CHECK(again.record_key == plan.record_key);
  REQUIRE(again.points.size() == plan.points.size());
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    INFO("point " << p);
    CHECK(again.points[p].key == plan.points[p].key);
    CHECK(again.points[p].labels == plan.points[p].labels);
    CHECK(again.points[p].repeat == plan.points[p].repeat);
  }
}

}  // namespace

TEST_CASE("show: every shipped scenario is read back as the same points") {
  std::size_t found = 0, tried = 0, without_data = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kScenarios)) {
    const std::filesystem::path& file = entry.path();
    const bool preset = file.parent_path().filename() == "presets";  // most are parts of scenarios
    if (file.extension() != ".json" || file.string().ends_with(".schema.json") || preset) continue;
    if (found++ % test::kOneOf != 0) continue;
    INFO(file);
    scenarios::Folders folders{file.parent_path()};
    if (const char* data = std::getenv("HEARSAY_DATA_DIR"); data != nullptr && *data != '\0')
      folders.emplace_back(data);
    try {
      const scenarios::Plan plan = scenarios::make_plan(file.string(), {}, folders);
      check_read_back(plan, folders);
      ++tried;
    } catch (const scenarios::InputError& error) {
      CHECK_THAT(error.what(), Catch::Contains("\" not found in "));  // data that hearsay does not have
      ++without_data;
    }
  }
  CHECK(tried > 80 / test::kOneOf);
  CHECK(without_data < 25);
}

TEST_CASE("show: a part of a value that has a short form can be swept") {
  const test::Scratch dir;
  const auto shown = [&](const std::string& changes) {
    const std::string file = dir.write("s.json", test::small_scenario(changes));
    const scenarios::Plan plan = scenarios::make_plan(file, {}, {});
    check_read_back(plan, {});
    return plan.resolved;
  };
  const std::string law = R"("clocks": {"type": "periodic", "period": {"type": "constant", "value": 2}})";
  CHECK_THAT(shown(law), Catch::Contains(R"("period": "2 s")"));
  CHECK_THAT(shown(law + R"(, "sweep": {"clocks.period.value": [1, 2]})"),
             Catch::Contains(R"("type": "constant")") && Catch::Contains(R"("value": "1 s")"));
  // Numbers of axes stay as they are written, since they name the points.
  CHECK_THAT(shown(R"("sweep": {"privacy.epsilon": [1e-3, 1.50, 2E2]})"),
             Catch::Contains("1e-3,") && Catch::Contains("1.50,") && Catch::Contains("2E2\n"));
}

TEST_CASE("show: states that are never kept, by null, are shown and read back so") {
  const test::Scratch dir;
  const std::string never = R"("snapshot": null)";
  const auto shown = [&](const std::string& scenario, const std::vector<std::string>& sets = {}) {
    const scenarios::Plan plan = scenarios::make_plan(dir.write("s.json", scenario), sets, {});
    CHECK(plan.points[0].scenario->record.snapshot.has_value() ==
          (plan.resolved.find(never) == plan.resolved.npos));
    check_read_back(plan, {});
    return plan.resolved;
  };
  const auto extending = [](const std::string& base, const std::string& snapshot) {
    return R"({"extends": ")" + base + R"(", "record": {"snapshot": )" + snapshot + "}}";
  };
  dir.write("base.json", test::small_scenario());
  dir.write("often.json", extending("base.json", R"({"iterations": 100})"));
  dir.write("never.json", extending("base.json", "null"));
  CHECK_THAT(shown(R"({"extends": "never.json"})"), Catch::Contains(never));
  CHECK_THAT(shown(extending("often.json", "null")), Catch::Contains(never));
  CHECK_THAT(shown(test::small_scenario(), {"record.snapshot=null"}), Catch::Contains(never));
  CHECK_THAT(shown(extending("never.json", R"({"iterations": 7})")), Catch::Contains(R"("iterations": 7)"));
  CHECK_THAT(shown(test::small_scenario()), !Catch::Contains(never));
}

TEST_CASE("show: with independent random numbers the seed is the one that is written") {
  const test::Scratch dir;
  const std::string file = dir.write("s.json", test::small_scenario(R"("seed": 7,
    "sweep": {"privacy.epsilon": [1, 2], "random_numbers": "independent"})"));
  const scenarios::Plan plan = scenarios::make_plan(file, {}, {});
  CHECK_THAT(plan.resolved, Catch::Contains("\"seed\": 7,\n"));
  check_read_back(plan, {});  // the same keys, and so the same runs
  test::ended_with(dir, "run s.json --no-progress -o out");
  CHECK_THAT(test::text_of(dir / "out/manifest.json"), Catch::Contains("\"seed\": 7,\n  \"points\": 2"));
}

TEST_CASE("show: a type replaces an object of the default type") {
  const test::Scratch dir;
  const std::string periodic = R"("clocks": {"type": "periodic", "period": "1 s"})";
  const auto key = [](const std::string& file) { return scenarios::make_plan(file, {}, {}).points[0].key; };
  const std::string plain = key(dir.write("plain.json", test::small_scenario(periodic)));
  for (const char* base :
       {R"({"missed": "defer"})", R"({"rate": 2})", R"({"type": "poisson", "missed": "defer"})"}) {
    INFO(base);
    dir.write("base.json", test::small_scenario(R"("clocks": )" + std::string(base)));
    CHECK(key(dir.write("s.json", R"({"extends": "base.json", )" + periodic + "}")) == plain);
  }
}

TEST_CASE("show: a type keeps options that only it has, and those set in the same command") {
  const test::Scratch dir;
  dir.write("base.json", test::small_scenario(R"("clocks": {"jitter": "10 ms"})"));
  dir.write("s.json", R"({"extends": "base.json", "clocks": {"type": "periodic", "period": "1 s"}})");
  const auto shows = [&](const std::string& words, const std::string& text) {
    INFO(words);
    CHECK_THAT(test::ended_with(dir, "show " + words).out, Catch::Contains(text));
  };
  shows("s.json", R"("jitter": "10 ms")");
  shows("base.json --set clocks.type=periodic", R"("jitter": "10 ms")");
  const std::string time = "s.json --set network.compute_time.";
  shows(
      time + "drawn=per_agent --set network.compute_time.type=exponential --set network.compute_time.mean=1",
      R"("drawn": "per_agent")");
  dir.write("plain.json", test::small_scenario());
  CHECK_THAT(test::ended_with(dir, "show plain.json --set clocks.rate=2 --set clocks.type=periodic", 2).err,
             Catch::Contains("unknown key 'rate' of 'periodic'"));
}
