#include "scenarios/commands/command_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "analysis/store/output_file.hpp"
#include "models/registry.hpp"
#include "models/run/code_protocol.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/execution/workers/launcher.hpp"
#include "scenarios/execution/workers/team.hpp"
#include "scenarios/language/code.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/terminal/terminal.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

constexpr Command kCommands[] = {
    {"run", "run SCENARIO [options]", "run a scenario with its whole sweep", run_command},
    {"merge", "merge DIR... -o DIR", "put the parts of a study together", merge_command},
    {"status", "status DIR...", "print how far studies are, also while they run", status_command},
    {"validate", "validate SCENARIO...", "check scenarios without running them", validate_command},
    {"show", "show SCENARIO [--runs]", "print a scenario with all defaults, or its points", show_command},
    {"explain", "explain [PATH]", "explain the options of a scenario", explain_command},
    {"list", "list [WHAT]", "list protocols, topologies, metrics, ...", list_command},
    {"report", "report DIR [-o FILE]", "write a page with the figures of a study", report_command},
    {"figures", "figures DIR [--format svg]", "write the figures of a study as files", figures_command},
    {"play", "play DIR [-o FILE]", "write a page that plays the traced run of a study", play_command},
    {"export", "export DIR", "write the tables of a study again, or its network as GraphML", export_command},
    {"verify", "verify DIR [--sample N]", "repeat runs and compare their fingerprints", verify_command},
    {"diff", "diff DIR1 DIR2", "find the first run, number and event in which two studies differ",
     diff_command},
    {"compare", "compare DIR [DIR]", "print paired differences between points, with confidence intervals",
     compare_command},
    {"forecast", "forecast DIR [options]", "forecast the cost of privacy of coalitions from that of others",
     forecast_command},
    {"trace", "trace SCENARIO|DIR", "print the events of one run", trace_command},
    {"privacy", "privacy --mechanism M [options]", "compute noise for a budget, or the cost of releases",
     privacy_command},
    {"audit", "audit SCENARIO --adversary A",
     "certify a lower bound of epsilon by what an adversary sees of runs", audit_command},
    {"bench", "bench [SCENARIO|BENCHMARK]", "measure rates and memory on this machine", bench_command},
    {"schema", "schema", "print the JSON Schema of scenarios", schema_command},
    {"help", "help [COMMAND]", "print this text, the options of a command, or the manual page", help_command},
};

int dispatch(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    print_commands();
    return arguments.empty() ? kExitInvalidInput : kExitDone;
  }
  if (arguments[0] == "--version") {
    print_out("{}\n{}\n", version_line(), Team::version());
    return kExitDone;
  }
  return command_named(arguments[0]).run(Arguments(arguments.begin() + 1, arguments.end()));
}

// Standard streams that are closed stay unusable: no file of results may take their numbers.
void occupy_streams() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = ::open("/dev/null", O_RDONLY);
  if (descriptor > STDERR_FILENO) ::close(descriptor);
}

int fail(int code, std::string_view message) {
  print_message(message);
  return code;
}

// What Python executes. Code of the current folder must not run: "-m hearsay" would look for modules there, and so would an
// empty entry of the path. PYTHONSAFEPATH does the same, from 3.11 on, for what Python itself imports before these lines.
constexpr const char* kContinue = R"(import sys
sys.path[:] = filter(None, [sys.argv.pop(1), *sys.path])
import os
if os.environ.get("PYTHONSAFEPATH") == "hearsay":
    del os.environ["PYTHONSAFEPATH"]
try:
    from hearsay.__main__ import main
except ModuleNotFoundError as error:
    print(f"hearsay: the scenario names Python code, which needs the Python package of hearsay: {sys.executable}: {error}; "
          "in a source tree run script/bootstrap --python and script/build", file=sys.stderr)
    sys.exit(2)
sys.exit(main())
)";

// Empty if it is not set.
std::string environment_text(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Continues the command in the Python package: that of the folder where this program was built or is installed.
int continue_in_python(const Arguments& arguments) {
  if (launched())
    return fail(kExitInvalidInput,
                "the scenario names Python code: under MPI start python3 -m hearsay instead");
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::string package;
  for (const char* folder : {"python", "../" HEARSAY_PYTHON_DIR}) {
    const auto packages = (program.parent_path() / folder).lexically_normal();
    if (package.empty() && packages.is_absolute() && std::filesystem::exists(packages / "hearsay", error))
      package = packages.string();
  }
  // An empty entry, as in "$PYTHONPATH:/more" of an empty variable, is the current folder.
  std::string path;
  std::istringstream entries(environment_text("PYTHONPATH"));
  for (std::string entry; std::getline(entries, entry, ':');) {
    if (!entry.empty()) path += (path.empty() ? "" : ":") + entry;
  }
  ::setenv("PYTHONPATH", path.c_str(), 1);
  if (environment_text("PYTHONSAFEPATH").empty()) ::setenv("PYTHONSAFEPATH", "hearsay", 1);
  std::string python = environment_text("HEARSAY_PYTHON");
  if (python.empty()) python = HEARSAY_PYTHON;
  std::vector<std::string> words{python, "-c", kContinue, package};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  sigset_t interrupts;
  ::sigemptyset(&interrupts);
  ::sigaddset(&interrupts, SIGINT);
  ::sigprocmask(SIG_BLOCK, &interrupts,
                nullptr);  // until main() of the package: Python would print a traceback
  ::execvp(python.c_str(), all.data());
  return fail(kExitInvalidInput, fmt::format("{}: {}; HEARSAY_PYTHON names another Python", python,
                                             std::generic_category().message(errno)));
}

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command& command_named(const std::string& name) {
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  if (found != std::end(kCommands)) return *found;
  throw UsageError(fmt::format("unknown command '{}'{}; for all commands run `hearsay --help`",
                               printable(name), did_you_mean(name, names_of(kCommands))));
}

int exit_code(sim::Error::Kind kind) {
  switch (kind) {
    case sim::Error::Kind::kInvalid:
      return kExitInvalidInput;
    case sim::Error::Kind::kOverBudget:
      return kExitBudget;
    case sim::Error::Kind::kRefused:
    case sim::Error::Kind::kOutOfMemory:
      return kExitRefused;
    case sim::Error::Kind::kOutput:
      return kExitOutput;
    case sim::Error::Kind::kInternal:
      break;
  }
  return kExitInternal;
}

void allow_python() {
  add_python([](const sim::CodePlace& place, sim::CodeKind) -> std::shared_ptr<const sim::Code> {
    // Python, which would refuse it as well, is not even started.
    if (place.file.path.empty())
      throw std::runtime_error(fmt::format(
          "the class '{}' is in no file, and not in this program; put it into a file and name it: {}",
          printable(place.name), R"({"type": "python", "file": ..., "class": ...})"));
    throw ContinueInPython();
  });
}

void add_python(CodeLoader loader) {
  models::protocols().push_back(models::code_row());
  set_code_loader(loader);
}

int command_line(int argc, const char* const* argv) {
  const Arguments arguments(argv + std::min(argc, 1), argv + argc);
  occupy_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of writing
  try {
    const int code = dispatch(arguments);
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
    return code;
  } catch (const ContinueInPython&) {
    return continue_in_python(arguments);
  } catch (const Interrupted&) {
    return fail(kExitInterrupted, "hearsay: interrupted");
  } catch (const UnreadFolders& e) {
    Arguments again = arguments;
    for (const std::string& folder : e.folders) again.insert(again.end(), {"--data-dir", folder});
    // A message that is too long loses its middle, which must not change what the command does.
    const std::string advice = "; to read them, run " + command_text(again);
    const bool fits = std::string_view(e.what()).size() + advice.size() <= kLongestMessage;
    return fail(kExitInvalidInput, e.what() + (fits ? advice : ""));
  } catch (const sim::Error& e) {
    return fail(exit_code(e.kind), e.where.empty() ? e.what() : fmt::format("{}: {}", e.where, e.what()));
  } catch (...) {
    const sim::Error e = error_of(std::current_exception());
    if (e.kind != sim::Error::Kind::kInternal)
      return fail(exit_code(e.kind), fmt::format("hearsay: {}", e.what()));
    return fail(kExitInternal, fmt::format("hearsay: internal error: {}; to reproduce: {} with {}", e.what(),
                                           command_text(arguments), version_line()));
  }
}

}  // namespace hearsay::scenarios
