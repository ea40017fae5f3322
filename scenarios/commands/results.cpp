// Commands on the results of a study: export, verify.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "analysis/figures/pictures.hpp"
#include "analysis/store/output_file.hpp"
#include "analysis/store/store_file.hpp"
#include "analysis/tables/export.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/pivot.hpp"
#include "scenarios/commands/study_table.hpp"
#include "scenarios/execution/execute.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

void write_graphml(analysis::StoredStudy& study, std::size_t point, const std::filesystem::path& path) {
  const auto number = study.network_number(point);
  const analysis::NetworkGraph network = number ? study.network(*number) : analysis::NetworkGraph{};
  if (network.nodes.empty())
    throw analysis::OutputError(
        fmt::format("{}: the network of point {} is not stored; see the notes in "
                    "manifest.json",
                    study.folder().string(), point));
  analysis::OutputFile file(path);
  file.write(analysis::graphml(network, study.owners(point), study.point(point).first_owner));
  file.commit();
  print_out("network of point {}, {} nodes, {} links: {}\n", point, network.nodes.size(),
            network.links.size(), path.string());
}

}  // namespace

analysis::StoredStudy open_results(const std::filesystem::path& folder) {
  require_results(folder);
  analysis::StoredStudy study(folder);
  study.freeze();
  return study;
}

std::string missing_runs(analysis::StoredStudy& study) {
  const analysis::Presence runs = study.presence();
  if (runs.missing() == 0) return "";
  const std::string part = study.info("shard");
  return fmt::format("{} of {} {} missing: {}", runs.missing(), counted(runs.planned, "run"),
                     runs.missing() == 1 ? "is" : "are",
                     analysis::locked(study.folder()).value_or(false) ? "a process is writing"
                     : part.empty() ? "'hearsay run' with the same scenario and folder makes them"
                                    : fmt::format("the folder holds part {}", printable(part)));
}

int without_missing(analysis::StoredStudy& study, int code) {
  if (const std::string missing = missing_runs(study); !missing.empty())
    print_error("{}: {}\n", study.folder().string(), missing);
  return without_damaged(study, code);
}

int without_damaged(analysis::StoredStudy& study, int code) {
  if (!study.presence().intact) {
    print_error("{}: damaged: runs that were stored are not found; 'hearsay run' makes them again\n",
                analysis::store_file(study.folder()).string());
    code = kExitOutput;
  }
  const auto& runs = study.damaged();
  if (runs.empty()) return code;
  const auto [point, repetition] = *runs.begin();
  print_error("{}: {} left out, the first: {}; 'hearsay run' makes {} again\n", study.folder().string(),
              counted(runs.size(), "damaged run"), run_name(study.head(), study.point(point), repetition),
              runs.size() == 1 ? "it" : "them");
  return kExitOutput;
}

int export_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments,
      {"export DIR [-o DIR] [--format csv|graphml|latex|markdown] [--rows NAME[,NAME]] [--columns NAME] "
       "[options]",
       {{"output,o", "DIR", "folder of the tables (default: DIR); file of a pivoted table (default: none)"},
        {"format", "FORMAT",
         "csv; graphml: only the network, to network.graphml; latex or markdown: a pivoted table", "csv",
         false,
         [] {
           return Names{"csv", "graphml", "latex", "markdown"};
         }},
        {"point", "N", "graphml: number of the point whose network is written", "0"},
        {"rows", "NAME", "pivoted table: a row for each value of these swept options, separated by commas"},
        {"columns", "NAME", "pivoted table: a column for each value of these swept options"},
        {"metric", "NAME", "pivoted table: of this metric at the end of runs (default: the first)", nullptr,
         false, metric_names},
        {"statistic", "STATISTIC",
         "pivoted table: median (default), with quartiles, or mean, with its 95 % interval", nullptr, false,
         choice_names<analysis::ShownStatistic>},
        at_option("pivoted table: only points at which this swept option has this value (repeatable)")},
       "one folder",
       1,
       1});
  if (!values) return kExitDone;
  constexpr std::array kPivoted{"rows", "columns", "metric", "statistic", "at"};
  const std::size_t format = values->index("format");
  const auto given = std::ranges::find_if(kPivoted, [&](const char* option) { return values->has(option); });
  if (format >= 2 || (format == 0 && given != kPivoted.end()))
    return export_pivot(*values, format == 0   ? analysis::PivotFormat::kCsv
                                 : format == 2 ? analysis::PivotFormat::kLatex
                                               : analysis::PivotFormat::kMarkdown);
  if (given != kPivoted.end()) throw UsageError(fmt::format("--{}: not with --format graphml", *given));
  const std::filesystem::path folder = values->folder("output", values->operands.front());
  analysis::StoredStudy study = open_results(values->operands.front());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (format == 1) {
    write_graphml(study, values->whole("point", 0, study.points() - 1), folder / "network.graphml");
    return without_missing(study, kExitDone);
  }
  const analysis::Exported exported = analysis::export_tables(study, folder, label_number);
  print_out("{}, {}: {}/ ({}.csv, scalars.csv, runs.csv, {}owners.csv, nodes.csv, links.csv)\n",
            counted(exported.totals.points, "point"), counted(exported.totals.runs, "run"), folder.string(),
            study.head().aggregate ? "quantiles" : "series", study.head().models ? "models.csv, " : "");
  return without_missing(study, kExitDone);
}

int verify_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"verify DIR [--sample N] [--data-dir DIR]",
                  with_folder_options({{"sample", "N", "repeat only N runs, spread evenly over the study"}}),
                  "one folder", 1, 1});
  if (!values) return kExitDone;

  analysis::StoredStudy study = open_results(values->operands.front());
  const Plan plan = make_plan_again(study, folder_arguments(*values));
  for (std::size_t p = 0; p < study.points(); ++p) {
    // Reading them checks them.
    study.owners(p);
    if (const auto network = study.network_number(p)) study.network(*network);
  }
  struct Made {
    std::size_t point;
    std::uint32_t repetition;
    std::uint64_t fingerprint;
  };
  std::vector<Made> made;
  study.each_run([](const auto&) {},
                 [&](const analysis::PointResult&, const analysis::RunResult& run) {
                   using analysis::Status;
                   const bool ended = run.status == Status::kDone || run.status == Status::kDiverged;
                   if (ended && run.end != analysis::RunEnd::kWall)
                     made.push_back({run.point, run.repetition, run.fingerprint});
                 });
  const std::size_t all = made.size();
  const std::size_t wanted =
      values->has("sample") ? std::min<std::size_t>(all, values->whole("sample", 1, SIZE_MAX)) : all;
  Execution execution(plan);
  for (std::size_t k = 0; k < wanted; ++k) {
    const Made& one = made[k * all / wanted];
    const analysis::RunResult again = execution.repeat(one.point, one.repetition);
    if (again.fingerprint == one.fingerprint) continue;
    throw_differing(fmt::format("{} (run key {}) has fingerprint {:016x}, expected {:016x}",
                                run_name(study.head(), study.point(one.point), one.repetition),
                                run_key(plan.points[one.point].key, one.repetition), again.fingerprint,
                                one.fingerprint));
  }
  print_out("{} of {} runs repeated: all fingerprints are equal, no budget is exceeded\n", wanted, all);
  return without_missing(study, kExitDone);
}

}  // namespace hearsay::scenarios
