#pragma once
// The commands of the command line. Each parses its own arguments, prints to standard output and returns an
// exit code.
#include <span>
#include <string>
#include <string_view>

#include "analysis/store/stored_study.hpp"
#include "scenarios/commands/arguments.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/language/input_error.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

struct Command {
  std::string_view name, usage, help;
  int (*run)(const Arguments& arguments);
};

/// What a command ends with after an error.
int exit_code(sim::Error::Kind kind);

/// All commands, in the order of the help.
std::span<const Command> commands();

/// Throws UsageError with the nearest name.
const Command& command_named(const std::string& name);

/// Prints the commands.
void print_commands();

/// The manual page, in roff.
std::string manual_page();

/// A script that completes command lines in bash. It asks the program what can follow.
std::string_view completion_script();

/// What can follow: candidates for the last of the words after the program's name. bash splits words at "=" and ":",
/// and a candidate replaces the last piece. ":files", ":folders" and ":scenarios" stand for names of files.
Names complete(const Arguments& words);

/// The study in a folder, as it is in this instant, whatever a process writes meanwhile. Throws UsageError, OutputError.
analysis::StoredStudy open_results(const std::filesystem::path& folder);

/// Says on standard error which runs were left out because they are damaged, and whether runs that were stored are not
/// found. Returns kExitOutput if there are any, else `code`.
int without_damaged(analysis::StoredStudy& study, int code);
/// The same, after how many runs of the study are missing: it is incomplete, which is no error.
int without_missing(analysis::StoredStudy& study, int code);
/// "9 of 12 runs are missing: ...", empty if none is.
std::string missing_runs(analysis::StoredStudy& study);

int help_command(const Arguments& arguments);
int run_command(const Arguments& arguments);
int merge_command(const Arguments& arguments);
int status_command(const Arguments& arguments);
int validate_command(const Arguments& arguments);
int show_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int list_command(const Arguments& arguments);
int schema_command(const Arguments& arguments);
int privacy_command(const Arguments& arguments);
int audit_command(const Arguments& arguments);
int export_command(const Arguments& arguments);
int verify_command(const Arguments& arguments);
int diff_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int forecast_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int figures_command(const Arguments& arguments);
int play_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);

}  // namespace hearsay::scenarios
