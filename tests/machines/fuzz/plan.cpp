// Scenarios, as `validate` and `show` read them, from files.
#include "scenarios/study/plan.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/study/errors.hpp"
#include "tests/machines/fuzz/commands.hpp"
#include "tests/machines/fuzz/scenario_parts.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write("data.csv", "owner,a,y\n1,0.5,1\n1,2,0\n2,1,1\n");
  fuzz::write("graph.csv", "0,1,1\n1,2,1\n0,2,2\n");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ScenarioParts input(fuzz::text_of(data, size));
  fuzz::write("scenario.json", input.scenario);
  fuzz::write("base.json", input.base);
  const std::string file = fuzz::folder() / "scenario.json";
  const scenarios::PlanOptions options{.points = input.condition, .max_runs = 12};
  fuzz::accepted<sim::Error>([&] {
    const scenarios::Plan plan = scenarios::make_plan(file, input.sets, {}, options);
    scenarios::Arguments words{file, "--max-runs=12", "--points=" + options.points};
    for (const std::string& set : input.sets) words.push_back("--set=" + set);
    scenarios::validate_command(words);
    if (!input.condition.empty()) return;  // what `show` prints has no condition
    fuzz::write("shown.json", plan.resolved);
    const scenarios::Plan again = scenarios::make_plan(fuzz::folder() / "shown.json", {}, {});
    fuzz::require(again.resolved == plan.resolved, "what is shown can be read back");
  });
  return 0;
}
