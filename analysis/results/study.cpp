#include "analysis/results/study.hpp"

#include <array>
#include <numeric>

namespace hearsay::analysis {

namespace {

constexpr std::array<std::string_view, 4> kStatusNames{"done", "diverged", "failed", "interrupted"};
constexpr std::array<std::string_view, 11> kEndNames{"finished", "iterations", "time",       "vectors",
                                                     "bytes",    "events",     "idle",       "target",
                                                     "wall",     "budgets",    "interrupted"};

template <class E, std::size_t N>
std::optional<E> value_of(const std::array<std::string_view, N>& names, std::string_view wanted) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == wanted) return static_cast<E>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Status status) {
  return kStatusNames.at(static_cast<std::size_t>(status));
}

std::string_view name(RunEnd end) {
  return kEndNames.at(static_cast<std::size_t>(end));
}

std::optional<Status> status_of(std::string_view name) {
  return value_of<Status>(kStatusNames, name);
}

std::optional<RunEnd> end_of(std::string_view name) {
  return value_of<RunEnd>(kEndNames, name);
}

std::vector<double> final_values(const StudyHead& study, const PointResult& point, const RunResult& run) {
  std::vector<double> all;
  if (run.series.marks.empty()) return all;
  const double* at = run.series.values.data() + run.series.values.size();
  for (const Metric* m : study.metrics) at -= m->size(point.owners);
  for (const Metric* m : study.metrics) {
    const std::size_t size = m->size(point.owners);
    all.push_back(std::accumulate(at, at + size, 0.0) / static_cast<double>(size));
    at += size;
  }
  return all;
}

}  // namespace hearsay::analysis
