// hearsay run: the whole study, its tables, and a summary.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "analysis/output_file.hpp"
#include "analysis/summary.hpp"
#include "analysis/tables.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/runner/command_line.hpp"
#include "scenarios/runner/commands/command.hpp"
#include "scenarios/runner/manifest.hpp"
#include "scenarios/runner/plan.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kUsage =
    "run SCENARIO [-o DIR] [-j N] [--set PATH=VALUE]... [--seed S] [--repeat R] [--data-dir DIR] "
    "[--no-progress]";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A line now and then while runs go on: in place on a terminal, else every ten seconds.
class Progress {
 public:
  explicit Progress(bool wanted) : wanted_(wanted), terminal_(::isatty(STDERR_FILENO) != 0) {}
  void operator()(std::size_t done, std::size_t all) {
    if (!wanted_) return;
    const double elapsed = seconds_since(begin_);
    if (done < all && elapsed - last_ < (terminal_ ? 0.2 : 10.0)) return;
    if (!terminal_ && last_ == 0 && done == all) return;
    last_ = elapsed;
    const double left = elapsed / static_cast<double>(done) * static_cast<double>(all - done);
    fmt::print(stderr, "{}{:3.0f}%  {} of {} runs, {:.0f} s, {:.0f} s to go{}", terminal_ ? "\r" : "",
               100.0 * static_cast<double>(done) / static_cast<double>(all), done, all, elapsed, left,
               terminal_ && done < all ? "  " : "\n");
    std::fflush(stderr);
  }

 private:
  bool wanted_, terminal_;
  Clock::time_point begin_ = Clock::now();
  double last_ = 0;
};

std::filesystem::path make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw analysis::OutputError(fmt::format("{}: can not be made: {}", folder.string(), error.message()));
  return folder;
}

int exit_code(const analysis::StudyResult& study) {
  for (const analysis::RunResult& run : study.runs) {
    if (run.status != analysis::Status::kDone) return kExitSomeFailed;
  }
  return kExitDone;
}

void print_results(const analysis::StudyResult& study, const std::filesystem::path& folder, double wall) {
  fmt::print("{}\n", analysis::summary_table(study));
  std::size_t diverged = 0, failed = 0;
  for (const analysis::RunResult& run : study.runs) {
    diverged += run.status == analysis::Status::kDiverged ? 1u : 0u;
    failed += run.status == analysis::Status::kFailed ? 1u : 0u;
  }
  if (diverged + failed > 0) {
    fmt::print("{} runs diverged, {} failed: see {}\n", diverged, failed, (folder / "runs.csv").string());
  }
  fmt::print(
      "{} points, {} runs in {:.1f} s; median [quartiles] over repetitions\nresults: {}/ (series.csv, "
      "scalars.csv, runs.csv, manifest.json)\n",
      study.points.size(), study.runs.size(), wall, folder.string());
}

void print_warnings(const analysis::StudyResult& study) {
  std::set<std::string> warnings;
  for (const analysis::PointResult& point : study.points) {
    for (const std::string& note : point.notes) {
      if (note.starts_with("warning: ")) warnings.insert(note);
    }
  }
  for (const std::string& warning : warnings) fmt::print(stderr, "{}\n", warning);
}

}  // namespace

int run_command(const Arguments& arguments) {
  po::options_description own("Run");
  own.add_options()  //
      ("output,o", po::value<std::string>()->value_name("DIR"),
       "where results go (default: out/ and the file's name)")                                 //
      ("jobs,j", po::value<unsigned>()->value_name("N"), "threads (default: all processors)")  //
      ("seed", po::value<std::string>()->value_name("S"), "short for --set seed=S")            //
      ("repeat", po::value<std::string>()->value_name("R"), "short for --set repeat=R")        //
      ("no-progress", "no progress line");
  own.add(input_options());
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  InputArguments input = input_arguments(values);
  if (input.files.size() != 1)
    throw UsageError(fmt::format("one scenario is needed; usage: hearsay {}", kUsage));
  for (const char* name : {"seed", "repeat"}) {
    if (values.count(name) != 0)
      input.sets.push_back(fmt::format("{}={}", name, values[name].as<std::string>()));
  }
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  if (values.count("jobs") != 0) threads = values["jobs"].as<unsigned>();
  if (threads == 0 || threads > 1024) throw UsageError("-j needs a number from 1 to 1024");

  const Clock::time_point begin = Clock::now();
  const Plan plan = make_plan(input.files.front(), input.sets, input.read);
  const std::filesystem::path file(input.files.front());
  const std::filesystem::path folder = values.count("output") != 0
                                           ? std::filesystem::path(values["output"].as<std::string>())
                                           : "out" / file.stem();

  Progress progress(values.count("no-progress") == 0);
  ExecuteOptions options{.threads = threads, .trace_path = folder / "trace.csv"};
  options.progress = [&](std::size_t done, std::size_t all) { progress(done, all); };
  options.before_runs = [&] { make_folder(folder); };
  try {
    const analysis::StudyResult study = execute(plan.axes, plan.points, options);
    analysis::write_series(study, folder / "series.csv");
    analysis::write_scalars(study, folder / "scalars.csv");
    analysis::write_runs(study, folder / "runs.csv");
    std::string command = "hearsay run";
    for (const std::string& argument : arguments) command += " " + argument;
    const double wall = seconds_since(begin);
    write_manifest({.study = study,
                    .scenario = plan.points.front().scenario,
                    .file = plan.file,
                    .command = command,
                    .resolved = plan.resolved,
                    .threads = threads,
                    .wall = wall},
                   folder / "manifest.json");
    print_results(study, folder, wall);
    print_warnings(study);
    return exit_code(study);
  } catch (const OverBudget& e) {
    throw BudgetRefusal(plan.locate(e));
  } catch (const AssemblyError& e) {
    throw InputError(plan.locate(e));
  }
}

}  // namespace hearsay::scenarios
