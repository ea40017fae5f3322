#include "analysis/results/quantile_table.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/results/series_rows.hpp"
#include "analysis/conclusions/summary.hpp"
#include "analysis/results/tables.hpp"

namespace hearsay::analysis {

namespace {

// For each run the number of its record that counts at a place, or none.
using Rows = std::map<double, std::vector<std::pair<std::size_t, std::size_t>>>;  // place -> (run, record)

Rows at_equal_iterations(const std::vector<Series>& runs) {
  Rows rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::vector<Mark>& marks = runs[r].marks;
    for (std::size_t k = 0; k < marks.size(); ++k) {
      // Of two records at one iteration the later one counts.
      if (k + 1 < marks.size() && marks[k + 1].iteration == marks[k].iteration) continue;
      rows[static_cast<double>(marks[k].iteration)].emplace_back(r, k);
    }
  }
  return rows;
}

Rows at_equal_times(const std::vector<Series>& runs) {
  Rows rows;
  for (const Series& run : runs) {
    for (const Mark& mark : run.marks) rows[mark.time];
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::vector<Mark>& marks = runs[r].marks;
    std::size_t next = 0;
    for (auto& [time, row] : rows) {
      while (next < marks.size() && marks[next].time <= time) ++next;
      if (next > 0) row.emplace_back(r, next - 1);
    }
  }
  return rows;
}

}  // namespace

QuantileTable::QuantileTable(const StudyHead& study, const std::filesystem::path& path)
    : study_(study), file_(path) {
  file_.print("{}metric,agent,iteration,time_s,runs,mean,least,q25,median,q75,greatest\n",
              axes_header(study));
}

void QuantileTable::add(const PointResult& point) {
  end_point();
  point_ = point;
}

void QuantileTable::add(const RunResult& run) {
  if (run.status == Status::kDone) runs_.push_back(run.series);
}

void QuantileTable::end_point() {
  const std::size_t width = width_of(study_, point_.owners);
  std::vector<double> numbers;
  for (const auto& [place, row] : study_.by_time ? at_equal_times(runs_) : at_equal_iterations(runs_)) {
    const std::string where = study_.by_time ? fmt::format(",{}", place) : fmt::format("{},", place);
    std::size_t c = 0;
    for (const Metric* m : study_.metrics) {
      for (std::size_t owner = 0; owner < m->size(point_.owners); ++owner, ++c) {
        numbers.clear();
        for (const auto& [run, record] : row) numbers.push_back(runs_[run].values[record * width + c]);
        const double mean =
            std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
        const std::string agent = m->per_agent ? fmt::format("{}", point_.first_owner + owner) : "";
        file_.print("{}{},{},{},{},{},{},{},{},{},{}\n", axes_labels(point_), m->name, agent, where,
                    numbers.size(), mean, quantile(numbers, 0), quantile(numbers, 0.25),
                    quantile(numbers, 0.5), quantile(numbers, 0.75), quantile(numbers, 1));
      }
    }
  }
  runs_.clear();
}

void QuantileTable::commit() {
  end_point();
  file_.commit();
}

}  // namespace hearsay::analysis
