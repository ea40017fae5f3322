#include "scenarios/commands/study_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "analysis/metrics/metric.hpp"
#include "analysis/store/output_file.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

Names metric_names() {
  return names_of(analysis::metrics());
}

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
    std::string line = analysis::csv_prefix(row);
    line.back() = '\n';
    print_rows(line);
  }
}

std::string not_shared(std::string_view noun, std::string_view plural, const std::string& a,
                       const Names& of_a, const std::string& b, const Names& of_b) {
  std::string text;
  const auto add = [&](const std::string& study, const Names& mine, const Names& others) {
    Names own = mine;
    std::erase_if(own, [&](const std::string& name) { return std::ranges::count(others, name) > 0; });
    if (!own.empty())
      text += fmt::format("; only {} has the {} {}", study, own.size() == 1 ? noun : plural,
                          fmt::join(own, ", "));
  };
  add(a, of_a, of_b);
  add(b, of_b, of_a);
  return text;
}

std::string name_of(const analysis::StudyHead& head, const std::vector<std::string>& labels) {
  std::string name;
  for (std::size_t a = 0; a < labels.size(); ++a)
    name += fmt::format("{}{}={}", a == 0 ? "" : ", ", head.axes[a], printable(head.shown_labels(labels)[a]));
  return name;
}

std::string run_name(const analysis::StudyHead& head, const analysis::PointResult& point,
                     std::uint32_t repetition) {
  std::string name;
  for (std::size_t a = 0; a < head.axes.size(); ++a)
    name += fmt::format("{}={}, ", head.axes[a], printable(point.labels[a]));
  return name + fmt::format("repetition {}", repetition);
}

}  // namespace hearsay::scenarios
