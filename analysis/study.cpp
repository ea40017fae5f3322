#include "analysis/study.hpp"

#include <numeric>

namespace hearsay::analysis {

std::string_view name(Status status) {
  switch (status) {
    case Status::kDone:
      return "done";
    case Status::kDiverged:
      return "diverged";
    case Status::kFailed:
      return "failed";
    case Status::kInterrupted:
      return "interrupted";
  }
  return "";
}

std::string_view name(sim::End end) {
  switch (end) {
    case sim::End::kFinished:
      return "finished";
    case sim::End::kTime:
      return "time";
    case sim::End::kEvents:
      return "events";
    case sim::End::kIdle:
      return "idle";
  }
  return "";
}

std::vector<double> final_values(const StudyResult& study, const RunResult& run) {
  std::vector<double> all;
  if (run.series.marks.empty()) return all;
  const std::size_t owners = study.points[run.point].owners;
  std::size_t width = 0;
  for (const Metric* m : study.metrics) width += m->size(owners);
  auto at = run.series.values.end() - static_cast<std::ptrdiff_t>(width);
  for (const Metric* m : study.metrics) {
    const auto size = static_cast<std::ptrdiff_t>(m->size(owners));
    all.push_back(std::accumulate(at, at + size, 0.0) / static_cast<double>(size));
    at += size;
  }
  return all;
}

}  // namespace hearsay::analysis
