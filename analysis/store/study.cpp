#include "analysis/store/study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace hearsay::analysis {

SeriesLayout::SeriesLayout(const std::vector<MetricInfo>& metrics, std::size_t owners,
                           sim::AgentId first_owner)
    : first_owner_(first_owner) {
  for (const MetricInfo& m : metrics) {
    begin_.push_back(begin_.back() + (m.per_agent ? owners : 1));
    per_agent_.push_back(m.per_agent);
  }
}

SeriesLayout::Column SeriesLayout::column(std::size_t c) const {
  const auto next = std::upper_bound(begin_.begin(), begin_.end(), c);
  const auto metric = static_cast<std::size_t>(next - begin_.begin()) - 1;
  if (!per_agent_[metric]) return {metric, {}};
  return {metric, first_owner_ + static_cast<sim::AgentId>(c - begin_[metric])};
}

std::vector<double> SeriesLayout::means(const Series& series, std::size_t k) const {
  std::vector<double> all;
  const std::span<const double> values = sample(series, k);
  for (std::size_t m = 0; m < metrics(); ++m) all.push_back(mean_of_known(values_of(m, values)));
  return all;
}

double mean_of_known(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

namespace {

// `labels` with the texts that `shown` has for them, from number `first` on.
std::vector<std::string> shown_from(const std::vector<std::map<std::string, std::string>>& shown,
                                    std::size_t first, std::vector<std::string> labels) {
  for (std::size_t a = 0; a < labels.size() && first + a < shown.size(); ++a) {
    const auto& texts = shown[first + a];
    if (const auto text = texts.find(labels[a]); text != texts.end()) labels[a] = text->second;
  }
  return labels;
}

}  // namespace

std::vector<std::string> StudyHead::shown_labels(std::vector<std::string> labels) const {
  return shown_from(shown, 0, std::move(labels));
}

std::vector<std::string> StudyHead::shown_tuned(std::vector<std::string> labels) const {
  return shown_from(shown, axes.size(), std::move(labels));
}

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
