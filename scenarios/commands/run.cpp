// hearsay run: what is missing of a study, its tables, and a summary.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "analysis/results/export.hpp"
#include "analysis/results/output_file.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/runner/conclusion_input.hpp"
#include "scenarios/runner/execute.hpp"
#include "scenarios/runner/machine.hpp"
#include "scenarios/runner/manifest.hpp"
#include "scenarios/runner/progress.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::string_view kRunUsage =
    "run SCENARIO [-o DIR] [-j N] [--set PATH=VALUE]... [--seed S] [--repeat R] [--points 'EXPR'] "
    "[--data-dir DIR] [--max-runs N] [--dry-run] [--no-progress]";

struct RunArguments {
  InputArguments input;
  std::filesystem::path folder{};
  unsigned threads = 1;
  PlanOptions plan{};
  bool progress = true, dry = false;
};

// Nothing, if only help was asked for.
std::optional<RunArguments> read_arguments(const Arguments& arguments) {
  po::options_description own("Run");
  own.add_options()  //
      ("output,o", po::value<std::string>()->value_name("DIR"),
       "where results go (default: out/ and the file's name)")                                 //
      ("jobs,j", po::value<unsigned>()->value_name("N"), "threads (default: all processors)")  //
      ("seed", po::value<std::string>()->value_name("S"), "short for --set seed=S")            //
      ("repeat", po::value<std::string>()->value_name("R"), "short for --set repeat=R")        //
      ("dry-run", "say what would be run, and run nothing")                                    //
      ("no-progress", "no progress line");
  own.add(sweep_options()).add(input_options());
  po::variables_map values;
  if (!parse_arguments(arguments, kRunUsage, own, values)) return std::nullopt;
  RunArguments run{.input = input_arguments(values)};
  if (run.input.files.size() != 1)
    throw UsageError(fmt::format("one scenario is needed; usage: hearsay {}", kRunUsage));
  for (const char* name : {"seed", "repeat"}) {
    if (values.count(name) != 0)
      run.input.sets.push_back(fmt::format("{}={}", name, values[name].as<std::string>()));
  }
  run.threads = std::max(1u, std::thread::hardware_concurrency());
  if (values.count("jobs") != 0) run.threads = values["jobs"].as<unsigned>();
  if (run.threads == 0 || run.threads > 1024) throw UsageError("-j needs a number from 1 to 1024");
  run.plan = sweep_arguments(values);
  run.progress = values.count("no-progress") == 0;
  run.dry = values.count("dry-run") != 0;
  run.folder = values.count("output") != 0 ? std::filesystem::path(values["output"].as<std::string>())
                                           : "out" / std::filesystem::path(run.input.files.front()).stem();
  return run;
}

std::string what_is_to_do(const Execution& execution, const std::filesystem::path& folder) {
  std::string text =
      fmt::format("{} runs: {} kept, {} to do", execution.all(), execution.kept(), execution.to_do());
  if (execution.recorded_anew() > 0)
    text += fmt::format(" ({} of them again, for other records)", execution.recorded_anew());
  return text + fmt::format("; results: {}/", folder.string());
}

// What came of the runs of one plan.
struct Made {
  bool ended = false;  // not interrupted
  std::uint64_t runs = 0, made = 0;
};

int interrupted(std::uint64_t kept, std::uint64_t runs) {
  fmt::print(stderr, "interrupted: {} of {} runs are kept; the same command goes on from there\n", kept,
             runs);
  return kExitInterrupted;
}

void print_results(const analysis::Exported& exported, const std::string& conclusions, const Made& made,
                   const std::filesystem::path& folder, double wall, const char* table) {
  const analysis::Totals& t = exported.totals;
  fmt::print("{}\n{}", exported.summary, conclusions);
  if (t.diverged + t.failed > 0) {
    fmt::print("{} runs diverged, {} failed: see {}\n", t.diverged, t.failed, (folder / "runs.csv").string());
  }
  fmt::print(
      "{} points, {} runs ({} made now) in {:.1f} s; median [quartiles] over repetitions\nresults: {}/ "
      "({}.csv, scalars.csv, runs.csv, results.sqlite, manifest.json)\n",
      t.points, t.runs, made.made, wall, folder.string(), table);
}

void print_warnings(const analysis::Totals& totals) {
  for (const std::string& note : totals.notes) {
    if (note.starts_with("warning: ")) fmt::print(stderr, "{}\n", note);
  }
}

std::string joined(const Arguments& arguments) {
  std::string command = "hearsay run";
  for (const std::string& argument : arguments) command += " " + argument;
  return command;
}

class Runner {
 public:
  explicit Runner(const RunArguments& arguments) : arguments_(arguments) {}

  // Makes what is missing of a study in a folder. `title` comes before what is said of it.
  Made make(const Plan& plan, const std::filesystem::path& folder, const char* title) {
    refuse_if_too_large(plan, arguments_.threads);
    Progress* progress = nullptr;
    Execution execution(plan, {.threads = arguments_.threads,
                               .trace_folder = folder,
                               .interrupted = &interrupt_.flag(),
                               .finished = [&](const analysis::RunResult& one) {
                                 if (progress != nullptr) progress->finished(one);
                               }});
    try {
      // Nothing is written before every point has been put together; but what is there need not be.
      std::optional<analysis::Store> store;
      std::error_code error;
      if (std::filesystem::exists(analysis::Store::file(folder), error)) {
        store.emplace(folder);
        execution.consider(store->known(plan.study()));
      }
      execution.assemble();
      if (!store) store.emplace(folder);
      fmt::print(stderr, "{}{}\n", title, what_is_to_do(execution, folder));
      Progress shown(arguments_.progress, execution.to_do(), execution.all());
      progress = &shown;
      const bool ended = execution.run(*store);
      shown.stop();
      progress = nullptr;
      store->close();
      return {ended, execution.all(), execution.to_do()};
    } catch (const OverBudget& e) {
      throw BudgetRefusal(plan.locate(e));
    } catch (const AssemblyError& e) {
      throw InputError(plan.locate(e));
    } catch (const analysis::OutputError& e) {
      throw analysis::OutputError(
          fmt::format("{}; what has been kept is not made again by the same command", e.what()));
    }
  }

 private:
  const RunArguments& arguments_;
  const InterruptGuard interrupt_;
};

std::filesystem::path selection_folder(const RunArguments& arguments) {
  return arguments.folder / "selection";
}

Plan plan_again(const RunArguments& arguments, const PlanOptions& options) {
  return make_plan(arguments.input.files.front(), arguments.input.sets, arguments.input.read, options);
}

int dry_run(const RunArguments& arguments, const Plan& plan) {
  const auto tell = [&](const Plan& one, const std::filesystem::path& folder, const char* title) {
    Execution execution(one, {.threads = arguments.threads});
    std::error_code error;
    if (std::filesystem::exists(analysis::Store::file(folder), error))
      execution.consider(analysis::known(*analysis::open_store(folder), one.study()));
    fmt::print("{}{}\n{} points, about {:.3g} MB of memory on {} threads\n", title,
               what_is_to_do(execution, folder), one.points.size(),
               estimate_memory(one, arguments.threads) / 1e6, arguments.threads);
  };
  if (plan.selection) {
    PlanOptions options = arguments.plan;
    options.validation = true;
    tell(plan_again(arguments, options), selection_folder(arguments), "to choose by: ");
  }
  tell(plan, arguments.folder, plan.selection ? "then the chosen ones of: " : "");
  return kExitDone;
}

}  // namespace

int run_command(const Arguments& arguments) {
  const std::optional<RunArguments> run = read_arguments(arguments);
  if (!run) return kExitDone;
  const Clock::time_point begin = Clock::now();
  Plan plan = plan_again(*run, run->plan);
  if (run->dry) {
    refuse_if_too_large(plan, run->threads);
    return dry_run(*run, plan);
  }
  Runner runner(*run);
  nlohmann::ordered_json selected;
  if (plan.selection) {
    PlanOptions options = run->plan;
    options.validation = true;
    const Made made = runner.make(plan_again(*run, options), selection_folder(*run), "to choose by: ");
    if (!made.ended) return interrupted(0, made.runs);
    analysis::StoredStudy study(selection_folder(*run));
    analysis::export_tables(study, selection_folder(*run));
    const std::vector<Choice> choices = choose(*plan.selection, study);
    selected = to_json(*plan.selection, choices, plan.axes);
    options.validation = false;
    for (const Choice& c : choices) options.chosen.insert(c.labels);
    plan = plan_again(*run, options);
  }
  const Made made = runner.make(plan, run->folder, "");

  analysis::StoredStudy study(run->folder);
  const analysis::Exported exported = analysis::export_tables(study, run->folder);
  std::optional<analysis::Conclusions> conclusions;
  if (plan.points.front().scenario.analysis.any()) {
    conclusions = analysis::conclude(study, conclusion_input(plan, study));
    analysis::write_conclusions(*conclusions, run->folder);
  }
  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  write_manifest({.totals = exported.totals,
                  .scenario = plan.points.front().scenario,
                  .file = plan.file,
                  .command = joined(arguments),
                  .resolved = plan.resolved,
                  .conclusions = conclusions ? conclusions->json() : nlohmann::ordered_json(),
                  .threads = run->threads,
                  .wall = wall,
                  .selection = selected},
                 run->folder / "manifest.json");
  print_results(exported, conclusions ? conclusions->text() + "\n" : "", made, run->folder, wall,
                study.head().aggregate ? "quantiles" : "series");
  if (plan.selection) {
    fmt::print("{} chosen by {} {} on {}: {}/\n", plan.selection->over,
               plan.selection->minimise ? "least" : "greatest", plan.selection->metric,
               plan.selection->instances(), selection_folder(*run).string());
  }
  print_warnings(exported.totals);
  const analysis::Totals& t = exported.totals;
  if (!made.ended) return interrupted(t.done + t.diverged, made.runs);
  return t.diverged + t.failed > 0 ? kExitSomeFailed : kExitDone;
}

}  // namespace hearsay::scenarios
