// `show` prints a scenario that means the same.
#include <cstdlib>
#include <filesystem>

#include "scenarios/language/input_error.hpp"
#include "scenarios/study/plan.hpp"
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
