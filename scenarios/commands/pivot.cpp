#include "scenarios/commands/pivot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/conclusions/estimate.hpp"
#include "analysis/figures/pictures.hpp"
#include "analysis/store/output_file.hpp"
#include "analysis/tables/summary.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/study_table.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

using analysis::PivotCell;
using Values = std::vector<double>;  // by repetition

PivotCell cell_of(const Values& values, bool mean, bool antithetic) {
  const analysis::Statistics s = analysis::statistics_of(values, antithetic);
  if (!mean) return {.centre = s.median, .low = s.low, .high = s.high};
  // One number has no interval.
  if (std::ranges::count_if(analysis::independent_values(values, antithetic),
                            [](double x) { return std::isfinite(x); }) < 2)
    return {.centre = s.mean};
  return {.centre = s.mean, .low = s.mean_low, .high = s.mean_high};
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

}  // namespace

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
  const bool higher = head.metrics[metric].higher_is_better;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    mark_best(table.cells[r], found[r], higher, head.antithetic);

  table.notes.push_back(
      fmt::format("{} at the end of runs, {} is better: {} over {}{}.",
                  analysis::title_of(head.metrics[metric]), higher ? "higher" : "lower",
                  mean ? "mean \u00b1 half width of its 95 % interval" : "median [quartiles]",
                  fewest < most ? fmt::format("{} to ", fewest) : "", counted(most, "repetition")));
  if (table.columns.size() > 1)
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

}  // namespace hearsay::scenarios
