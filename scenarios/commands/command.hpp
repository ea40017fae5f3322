#pragma once
// The commands of the command line. Each parses its own arguments, prints to standard output and returns an
// exit code.
#include <boost/program_options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/runner/plan.hpp"

namespace hearsay::scenarios {

/// Wrong use of the command line; what() is for the user.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A scenario whose releases can not fit their budget.
struct BudgetRefusal : InputError {
  using InputError::InputError;
};

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name, usage, help;
  int (*run)(const Arguments& arguments);
};

int run_command(const Arguments& arguments);
int validate_command(const Arguments& arguments);
int show_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int list_command(const Arguments& arguments);
int schema_command(const Arguments& arguments);
int privacy_command(const Arguments& arguments);
int export_command(const Arguments& arguments);
int verify_command(const Arguments& arguments);
int diff_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);

/// docs/reference.md.
std::string reference();

/// Options that every command on scenarios has: --set, --data-dir, --allow-path.
struct InputArguments {
  std::vector<std::string> files, sets;
  ReadOptions read{};
};
boost::program_options::options_description input_options();
/// Options of commands that take the sweep: --points, --max-runs.
boost::program_options::options_description sweep_options();
PlanOptions sweep_arguments(const boost::program_options::variables_map& values);
/// Parses `arguments`, prints help and returns false if asked for it. Throws UsageError.
bool parse_arguments(const Arguments& arguments, std::string_view usage,
                     const boost::program_options::options_description& options,
                     boost::program_options::variables_map& values);
/// What input_options() were given; HEARSAY_DATA_DIR counts as a --data-dir.
InputArguments input_arguments(const boost::program_options::variables_map& values);

}  // namespace hearsay::scenarios
