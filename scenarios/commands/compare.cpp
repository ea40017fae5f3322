// hearsay compare: each point of a study with a reference point, or the points of two studies with equal axes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analysis/conclusions/estimate.hpp"
#include "analysis/results/store/stored_study.hpp"
#include "analysis/results/tables/summary.hpp"
#include "scenarios/commands/command.hpp"

namespace hearsay::scenarios {

namespace {

// The metrics at the end of every run, by point, metric and repetition; NaN where a run is missing.
struct Finals {
  std::vector<std::vector<std::string>> labels;
  std::vector<std::vector<std::vector<double>>> values;
};

Finals finals_of(analysis::StoredStudy& study) {
  Finals all;
  study.each_run(
      [&](const analysis::PointResult& point) {
        all.labels.push_back(point.labels);
        all.values.emplace_back(study.head().metrics.size());
      },
      [&](const analysis::PointResult& point, const analysis::RunResult& run) {
        if (run.status != analysis::Status::kDone) return;
        const std::vector<double> last = analysis::final_values(study.head(), point, run);
        for (std::size_t m = 0; m < last.size(); ++m) {
          std::vector<double>& mine = all.values.back()[m];
          mine.resize(run.repetition, std::numeric_limits<double>::quiet_NaN());
          mine.push_back(last[m]);
        }
      });
  return all;
}

std::vector<std::string> row(const std::vector<std::string>& labels, const std::string& metric,
                             const analysis::Difference& d) {
  std::vector<std::string> cells = labels;
  cells.insert(cells.end(), {metric, std::to_string(d.pairs), analysis::rounded(d.mean),
                             analysis::interval_text(d.low, d.high), analysis::rounded(d.reduction)});
  return cells;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments,
      {"compare DIR [DIR] [--reference N] [--confidence C]",
       {{"reference", "N", "number of the point that the others are compared with (see show --runs)", "0"},
        {"confidence", "C", "confidence level of the intervals", "0.95"}},
       "one or two folders",
       1,
       2});
  if (!values) return kExitDone;
  const std::vector<std::string>& folders = values->operands;
  const double confidence = values->number("confidence", 1e-9, 1 - 1e-9);

  analysis::StoredStudy study(folders.front());
  const analysis::StudyHead head = study.head();
  const Finals first = finals_of(study);
  std::vector<std::vector<std::string>> rows{head.axes};
  for (const char* title : {"metric", "pairs", "mean difference", "interval", "variance reduction"})
    rows[0].emplace_back(title);
  const auto add = [&](const std::vector<std::string>& labels, const auto& from, const auto& to) {
    for (std::size_t m = 0; m < head.metrics.size(); ++m) {
      rows.push_back(
          row(labels, head.metrics[m].name, analysis::paired_difference(from[m], to[m], confidence)));
    }
  };
  if (folders.size() == 2) {
    analysis::StoredStudy second(folders[1]);
    if (second.head().axes != head.axes || second.head().metrics != head.metrics)
      throw UsageError("the two studies have different axes or metrics; compare studies of the same sweep");
    const Finals other = finals_of(second);
    for (std::size_t p = 0; p < first.labels.size(); ++p) {
      const auto equal = std::find(other.labels.begin(), other.labels.end(), first.labels[p]);
      if (equal == other.labels.end()) continue;
      add(first.labels[p], first.values[p],
          other.values[static_cast<std::size_t>(equal - other.labels.begin())]);
    }
    fmt::print("{} minus {}, point by point", folders[1], folders[0]);
  } else {
    const std::size_t reference = values->whole("reference", 0, first.labels.size() - 1);
    for (std::size_t p = 0; p < first.labels.size(); ++p) {
      if (p != reference) add(first.labels[p], first.values[reference], first.values[p]);
    }
    std::string name;
    for (std::size_t a = 0; a < head.axes.size(); ++a)
      name += fmt::format("{}{}={}", a == 0 ? "" : ", ", head.axes[a], first.labels[reference][a]);
    fmt::print("differences from point {} ({})", reference, name);
  }
  fmt::print(
      ", metrics at the end of runs, paired by repetition;\nStudent's t intervals of {:g} % confidence. "
      "Variance "
      "reduction: variance for independent runs over that for pairs.\n\n{}",
      100 * confidence, analysis::align(rows));
  return kExitDone;
}

}  // namespace hearsay::scenarios
