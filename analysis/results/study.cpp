#include "analysis/results/study.hpp"

#include <algorithm>

namespace hearsay::analysis {

std::optional<std::size_t> StudyHead::metric(std::string_view wanted) const {
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const MetricInfo& m) { return m.name == wanted; });
  if (found == metrics.end()) return std::nullopt;
  return static_cast<std::size_t>(found - metrics.begin());
}

std::vector<double> final_values(const StudyHead& study, const PointResult& point, const RunResult& run) {
  if (run.series.samples.empty()) return {};
  return study.layout(point).means(run.series, run.series.samples.size() - 1);
}

}  // namespace hearsay::analysis
