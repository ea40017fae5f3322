#include "analysis/results/study.hpp"

#include <array>

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

std::optional<std::size_t> StudyHead::metric(std::string_view wanted) const {
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (metrics[m].name == wanted) return m;
  }
  return std::nullopt;
}

std::vector<double> final_values(const StudyHead& study, const PointResult& point, const RunResult& run) {
  if (run.series.samples.empty()) return {};
  return study.layout(point).means(run.series, run.series.samples.size() - 1);
}

}  // namespace hearsay::analysis
