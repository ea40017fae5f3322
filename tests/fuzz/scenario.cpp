// Scenarios, as `validate` and `show` read them. Parts of an input are separated by lines of %%: the scenario, the file
// base.json that it may extend, the values of --set (one a line), a condition for --points.
#include <tuple>

#include "scenarios/language/input_error.hpp"
#include "scenarios/runner/errors.hpp"
#include "scenarios/runner/plan.hpp"
#include "tests/fuzz/commands.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write("data.csv", "owner,a,y\n1,0.5,1\n1,2,0\n2,1,1\n");
  fuzz::write("graph.csv", "0,1,1\n1,2,1\n0,2,2\n");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kNext = "\n%%\n";
  const auto [scenario, after] = fuzz::split(fuzz::text_of(data, size), kNext);
  const auto [base, settings] = fuzz::split(after, kNext);
  std::string_view lines, condition;
  std::tie(lines, condition) = fuzz::split(settings, kNext);
  fuzz::write("scenario.json", scenario);
  fuzz::write("base.json", base);
  const std::string file = fuzz::folder() / "scenario.json";
  const scenarios::PlanOptions options{.points = std::string(condition), .max_runs = 12};
  std::vector<std::string> sets;
  while (!lines.empty()) {
    const auto [line, rest] = fuzz::split(lines, "\n");
    sets.emplace_back(line);
    lines = rest;
  }
  fuzz::accepted<scenarios::InputError, scenarios::RefusedError, scenarios::UsageError>([&] {
    const scenarios::Plan plan = scenarios::make_plan(file, sets, {}, options);
    scenarios::Arguments words{file, "--max-runs=12", "--points=" + options.points};
    for (const std::string& set : sets) words.push_back("--set=" + set);
    scenarios::validate_command(words);
    if (!condition.empty()) return;  // what `show` prints has no condition
    fuzz::write("shown.json", plan.resolved);
    const scenarios::Plan again = scenarios::make_plan(fuzz::folder() / "shown.json", {}, {});
    fuzz::require(again.resolved == plan.resolved, "what is shown can be read back");
  });
  return 0;
}
