// Commands on the results of a study: export, verify.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "analysis/conclusions/estimate.hpp"
#include "analysis/figures/pictures.hpp"
#include "analysis/store/output_file.hpp"
#include "analysis/store/store_file.hpp"
#include "analysis/tables/export.hpp"
#include "analysis/tables/pivot.hpp"
#include "analysis/tables/summary.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/study_results.hpp"
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

using analysis::PivotCell;
using Values = std::vector<double>;  // by repetition

PivotCell cell_of(const Values& values, bool mean, bool antithetic) {
  const analysis::Statistics s = analysis::statistics_of(values, antithetic);
  return mean ? PivotCell{.centre = s.mean, .low = s.mean_low, .high = s.mean_high}
              : PivotCell{.centre = s.median, .low = s.low, .high = s.high};
}

// Marks the best cell of a row, if it is better than each other by the interval of their paired difference. A cell
// without values has no interval: nothing is known to be better.
void mark_best(std::vector<PivotCell>& cells, const std::vector<const Values*>& values, bool higher,
               bool antithetic) {
  std::optional<std::size_t> best;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (std::isnan(cells[c].centre)) continue;
    if (!best || (higher ? cells[c].centre > cells[*best].centre : cells[c].centre < cells[*best].centre))
      best = c;
  }
  if (!best || cells.size() < 2) return;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto d = analysis::paired_difference(*values[*best], *values[c], 0.95, antithetic);
    if (c != *best && !(higher ? d.high < 0 : d.low > 0)) return;
  }
  cells[*best].best = true;
}

// Runs that a table lacks, and the cells that have fewer than planned.
struct LeftOut {
  std::size_t diverged = 0, failed = 0, missing = 0, infinite = 0;
  std::vector<std::string> cells{};

  std::string note() const {
    Names parts;
    const auto add = [&](std::size_t number, std::string_view what) {
      if (number > 0) parts.push_back(fmt::format("{} {}", counted(number, "run"), what));
    };
    add(diverged, "diverged");
    add(failed, "failed");
    add(missing, "missing");
    add(infinite, "whose value is not a finite number");
    constexpr std::size_t kShown = 12;
    Names some(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), kShown)));
    if (cells.size() > kShown) some.push_back(fmt::format("{} more cells", cells.size() - kShown));
    return fmt::format("Left out: {} ({}).", fmt::join(parts, ", "), fmt::join(some, "; "));
  }
};

// A pivoted table of a study: prints or writes it; returns an exit code. Throws UsageError, OutputError.
int export_pivot(const Parsed& values, analysis::PivotFormat format) {
  const std::filesystem::path place = values.file("output");
  const bool mean =
      values.choice("statistic", analysis::ShownStatistic::kMedian) == analysis::ShownStatistic::kMean;
  analysis::StoredStudy study = open_results(values.operands.front());
  const analysis::StudyHead& head = study.head();
  const std::vector<std::size_t> rows = axes_named(values, "rows", head),
                                 columns = axes_named(values, "columns", head);
  if (rows.empty() && columns.empty())
    throw UsageError(
        "--rows: name the swept options that have a row for each value, and in --columns a column");
  if (head.metrics.empty()) throw UsageError("--metric: the study has no metrics");
  const std::size_t metric =
      values.has("metric") ? Parsed::index_of("metric", values.text("metric"), names_of(head.metrics)) : 0;
  Finals finals = finals_of(study, points_at(values, head));
  if (finals.labels.empty()) throw_no_points();
  for (auto& labels : finals.labels) labels = head.shown_labels(std::move(labels));
  std::vector<std::size_t> taken = rows;
  taken.insert(taken.end(), columns.begin(), columns.end());
  require_decided(finals.labels, head, taken, "name it in --rows or --columns");

  const auto across = analysis::combinations(finals.labels, columns),
             down = analysis::combinations(finals.labels, rows);
  analysis::PivotTable table{.rows = down.values, .columns = across.values, .symmetric = mean};
  for (const std::size_t a : rows) table.row_axes.push_back(head.axes[a]);
  for (const std::size_t a : columns) table.column_axes.push_back(head.axes[a]);
  if (columns.empty()) table.columns = {{analysis::title_of(head.metrics[metric])}};
  static const Values kNoValues;
  std::vector<std::vector<const Values*>> found(down.values.size(),
                                                std::vector(across.values.size(), &kNoValues));
  table.cells.assign(down.values.size(), std::vector<PivotCell>(across.values.size()));
  const analysis::StudyPlan plan = study.plan();
  LeftOut left_out;
  std::uint32_t most = 0, fewest = std::numeric_limits<std::uint32_t>::max();  // repetitions
  for (std::size_t p = 0; p < finals.labels.size(); ++p) {
    const Values& mine = finals.values[p][metric];
    const std::size_t r = down.of_point[p], c = across.of_point[p];
    found[r][c] = &mine;
    table.cells[r][c] = cell_of(mine, mean, head.antithetic);
    const std::uint32_t planned = plan.points[finals.numbers[p]].repetitions;
    most = std::max(most, planned), fewest = std::min(fewest, planned);
    const auto [done, diverged, failed, interrupted] = finals.outcomes[p];
    const auto numbers =
        static_cast<std::size_t>(std::ranges::count_if(mine, [](double x) { return std::isfinite(x); }));
    left_out.diverged += diverged, left_out.failed += failed;
    left_out.missing += planned - std::min<std::size_t>(planned, done + diverged + failed);
    left_out.infinite += done - std::min(done, numbers);
    if (numbers < planned) {
      Names where = down.values[r];
      where.insert(where.end(), across.values[c].begin(), across.values[c].end());
      left_out.cells.push_back(fmt::format("{}: {} of {}", fmt::join(where, ", "), numbers, planned));
    }
  }
  const analysis::Better better = head.metrics[metric].better;
  const bool has_best = better != analysis::Better::kNone;
  for (std::size_t r = 0; has_best && r < table.rows.size(); ++r)
    mark_best(table.cells[r], found[r], better == analysis::Better::kHigher, head.antithetic);

  table.notes.push_back(
      fmt::format("{} at the end of runs{}: {} over {}{}.", analysis::title_of(head.metrics[metric]),
                  has_best ? fmt::format(", {} is better", name(better)) : "",
                  mean ? "mean \u00b1 half width of its 95 % interval" : "median [quartiles]",
                  fewest < most ? fmt::format("{} to ", fewest) : "", counted(most, "repetition")));
  if (has_best && table.columns.size() > 1)
    table.notes.back() +=
        " Bold: best of its row, where the 95 % interval of the paired difference to each other column "
        "excludes 0.";
  if (!table.column_axes.empty())
    table.notes.back() += fmt::format(" Columns: {}.", fmt::join(table.column_axes, ", "));
  Names fixed;
  for (std::size_t a = 0; a < head.axes.size(); ++a) {
    if (std::ranges::count(taken, a) == 0 && analysis::combinations(finals.labels, {a}).values.size() == 1)
      fixed.push_back(fmt::format("{} = {}", head.axes[a], finals.labels.front()[a]));
  }
  if (!fixed.empty()) table.notes.back() += fmt::format(" At {}.", fmt::join(fixed, ", "));
  if (!left_out.cells.empty()) table.notes.push_back(left_out.note());

  const std::string text = table.text(format);
  if (values.has("output")) {
    analysis::OutputFile file(place, analysis::Existing::kFollowed);
    file.write(text);
    file.commit();
  } else {
    print_rows(text);
  }
  return without_missing(study, kExitDone);
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
  if (format != 1) values->only("with --format graphml", {"point"});
  const auto given = std::ranges::find_if(kPivoted, [&](const char* option) { return values->has(option); });
  if (format >= 2 || (format == 0 && given != kPivoted.end()))
    return export_pivot(*values, format == 0   ? analysis::PivotFormat::kCsv
                                 : format == 2 ? analysis::PivotFormat::kLatex
                                               : analysis::PivotFormat::kMarkdown);
  if (given != kPivoted.end()) throw UsageError(fmt::format("--{}: not with --format graphml", *given));
  const std::filesystem::path folder = values->folder("output", values->operands.front());
  analysis::StoredStudy study = open_results(values->operands.front());
  std::error_code error;
  if (format == 1) {
    require_no_inputs(folder, {"network.graphml"}, study.info("scenario"), study.info("folders"));
    std::filesystem::create_directories(folder, error);
    write_graphml(study, values->whole("point", 0, study.points() - 1), folder / "network.graphml");
    return without_missing(study, kExitDone);
  }
  require_own_files(folder, study.info("scenario"), study.info("folders"));
  std::filesystem::create_directories(folder, error);
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
