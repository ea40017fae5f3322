// The manual page: what --help prints of each command, and what all commands share.
#include <fmt/format.h>

#include <utility>

#include "scenarios/commands/command.hpp"
#include "scenarios/study/build_info.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::string_view kDescription =
    R"(.SH DESCRIPTION
hearsay is a discrete-event simulator of asynchronous networks whose agents learn from private data.
A study is described in one JSON file, a
.IR scenario .
.B hearsay run
makes all runs of its sweep and writes tables to a folder;
.B hearsay report
draws them.
The same file and seed give the same numbers on any number of threads.
.P
The results are not private releases: they show what privacy would cost.
)";

constexpr std::pair<int, std::string_view> kExitCodes[] = {
    {kExitDone, "success; diff: the studies are equal"},
    {kExitDiffers, "diff: the studies differ"},
    {kExitInvalidInput, "invalid input or command line"},
    {kExitRefused, "refused: too many runs, or not enough memory"},
    {kExitOutput,
     "results cannot be read or written, or some are damaged and left out; run the same command again to "
     "resume. merge: runs or input files are missing"},
    {kExitBudget, "the requested releases do not fit the privacy budget"},
    {kExitSomeFailed, "the study finished, but some runs diverged or failed: see runs.csv"},
    {kExitInternal,
     "internal error, or an audit that refutes a guarantee; the message says how to replay it"},
    {kExitInterrupted, "interrupted (Ctrl-C); completed runs are stored, run the same command to resume"}};

constexpr std::string_view kEnd =
    R"(.SH ENVIRONMENT
.TP
.B HEARSAY_DATA_DIR
folder of data files, searched after those of
.BR \-\-data\-dir
.SH FILES
Relative to the folder that hearsay is installed under, such as
.IR /usr :
.TP
.I share/hearsay/scenarios
scenarios to run, each with a page, and the presets that they extend
.TP
.I share/hearsay/scenarios/scenario.schema.json
JSON Schema of scenarios, for completion and checks in an editor
.TP
.I share/doc/hearsay
documentation
.SH EXAMPLES
.nf
hearsay run /usr/share/hearsay/scenarios/quickstart.json
hearsay report out/quickstart
hearsay explain network.latency
.fi
)";

// Text as roff reads it: "-" as a hyphen that can be copied, no line that begins like a request.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  for (const char c : text) {
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : c == '\n' ? " " : std::string(1, c);
  }
  return out;
}

// A line of usage, which can be broken after "|".
std::string usage(std::string_view text) {
  std::string out;
  for (const char c : roff(text)) {
    out += c;
    if (c == '|') out += "\\:";
  }
  return out;
}

std::string option(const Option& o) {
  const std::string letter = o.letter(), value = o.value == nullptr ? "" : o.value;
  return fmt::format(".TP\n{}\\fB\\-\\-{}\\fR{}\n{}{}\n",
                     letter.empty() ? "" : fmt::format("\\fB\\-{}\\fR, ", letter), roff(o.long_name()),
                     value.empty() ? "" : " \\fI" + roff(value) + "\\fR", roff(o.help),
                     o.standard == nullptr ? "" : fmt::format(" (default: {})", roff(o.standard)));
}

}  // namespace

std::string manual_page() {
  std::string page = fmt::format(
      ".\\\" Written by `hearsay help --man`.\n.TH HEARSAY 1 \"{}\" \"hearsay {}\" \"User Commands\"\n.ad "
      "l\n.nh\n"
      ".SH NAME\nhearsay \\- simulator of asynchronous networks whose agents learn from private data\n"
      ".SH SYNOPSIS\n.B hearsay\n.I COMMAND\n.RI [ ARGUMENT ...]\n{}.SH COMMANDS\n",
      build_info::kDate, build_info::kVersion, kDescription);
  for (const Command& command : commands()) {
    const Syntax syntax = syntax_of(command.run);
    page += fmt::format(".SS {}\n{}\n.P\n\\fBhearsay {}\\fR{}\n", command.name, roff(command.help),
                        command.name, usage(syntax.usage.substr(command.name.size())));
    for (const Option& o : syntax.options) page += option(o);
  }
  page +=
      ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint the commands; after a command, its "
      "options.\n"
      ".TP\n\\fB\\-\\-version\\fR\nprint version, commit, compiler and flags\n.SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitCodes) page += fmt::format(".TP\n.B {}\n{}\n", code, roff(meaning));
  return page + std::string(kEnd);
}

}  // namespace hearsay::scenarios
