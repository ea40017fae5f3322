#pragma once
// The commands of the command line. Each parses its own arguments, prints to standard output and returns an
// exit code.
#include "analysis/results/store/stored_study.hpp"
#include "scenarios/commands/arguments.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/language/input_error.hpp"

namespace hearsay::scenarios {

/// A scenario whose releases cannot fit their budget.
struct BudgetRefusal : InputError {
  using InputError::InputError;
};

struct Command {
  std::string_view name, usage, help;
  int (*run)(const Arguments& arguments);
};

/// Says on standard error which runs were left out because they are damaged. Returns kExitOutput if there are any,
/// else `code`.
int without_damaged(analysis::StoredStudy& study, int code);

int run_command(const Arguments& arguments);
int merge_command(const Arguments& arguments);
int status_command(const Arguments& arguments);
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
int forecast_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int figures_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);

}  // namespace hearsay::scenarios
