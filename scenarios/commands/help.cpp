// The command help: the commands, the manual page, completion.
#include <fmt/format.h>

#include "scenarios/commands/command.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

void print_commands() {
  print_out("hearsay: a simulator of asynchronous networks whose agents learn from private data\n\n");
  for (const Command& c : commands()) print_out("  hearsay {:28} {}\n", c.usage, c.help);
  print_out("  hearsay {:28} {}\n\nFor the options of a command run `hearsay COMMAND --help`.\n", "--version",
            "version, commit, compiler and flags");
}

int help_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"help [COMMAND] [--man|--completion]",
                  {{"man", nullptr, "print the manual page, in roff: for man -l"},
                   {"completion", nullptr, "print a script that completes command lines: for source in bash"},
                   {"complete", nullptr, "print what can follow the words after --; the script calls it"}},
                  "at most one command",
                  0,
                  SIZE_MAX});
  if (!values) return kExitDone;
  if (values->has("complete")) {
    for (const std::string& candidate : complete(values->operands)) print_out("{}\n", candidate);
  } else if (values->operands.size() > 1) {
    throw UsageError(fmt::format("unexpected argument '{}': expected at most one command",
                                 printable(values->operands[1])));
  } else if (!values->operands.empty()) {
    return command_named(values->operands.front()).run({"--help"});
  } else if (values->has("man")) {
    print_rows(manual_page());
  } else if (values->has("completion")) {
    print_rows(completion_script());
  } else {
    print_commands();
  }
  return kExitDone;
}

}  // namespace hearsay::scenarios
