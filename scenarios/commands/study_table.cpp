#include "scenarios/commands/study_table.hpp"

#include <fmt/format.h>

#include <limits>

#include "analysis/results/tables/output_file.hpp"

namespace hearsay::scenarios {

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

void print_csv(const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows) {
    const std::string line = analysis::csv_prefix(row);
    fmt::print("{}\n", std::string_view(line).substr(0, line.size() - 1));
  }
}

std::string name_of(const analysis::StudyHead& head, const std::vector<std::string>& labels) {
  std::string name;
  for (std::size_t a = 0; a < labels.size(); ++a)
    name += fmt::format("{}{}={}", a == 0 ? "" : ", ", head.axes[a], head.shown_labels(labels)[a]);
  return name;
}

}  // namespace hearsay::scenarios
