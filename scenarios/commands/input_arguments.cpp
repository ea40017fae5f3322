#include "scenarios/commands/input_arguments.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "scenarios/language/input_error.hpp"
#include "scenarios/runner/plan.hpp"

namespace hearsay::scenarios {

namespace {

void add_folders(const Parsed& parsed, const char* option, std::vector<std::filesystem::path>& folders) {
  std::error_code error;
  for (const std::string& folder : parsed.all(option)) {
    if (!std::filesystem::is_directory(folder, error))
      throw UsageError(fmt::format("--{}: expected a folder, found '{}'", option, printable(folder)));
    folders.emplace_back(folder);
  }
}

}  // namespace

Options with_input_options(Options options) {
  options.insert(
      options.end(),
      {{"set", "PATH=VALUE", "set an option of the scenario (repeatable)", nullptr, true},
       {"data-dir", "DIR", "folder of data files (repeatable; also HEARSAY_DATA_DIR)", nullptr, true},
       {"allow-path", "DIR", "further folder that a scenario may read from (repeatable)", nullptr, true}});
  return options;
}

Options with_sweep_options(Options options) {
  options.insert(options.end(), {{"points", "EXPR",
                                  "run only points that satisfy this condition, e.g. privacy.epsilon >= 1"},
                                 {"max-runs", "N", "refuse studies with more runs", "1e6"}});
  return options;
}

PlanOptions sweep_arguments(const Parsed& parsed) {
  return {.points = parsed.text("points"), .max_runs = parsed.number("max-runs").value()};
}

InputArguments input_arguments(const Parsed& parsed) {
  InputArguments input{.files = parsed.operands, .sets = parsed.all("set")};
  add_folders(parsed, "data-dir", input.read.data_dirs);
  if (const char* dir = std::getenv("HEARSAY_DATA_DIR"); dir != nullptr && *dir != '\0')
    input.read.data_dirs.emplace_back(dir);
  add_folders(parsed, "allow-path", input.read.allow_paths);
  return input;
}

}  // namespace hearsay::scenarios
