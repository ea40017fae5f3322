#include "analysis/tables/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "analysis/tables/baseline_text.hpp"
#include "sim/files/text.hpp"

namespace hearsay::analysis {

double quantile(std::vector<double> numbers, double p) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(numbers.begin(), numbers.end());
  const double position = p * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  if (below + 1 >= numbers.size()) return numbers.back();
  const double share = position - static_cast<double>(below);
  // Infinite ones may be equal.
  if (share == 0 || numbers[below] == numbers[below + 1]) return numbers[below];
  return numbers[below] + share * (numbers[below + 1] - numbers[below]);
}

Quartiles quartiles(std::vector<double> numbers) {
  std::erase_if(numbers, [](double x) { return std::isnan(x); });
  std::sort(numbers.begin(), numbers.end());
  return {quantile(numbers, 0.25), quantile(numbers, 0.5), quantile(numbers, 0.75)};
}

double student_half_width(double confidence, double freedom, double deviation) {
  const boost::math::students_t student(freedom);
  return boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2)) * deviation;
}

std::vector<double> pair_means(const std::vector<double>& values) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> means;
  for (std::size_t r = 0; r < values.size(); r += 2)
    means.push_back(r + 1 < values.size() ? (values[r] + values[r + 1]) / 2 : kNan);
  return means;
}

std::vector<double> independent_values(const std::vector<double>& values, bool antithetic) {
  return antithetic ? pair_means(values) : values;
}

Statistics statistics_of(std::vector<double> numbers, bool antithetic) {
  Statistics s{quartiles(numbers)};
  numbers = independent_values(numbers, antithetic);
  std::erase_if(numbers, [](double x) { return std::isnan(x); });
  if (numbers.empty()) return s;
  const auto count = static_cast<double>(numbers.size());
  s.mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  if (count < 2 || !std::isfinite(s.mean)) return s;
  double squares = 0;
  for (const double x : numbers) squares += (x - s.mean) * (x - s.mean);
  const double half = student_half_width(0.95, count - 1, std::sqrt(squares / (count - 1) / count));
  s.mean_low = s.mean - half;
  s.mean_high = s.mean + half;
  return s;
}

PointCollector::PointCollector(const StudyHead& study, const PointResult& point)
    : study_(study), point_(point), finals_(study.metrics.size()) {
  add_baselines(point.scalars);
}

void PointCollector::add_baselines(const std::vector<Scalar>& scalars) {
  for (const Scalar& s : scalars) {
    if (!s.agent) baselines_.emplace_back(s.name, s.value);
  }
  // Of per-agent metrics the mean over agents, as of the metrics of runs.
  for (const MetricInfo& m : study_.metrics) {
    for (const char* baseline : {"isolated.", "pooled."}) {
      std::vector<double> values;
      for (const Scalar& s : scalars) {
        if (m.per_agent && s.agent && s.name == baseline + m.name) values.push_back(s.value);
      }
      if (!values.empty()) baselines_.emplace_back(baseline + m.name, mean_of_known(values));
    }
  }
}

void PointCollector::add(const RunResult& run) {
  add_baselines(run.scalars);
  if (run.status != Status::kDone) return;
  ++runs_;
  const std::vector<double> values = final_values(study_, point_, run);
  for (std::size_t m = 0; m < values.size(); ++m) {
    if (study_.antithetic) finals_[m].resize(run.repetition, std::numeric_limits<double>::quiet_NaN());
    finals_[m].push_back(values[m]);
  }
}

PointSummary PointCollector::summary() const {
  PointSummary all{.labels = point_.labels, .tuned = point_.tuned, .runs = runs_};
  for (const auto& numbers : finals_) all.finals.push_back(statistics_of(numbers, study_.antithetic));
  for (const char* name : {"isolated", "pooled"}) {
    std::vector<double> medians, means, found;
    for (const MetricInfo& m : study_.metrics) {
      found.clear();
      const std::string wanted = fmt::format("{}.{}", name, m.name);
      for (const auto& [baseline, value] : baselines_) {
        if (baseline == wanted) found.push_back(value);
      }
      const Statistics s = statistics_of(found);
      medians.push_back(s.median);
      means.push_back(s.mean);
    }
    if (std::any_of(medians.begin(), medians.end(), [](double x) { return !std::isnan(x); })) {
      all.baselines.emplace_back(name, std::move(medians));
      all.baseline_means.emplace_back(name, std::move(means));
    }
  }
  return all;
}

std::string rounded(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.4g}", x);
}

std::string interval_text(double low, double high) {
  return std::isnan(low) ? "-" : fmt::format("[{}, {}]", rounded(low), rounded(high));
}

namespace {

using Cells = std::vector<std::vector<std::string>>;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

// Number of characters of UTF-8 text.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

// The text with its middle replaced by "..." where it has more than `most` characters.
std::string shortened(const std::string& text, std::size_t most) {
  const std::size_t all = characters(text), head = (most - 3) / 2, tail = most - 3 - head;
  if (all <= most) return text;
  std::string out;
  std::size_t number = 0;  // of the character
  for (const char c : text) {
    number += begins_character(c) ? 1 : 0;
    if (number <= head || number > all - tail) out += c;
    if (number == head + 1 && begins_character(c)) out += "...";
  }
  return out;
}

std::vector<std::size_t> widths_of(const Cells& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], characters(row[c]));
  }
  return widths;
}

// Width of these columns with two spaces before each but the first.
template <class Columns>
std::size_t width_of(const std::vector<std::size_t>& widths, const Columns& columns) {
  std::size_t all = 0;
  for (const std::size_t c : columns) all += widths[c] + 2;
  return all - 2;
}

void print_columns(std::string& text, const Cells& rows, const std::vector<std::size_t>& widths,
                   const std::vector<std::size_t>& columns) {
  for (const auto& row : rows) {
    std::string line;
    for (const std::size_t c : columns) {
      const std::string cell = c < row.size() ? row[c] : "";
      line += std::string((c == columns.front() ? 0 : 2) + widths[c] - characters(cell), ' ') + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
}

}  // namespace

std::string align(const Cells& texts, std::size_t width, std::size_t fixed) {
  constexpr std::size_t kLongestCell = 200;
  Cells rows = texts;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = sim::printable(cell, kLongestCell);
  }
  std::vector<std::size_t> widths = widths_of(rows), columns(widths.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::string text;
  if (columns.empty()) return text;
  if (width == 0 || width_of(widths, columns) <= width || fixed >= columns.size()) {
    print_columns(text, rows, widths, columns);
    return text;
  }
  const std::vector<std::size_t> first(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(fixed));
  const std::size_t widest =
      *std::max_element(widths.begin() + static_cast<std::ptrdiff_t>(fixed), widths.end());
  Cells cells = rows;
  // The widest of the first columns give way until one more column fits.
  constexpr std::size_t kMinLabel = 12;
  while (fixed > 0 && width_of(widths, first) + 2 + widest > width) {
    std::size_t& largest =
        *std::max_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(fixed));
    if (largest <= kMinLabel) break;
    --largest;
  }
  for (auto& row : cells) {
    for (std::size_t c = 0; c < std::min(fixed, row.size()); ++c)
      row[c] = shortened(row[c], std::max(widths[c], kMinLabel));
  }
  for (std::size_t next = fixed; next < columns.size();) {
    std::vector<std::size_t> block = first;
    do {
      block.push_back(next++);
    } while (next < columns.size() && width_of(widths, block) + 2 + widths[next] <= width);
    if (!text.empty()) text += "\n";
    print_columns(text, cells, widths, block);
  }
  if (cells != rows) text += "labels are shortened to the width of the terminal\n";
  return text;
}

std::string title_of(const MetricInfo& metric) {
  return metric.unit.empty() ? metric.name : fmt::format("{} ({})", metric.name, metric.unit);
}

std::string selected_title(const std::string& option) {
  return option + " (selected)";
}

std::vector<std::string> selected(const std::vector<std::string>& texts, const std::vector<bool>& wanted) {
  std::vector<std::string> some;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (wanted[k]) some.push_back(texts[k]);
  }
  return some;
}

std::string summary_text(const StudyHead& study, const std::vector<PointSummary>& points, std::size_t width,
                         std::size_t most) {
  Cells labels, rows(1);
  for (const PointSummary& point : points) labels.push_back(point.labels);
  std::vector<bool> wanted = distinguishing_axes(labels, study.groups, study.axes.size());
  std::string shared;
  for (std::size_t a = 0; a < study.axes.size() && points.size() > 1; ++a) {
    const bool equal = std::all_of(labels.begin(), labels.end(),
                                   [&](const auto& of_point) { return of_point[a] == labels.front()[a]; });
    if (equal && wanted[a])
      shared += fmt::format("{} = {} at all points\n", study.axes[a], study.shown_labels(labels.front())[a]);
    if (equal) wanted[a] = false;
  }
  rows[0] = selected(study.axes, wanted);
  for (const std::string& option : study.tuned) rows[0].push_back(selected_title(option));
  const std::size_t axes = rows[0].size();
  rows[0].emplace_back("runs");
  for (const MetricInfo& m : study.metrics) rows[0].push_back(m.name + " [quartiles]");
  for (std::size_t p = 0; p < std::min(points.size(), most); ++p) {
    auto& row = rows.emplace_back(selected(study.shown_labels(points[p].labels), wanted));
    for (std::string& label : study.shown_tuned(points[p].tuned)) row.push_back(std::move(label));
    row.push_back(std::to_string(points[p].runs));
    for (const Quartiles& q : points[p].finals)
      row.push_back(std::isnan(q.median) ? "-" : rounded(q.median) + " " + interval_text(q.low, q.high));
    for (const auto& [name, medians] : points[p].baselines) {
      auto& line = rows.emplace_back(axes);
      line.push_back(name);
      for (const double x : medians) line.push_back(std::isnan(x) ? "" : rounded(x));
    }
  }
  std::string below;
  if (!points.empty()) {
    for (const std::string& line : baseline_lines(study, points.front())) below += line + "\n";
  }
  return shared + align(rows, width, axes + 1) + below +
         (points.size() <= most ? "" : fmt::format("... and {} more points\n", points.size() - most));
}

std::vector<bool> distinguishing_axes(const std::vector<std::vector<std::string>>& labels,
                                      const std::vector<std::size_t>& groups, std::size_t axes,
                                      const std::vector<std::size_t>& taken) {
  std::vector<bool> distinguishing(axes, true);
  const auto is_taken = [&](std::size_t axis) {
    return std::find(taken.begin(), taken.end(), axis) != taken.end();
  };
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    while (end < groups.size() && groups[end] == groups[begin]) ++end;
    std::vector<std::size_t> order;
    for (std::size_t axis = begin; axis < end; ++axis) order.push_back(axis);
    std::stable_partition(order.begin(), order.end(), is_taken);
    std::vector<std::vector<std::string>> so_far(labels.size());
    std::size_t combinations = 1;  // of the axes before
    for (const std::size_t axis : order) {
      for (std::size_t p = 0; p < labels.size(); ++p) so_far[p].push_back(labels[p][axis]);
      const std::size_t now = std::set(so_far.begin(), so_far.end()).size();
      distinguishing[axis] = axis == order.front() || is_taken(axis) || now > combinations;
      combinations = now;
    }
  }
  return distinguishing;
}

}  // namespace hearsay::analysis
