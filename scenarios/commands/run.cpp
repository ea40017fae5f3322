// hearsay run: makes the missing runs of a study, writes its tables and prints a summary.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "analysis/store/output_file.hpp"
#include "analysis/store/store_file.hpp"
#include "analysis/tables/export.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/study_results.hpp"
#include "scenarios/commands/until.hpp"
#include "scenarios/execution/execute.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/progress.hpp"
#include "scenarios/execution/study_difference.hpp"
#include "scenarios/execution/workers/team.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/point_fit.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/study/shard.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

struct RunArguments {
  Arguments words;  // as given, with the name of the command
  InputArguments input;
  std::filesystem::path folder{};
  unsigned threads = 0;  // 0: all processors, of each rank of a team
  PlanOptions plan{};
  std::optional<Shard> shard{};
  ProgressStyle progress = ProgressStyle::kLine;
  sim::Time pause = sim::kNever;
  bool dry = false;
};

// Nothing if only --help is given.
std::optional<RunArguments> read_arguments(const Arguments& arguments) {
  const Options own{
      {"output,o", "DIR", "folder of the results (default: out/, the file's name and the part)"},
      {"jobs,j", "N",
       "threads, of each rank under MPI: each makes a run, and those without one help the others (default: "
       "all processors)"},
      {"seed", "S", "short for --set seed=S"},
      {"repeat", "R", "short for --set repeat=R"},
      {"shard", "I/N", "make part I of N parts of the study; hearsay merge puts them together"},
      {"pause", "TIME",
       "keep the state of every run at this simulated time and end it there; the same command without --pause goes on"},
      {"dry-run", nullptr, "print the plan without executing it"},
      {"no-progress", nullptr, "print no progress line"},
      {"json-progress", nullptr, "print the progress as a line of JSON every second, on standard error"}};
  const auto values = parse_arguments(
      arguments,
      {"run SCENARIO [-o DIR] [-j N] [--set PATH=VALUE]... [--seed S] [--repeat R] [--points 'EXPR'] "
       "[--data-dir DIR] [--max-runs N] [--shard I/N] [--pause TIME] [--dry-run] [--no-progress|--json-progress]",
       with_input_options(with_sweep_options(own)), "one scenario", 1, 1});
  if (!values) return std::nullopt;
  RunArguments run{.words = arguments, .input = input_arguments(*values)};
  run.words.insert(run.words.begin(), "run");
  for (const char* name : {"seed", "repeat"}) {
    if (values->has(name)) run.input.sets.push_back(fmt::format("{}={}", name, values->text(name)));
  }
  if (values->has("jobs")) run.threads = static_cast<unsigned>(values->whole("jobs", 1, 1024));
  run.plan = sweep_arguments(*values);
  if (values->has("no-progress")) run.progress = ProgressStyle::kNone;
  if (values->has("json-progress")) run.progress = ProgressStyle::kJson;
  run.pause = values->duration("pause", sim::kNever);
  run.dry = values->has("dry-run");
  std::filesystem::path folder = "out" / std::filesystem::path(run.input.files.front()).stem();
  if (values->has("shard")) {
    try {
      run.shard = shard_from(values->text("shard"));
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--shard: {}", error.what()));
    }
    folder += fmt::format("-{}-of-{}", run.shard->number, run.shard->count);
  }
  run.folder = values->folder("output", folder);
  return run;
}

std::string work_of(const Execution& execution, const std::filesystem::path& folder,
                    const std::optional<Shard>& shard) {
  std::string text = fmt::format("{}{}: {} cached, {} to run", shard ? "part " + shard->text() + ": " : "",
                                 counted(execution.all(), "run"), execution.cached(), execution.to_run());
  if (execution.recorded_anew() > 0)
    text += fmt::format(" ({} of them again, to record other values)", execution.recorded_anew());
  if (execution.damaged() > 0)
    text +=
        fmt::format(" ({} of them again, because they are damaged in results.sqlite)", execution.damaged());
  return text + fmt::format("; results: {}/", folder.string());
}

// A line where composing guarantees took most of the time of a study; empty if it did not.
std::string accounting_note(const Plan& plan, double composing, double all) {
  constexpr double kShort = 1;  // s: not worth a line
  if (composing < kShort || composing <= all / 2) return {};
  std::set<std::string_view> names;
  for (const PlannedPoint& p : plan.points) {
    if (models::is_private(p.scenario->privacy.mechanism))
      names.insert(models::name_of(p.scenario->privacy.accountant));
  }
  return fmt::format(
      "note: {:.1f} of {:.1f} s were spent on composing guarantees with {}: another privacy.accountant, such "
      "as rdp, is faster and less tight\n",
      composing, all, fmt::join(names, ", "));
}

// The study of a folder; nothing if there is none, or a damaged one, which is written again.
std::optional<analysis::StudyPlan> study_in(const std::filesystem::path& folder) {
  try {
    if (analysis::has_study(folder)) return analysis::StoredStudy(folder).plan();
  } catch (const analysis::OutputError&) {
  }
  return std::nullopt;
}

// The tables of a folder are those of one study. Says which one they no longer are of.
void warn_of_replaced(const std::optional<analysis::StudyPlan>& before, const Plan& plan,
                      const std::filesystem::path& folder) {
  analysis::StudyPlan now = plan.study();
  if (plan.most_runs() > plan.runs()) {  // whose repetitions are not known yet
    for (analysis::StudyPoint& p : now.points)
      p.repetitions = plan.candidates ? plan.selection->most : plan.points.front().scenario->repeat.most();
  }
  if (!before || !leaves_out_runs(*before, now)) return;
  const std::string options = differing_options(*before, now, "before", "now");
  print_error("warning: {}: the tables of another study are replaced; its runs stay in results.sqlite. {}",
              folder.string(), options.empty() ? "Its data files or its code differ\n" : options);
}

// A trace that is not of the run that is asked for must not pass for it: that run may be made later, or in another part.
void remove_other_trace(const std::optional<analysis::StudyPlan>& before, const Plan& plan,
                        const std::filesystem::path& folder) {
  if (before && info_of(*before, "trace") == info_of(plan.study(), "trace")) return;
  std::error_code error;
  for (const char* name : {"trace.csv", "trace.perfetto.json"}) std::filesystem::remove(folder / name, error);
}

// The outcome of the runs of one plan.
struct Outcome {
  bool ended = false;                      // not interrupted
  std::uint64_t runs = 0, fresh = 0;       // of the plan; that this command has completed
  std::unique_ptr<analysis::Store> store;  // closed; keeps other writers out until the tables are written
};

// Makes the missing runs of a study, planned with `options`, in a folder. `team` may be null; `title` precedes the line
// that is printed. `lock`: of the folder of the command, from its first store on, also if that is of the selection.
Outcome make_runs(const RunArguments& arguments, Team* team, const Plan& plan, const PlanOptions& options,
                  const std::filesystem::path& folder, const std::string& title,
                  std::shared_ptr<const analysis::FolderLock>& lock) {
  const auto begin = std::chrono::steady_clock::now();
  const std::atomic<bool>& interrupted = InterruptGuard::flag();
  Progress* progress = nullptr;
  std::uint64_t completed = 0;
  std::unique_ptr<analysis::Store> store;
  std::error_code error;
  Execution execution(plan,
                      {.threads = arguments.threads,
                       .results = folder,
                       .interrupted = &interrupted,
                       .finished =
                           [&](const analysis::RunResult& one) {
                             ++completed;
                             if (progress != nullptr) progress->finished(one);
                           },
                       .pause = arguments.pause,
                       .shard = arguments.shard,
                       .workers = team != nullptr ? &team->plan(plan, options, &interrupted) : nullptr});
  const auto handed = std::chrono::steady_clock::now();
  const auto open = [&] {
    if (!lock) lock = std::make_shared<const analysis::FolderLock>(arguments.folder);
    return std::make_unique<analysis::Store>(folder, folder == arguments.folder ? lock : nullptr);
  };
  try {
    std::optional<analysis::StudyPlan> before;
    // Every point with runs to be made is assembled before anything is written.
    if (std::filesystem::exists(analysis::store_file(folder), error)) {
      store = open();
      before = study_in(folder);
      warn_of_replaced(before, plan, folder);
      execution.consider(store->known(plan.study()));
    }
    execution.assemble();
    if (!store) store = open();
    remove_other_trace(before, plan, folder);
    print_error("{}{}\n", title, work_of(execution, folder, arguments.shard));
    Progress shown(arguments.progress, execution.to_run(), execution.all(), Progress::standard_error(), team,
                   handed);
    progress = &shown;
    const bool ended = [&] {
      const InterruptGuard guard;
      return execution.run(*store);
    }();
    shown.stop();
    progress = nullptr;
    print_error("{}", shown.ranks());
    store->close();
    const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (execution.at_a_time() < arguments.threads)
      print_error("note: memory allows {} at a time\n", counted(execution.at_a_time(), "run"));
    print_error("{}", accounting_note(plan, execution.accounting_seconds(), all));
    // A stored run that is made again for its trace is not new.
    const std::uint64_t fresh = std::min(completed, execution.to_run());
    return {ended, execution.all(), fresh, std::move(store)};
  } catch (const sim::Error& e) {
    if (e.kind != sim::Error::Kind::kOutput) throw plan.located(e);
    throw analysis::OutputError(
        std::string(e.what()) +
        (!store ? ""
         : std::filesystem::exists(analysis::store_file(folder), error)
             ? "; completed runs are stored; run the same command to resume"
             : "; results.sqlite was removed while the study ran: run the same command again"));
  }
}

std::vector<std::uint32_t> repetitions_of(const Plan& plan) {
  std::vector<std::uint32_t> all;
  for (const PlannedPoint& p : plan.points) all.push_back(p.repeat);
  return all;
}

Plan plan_again(const RunArguments& arguments, const PlanOptions& options) {
  return make_plan(arguments.input.files.front(), arguments.input.sets, arguments.input.folders, options);
}

int dry_run(const RunArguments& arguments, const Plan& plan) {
  const auto print_plan = [&](const Plan& one, const std::filesystem::path& folder, const char* title) {
    Execution execution(one, {.threads = arguments.threads, .shard = arguments.shard});
    std::error_code error;
    if (std::filesystem::exists(analysis::store_file(folder), error))
      execution.consider(analysis::known(*analysis::open_store(folder), one.study()));
    const PointMemory least = least_memory(*one.points[execution.largest()].scenario);
    print_out("{}{}\n{}; memory: at least {} for the data and network of the largest\n", title,
              work_of(execution, folder, arguments.shard), counted(one.points.size(), "point"),
              byte_text(least.total()));
    if (one.most_runs() > one.runs())
      print_out("{}: these are the runs until the first look, of at most {}\n",
                one.candidates ? "tune.budget" : "repeat.until", one.most_runs());
  };
  if (plan.selection) {
    PlanOptions options = arguments.plan;
    options.validation = true;
    print_plan(plan_again(arguments, options), arguments.folder / "selection", "selection: ");
    std::set<std::vector<std::string>> others;  // values of the axes that are not tuned
    for (const PlannedPoint& p : plan.points) others.insert(p.labels);
    const Repeat& repeat = plan.points.front().scenario->repeat;
    print_out("then {} with the values that are chosen, {}{} each; results: {}/\n",
              counted(others.size(), "point"),
              repeat.most() > repeat.first() ? fmt::format("{} to ", repeat.first()) : "",
              counted(repeat.most(), "run"), arguments.folder.string());
  } else {
    print_plan(plan, arguments.folder, "");
  }
  std::set<std::string> guarantees;
  for (const PlannedPoint& point : plan.points) {
    if (!models::is_private(point.scenario->privacy.mechanism)) continue;
    const std::string meaning = settled_budget(*point.scenario).meaning();
    if (guarantees.insert(meaning).second) print_out("privacy: {}\n", meaning);
  }
  return kExitDone;
}

unsigned threads_of(const Team& team) {
  unsigned threads = 0;
  for (const RankRecord& rank : team.records()) threads += rank.threads;
  return threads;
}

// Of the ranks of a team but the first, which reports what is wrong with the arguments.
int work(Team& team, const Arguments& arguments) {
  team.work([&](const PlanOptions& ordered) {
    const RunArguments run = read_arguments(arguments).value();
    PlanOptions options = run.plan;
    options.validation = ordered.validation;
    options.chosen = ordered.chosen;
    options.repetitions = ordered.repetitions;
    return Team::Work{plan_again(run, options), run.threads,
                      options.validation ? run.folder / "selection" : run.folder, run.pause};
  });
  return kExitDone;
}

}  // namespace

int run_command(const Arguments& arguments) {
  const std::unique_ptr<Team> team = Team::join();
  if (team && team->rank() > 0) return work(*team, arguments);
  std::optional<RunArguments> run = read_arguments(arguments);
  if (!run) return kExitDone;
  if (run->threads == 0) run->threads = std::max(1u, std::thread::hardware_concurrency());
  const auto begin = std::chrono::steady_clock::now();
  PlanOptions planned = run->plan;
  Plan plan = plan_again(*run, planned);
  if (run->shard && (plan.selection || plan.until() != nullptr)) {
    throw UsageError(fmt::format(
        "--shard: {} {} by their results, and no part of it has all of them: run it without --shard",
        plan.file, plan.selection ? "selects points" : "decides on repetitions"));
  }
  if (run->dry) return dry_run(*run, plan);
  require_own_files(run->folder, plan.origin.at("scenario"), plan.origin.at("folders"));
  if (plan.selection)
    require_own_files(run->folder / "selection", plan.origin.at("scenario"), plan.origin.at("folders"));
  const auto interrupted = [&run](const analysis::Totals& totals, const Outcome& made) {
    if (run->pause < sim::kNever && !InterruptGuard::flag()) {
      print_error(
          "paused at {:g} s: {} of {} runs are stored; run the same command without --pause to go on\n",
          run->pause, stored(totals), made.runs);
      return kExitDone;
    }
    print_error("interrupted: {} of {} runs are stored; run the same command to resume\n", stored(totals),
                made.runs);
    return kExitInterrupted;
  };
  const std::filesystem::path selection_folder = run->folder / "selection";
  std::shared_ptr<const analysis::FolderLock> lock;
  std::string selected;
  std::uint64_t tuning_runs = 0;
  std::vector<std::string> notes;  // of the selection
  const auto write = [&](const Plan& made_from, const std::filesystem::path& folder, const Outcome& made,
                         bool silent) {
    return write_results({.plan = made_from,
                          .folder = folder,
                          .file = made_from.file,
                          .command = command_text(run->words),
                          .selection = selected,
                          .notes = notes,
                          .threads = team ? threads_of(*team) : run->threads,
                          .runs = made.runs,
                          .fresh = made.fresh,
                          .complete = made.ended,
                          .silent = silent,
                          .begin = begin});
  };
  // Makes the runs of a study, and those that its results decide on: repetitions(stored study) of each point.
  const auto make = [&](Plan& study_plan, PlanOptions& options, const std::filesystem::path& folder,
                        const std::string& title, const auto& repetitions) {
    Outcome made = make_runs(*run, team.get(), study_plan, options, folder, title, lock);
    while (made.ended) {
      analysis::StoredStudy study(folder);
      std::vector<std::uint32_t> wanted = repetitions(study);
      const std::vector<std::uint32_t> had = repetitions_of(study_plan);
      if (wanted == had) break;
      std::size_t more = 0;
      for (std::size_t p = 0; p < had.size(); ++p) more += wanted[p] > had[p] ? 1 : 0;
      options.repetitions = std::move(wanted);
      study_plan = plan_again(*run, options);
      const std::uint64_t fresh = made.fresh;
      made.store.reset();
      made = make_runs(*run, team.get(), study_plan, options, folder,
                       fmt::format("{}{} to repeat more often: ", title, counted(more, "point")), lock);
      made.fresh += fresh;
    }
    return made;
  };
  if (plan.selection) {
    PlanOptions options = run->plan;
    options.validation = true;
    Plan candidates = plan_again(*run, options);
    Decided decided;
    const Outcome made =
        make(candidates, options, selection_folder, "selection: ", [&](analysis::StoredStudy& study) {
          decided = decide(*candidates.selection, study);
          return decided.repetitions;
        });
    const analysis::Totals totals = write(candidates, selection_folder, made, true);
    if (!made.ended) return interrupted(totals, made);
    const std::vector<Choice>& choices = decided.choices;
    selected = selection_json(*plan.selection, choices, candidates.axes);
    write_choices(*plan.selection, choices, candidates.axes, run->folder);
    tuning_runs = made.runs;
    notes = warnings_of(*plan.selection, choices);
    for (const Choice& c : choices) planned.chosen.insert(c.labels);
    plan = plan_again(*run, planned);
  }
  std::string precision;
  Outcome made = make(plan, planned, run->folder, "", [&](analysis::StoredStudy& study) {
    if (plan.until() == nullptr) return repetitions_of(plan);
    const UntilDecision decision(plan, study);
    if (decision.repetitions() == repetitions_of(plan)) {
      decision.write(run->folder);
      precision = decision.summary();
      for (std::string& warning : decision.warnings()) notes.push_back(std::move(warning));
    }
    return decision.repetitions();
  });
  const analysis::Totals totals = write(plan, run->folder, made, false);
  if (!precision.empty()) print_out("{}\n", precision);
  if (plan.selection) {
    print_out("{} selected by {} {} on {}, in {} of {}/: see tuning.csv\n", plan.selection->over,
              plan.selection->minimise ? "minimum" : "maximum", plan.selection->metric,
              plan.selection->instances(), counted(tuning_runs, "run"), selection_folder.string());
  }
  if (!made.ended) return interrupted(totals, made);
  return totals.diverged + totals.failed > 0 ? kExitSomeFailed : kExitDone;
}

}  // namespace hearsay::scenarios
