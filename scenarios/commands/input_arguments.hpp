#pragma once
// Options of commands that read scenarios.
#include "scenarios/commands/arguments.hpp"
#include "scenarios/language/read_options.hpp"

namespace hearsay::scenarios {

/// --set, --data-dir, --allow-path.
Options with_input_options(Options options);

struct InputArguments {
  std::vector<std::string> files, sets;
  ReadOptions read{};
};
/// Their values; HEARSAY_DATA_DIR counts as a --data-dir. Throws UsageError.
InputArguments input_arguments(const Parsed& parsed);

/// --points, --max-runs, and their values.
Options with_sweep_options(Options options);
struct PlanOptions;
PlanOptions sweep_arguments(const Parsed& parsed);

}  // namespace hearsay::scenarios
