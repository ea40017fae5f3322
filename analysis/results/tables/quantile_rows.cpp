#include "analysis/results/tables/quantile_rows.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/results/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

// By iteration or time: the number of the sample of each run that counts there, if it has one.
using Rows = std::map<double, std::vector<std::pair<std::size_t, std::size_t>>>;  // (run, sample)

Rows at_equal_iterations(const std::vector<Series>& runs) {
  Rows rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::vector<Sample>& samples = runs[r].samples;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      // Of two samples at one iteration the later one counts.
      if (k + 1 < samples.size() && samples[k + 1].iteration == samples[k].iteration) continue;
      rows[static_cast<double>(samples[k].iteration)].emplace_back(r, k);
    }
  }
  return rows;
}

Rows at_equal_times(const std::vector<Series>& runs) {
  Rows rows;
  for (const Series& run : runs) {
    for (const Sample& s : run.samples) rows[s.time];
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::vector<Sample>& samples = runs[r].samples;
    std::size_t next = 0;
    for (auto& [time, row] : rows) {
      while (next < samples.size() && samples[next].time <= time) ++next;
      if (next > 0) row.emplace_back(r, next - 1);
    }
  }
  return rows;
}

}  // namespace

void write_quantiles(OutputFile& file, const StudyHead& study, const SeriesLayout& layout,
                     const std::string& prefix, const std::vector<Series>& runs) {
  std::vector<double> numbers;
  for (const auto& [place, row] : study.by_time ? at_equal_times(runs) : at_equal_iterations(runs)) {
    const std::string where = study.by_time ? fmt::format(",{}", place) : fmt::format("{},", place);
    for (std::size_t c = 0; c < layout.width(); ++c) {
      const auto [metric, agent] = layout.column(c);
      numbers.clear();
      for (const auto& [run, sample] : row) numbers.push_back(layout.sample(runs[run], sample)[c]);
      const double mean =
          std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
      file.print("{}{},{},{},{},{}", prefix, study.metrics[metric].name, agent_text(agent), where,
                 numbers.size(), mean);
      for (const double p : {0.0, 0.25, 0.5, 0.75, 1.0}) file.print(",{}", quantile(numbers, p));
      file.write("\n");
    }
  }
}

}  // namespace hearsay::analysis
