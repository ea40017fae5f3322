#include "analysis/figures/study_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/results/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Quartiles quartiles(std::vector<double> numbers) {
  std::erase_if(numbers, [](double x) { return !std::isfinite(x); });
  std::sort(numbers.begin(), numbers.end());
  return {quantile(numbers, 0.25), quantile(numbers, 0.5), quantile(numbers, 0.75)};
}

// One run, reduced to what figures need.
struct Reduced {
  std::array<std::vector<double>, kAlongNames.size()> x;  // by along; one per sample
  std::vector<std::vector<double>> metrics;               // by metric; one per sample
  std::vector<std::vector<double>> agents;                // by metric; the last value of each owner
};

Reduced reduce(const StudyHead& head, const SeriesLayout& layout, const Series& series) {
  Reduced r;
  r.metrics.resize(head.metrics.size());
  r.agents.resize(head.metrics.size());
  for (std::size_t k = 0; k < series.samples.size(); ++k) {
    const Sample& s = series.samples[k];
    const double along[] = {static_cast<double>(s.iteration), s.time, static_cast<double>(s.vectors),
                            static_cast<double>(s.bytes)};
    for (std::size_t a = 0; a < r.x.size(); ++a) r.x[a].push_back(along[a]);
    const std::vector<double> means = layout.means(series, k);
    for (std::size_t m = 0; m < means.size(); ++m) r.metrics[m].push_back(means[m]);
  }
  for (std::size_t m = 0; m < head.metrics.size() && !series.samples.empty(); ++m) {
    if (!head.metrics[m].per_agent) continue;
    const auto last = layout.values_of(m, layout.sample(series, series.samples.size() - 1));
    r.agents[m].assign(last.begin(), last.end());
  }
  return r;
}

// `most` of 0 .. size - 1, evenly, the first and the last among them.
std::vector<std::size_t> spread(std::size_t size, std::size_t most) {
  std::vector<std::size_t> all;
  const std::size_t count = std::min(size, std::max<std::size_t>(most, 2));
  for (std::size_t i = 0; i < count; ++i) all.push_back(count < 2 ? 0 : i * (size - 1) / (count - 1));
  return all;
}

// The places at which the curves of a point are drawn.
std::vector<double> grid(const std::vector<Reduced>& runs, std::size_t along, std::size_t samples) {
  const auto same = [&](const Reduced& r) { return r.x[along] == runs.front().x[along]; };
  std::vector<double> places;
  if (std::all_of(runs.begin(), runs.end(), same)) {
    const std::vector<double>& x = runs.front().x[along];
    for (const std::size_t k : spread(x.size(), samples)) {
      // Of samples at the same place the last counts.
      if (!places.empty() && places.back() == x[k]) places.pop_back();
      places.push_back(x[k]);
    }
    return places;
  }
  double last = 0;
  std::size_t most = 0;
  for (const Reduced& r : runs) {
    if (!r.x[along].empty()) last = std::max(last, r.x[along].back());
    most = std::max(most, r.x[along].size());
  }
  const std::size_t count = std::clamp<std::size_t>(most, 2, samples);
  for (std::size_t k = 0; k < count; ++k)
    places.push_back(last * static_cast<double>(k) / static_cast<double>(count - 1));
  return places;
}

Curve curve(const std::vector<Reduced>& runs, std::size_t metric, std::size_t along,
            const std::vector<double>& at) {
  Curve c{.x = at};
  std::vector<std::size_t> next(runs.size(), 0);
  std::vector<double> numbers;
  for (const double x : at) {
    numbers.clear();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::vector<double>& places = runs[r].x[along];
      while (next[r] < places.size() && places[next[r]] <= x) ++next[r];
      if (next[r] > 0) numbers.push_back(runs[r].metrics[metric][next[r] - 1]);
    }
    c.y.push_back(quartiles(numbers));
  }
  return c;
}

std::vector<Quartiles> agents_of(const std::vector<Reduced>& runs, std::size_t metric, std::size_t owners,
                                 std::size_t most) {
  std::vector<Quartiles> all;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < owners; ++i) {
    numbers.clear();
    for (const Reduced& r : runs) {
      if (i < r.agents[metric].size()) numbers.push_back(r.agents[metric][i]);
    }
    all.push_back(quartiles(numbers));
  }
  if (owners <= most) return all;
  std::sort(all.begin(), all.end(),
            [](const Quartiles& a, const Quartiles& b) { return a.median < b.median; });
  std::vector<Quartiles> some;
  for (const std::size_t i : spread(owners, most)) some.push_back(all[i]);
  return some;
}

// Collects the runs of one point and closes it.
class Gathering {
 public:
  Gathering(StudyData& data, const FigureLimits& limits, std::size_t points)
      : data_(data), limits_(limits), with_curves_(points), with_agents_(points) {
    for (const std::size_t p : spread(points, std::min(limits.curves, points))) with_curves_[p] = true;
    for (const std::size_t p : spread(points, std::min(limits.agent_points, points))) with_agents_[p] = true;
    const std::size_t lines = std::min(points, limits.curves) * kAlongNames.size() * data.head.metrics.size();
    samples_ = std::clamp(limits.rows / std::max<std::size_t>(lines, 1),
                          std::min<std::size_t>(20, limits.samples), limits.samples);
  }
  void begin(const PointResult& point) {
    end();
    open_ = true;
    data_.points.push_back({.number = data_.points.size(),
                            .labels = point.labels,
                            .owners = point.owners,
                            .first_owner = point.first_owner});
    layout_ = data_.head.layout(point);
    add_baselines(point.scalars);
  }
  void add(const RunResult& run) {
    add_baselines(run.scalars);
    data_.diverged += run.status == Status::kDiverged ? 1u : 0u;
    data_.failed += run.status == Status::kFailed ? 1u : 0u;
    data_.unfinished += run.status == Status::kInterrupted ? 1u : 0u;
    if (run.status == Status::kDone) runs_.push_back(reduce(data_.head, layout_, run.series));
  }
  void end() {
    if (!open_) return;
    open_ = false;
    FigurePoint& point = data_.points.back();
    const std::size_t metrics = data_.head.metrics.size();
    point.runs = runs_.size();
    point.agents.resize(metrics);
    for (std::size_t m = 0; m < metrics; ++m) {
      std::vector<double> last;
      for (const Reduced& r : runs_) {
        if (!r.metrics[m].empty()) last.push_back(r.metrics[m].back());
      }
      point.finals.push_back(quartiles(last));
      if (data_.head.metrics[m].per_agent && with_agents_[point.number])
        point.agents[m] = agents_of(runs_, m, point.owners, limits_.agents);
    }
    if (!runs_.empty() && with_curves_[point.number]) add_curves(point);
    for (const char* name : {"isolated", "pooled"}) add_baseline(point, name);
    runs_.clear();
    baselines_.clear();
  }

 private:
  void add_baselines(const std::vector<Scalar>& scalars) {
    for (const Scalar& s : scalars) {
      if (!s.agent) baselines_.emplace_back(s.name, s.value);
    }
  }
  void add_baseline(FigurePoint& point, const char* name) {
    std::vector<double> values;
    bool any = false;
    for (const MetricInfo& m : data_.head.metrics) {
      const std::string wanted = fmt::format("{}.{}", name, m.name);
      std::vector<double> found;
      for (const auto& [key, value] : baselines_) {
        if (key == wanted) found.push_back(value);
      }
      any = any || !found.empty();
      values.push_back(quantile(found, 0.5));
    }
    if (any) point.baselines.emplace_back(name, std::move(values));
  }
  void add_curves(FigurePoint& point) {
    point.curves.resize(data_.head.metrics.size());
    for (std::size_t along = 0; along < kAlongNames.size(); ++along) {
      const std::vector<double> at = grid(runs_, along, samples_);
      if (at.empty() || at.back() == at.front()) continue;
      for (std::size_t m = 0; m < point.curves.size(); ++m)
        point.curves[m][along] = curve(runs_, m, along, at);
    }
    for (const Reduced& r : runs_) longest_ = std::max(longest_, r.x[0].size());
  }

  StudyData& data_;
  const FigureLimits& limits_;
  std::vector<bool> with_curves_, with_agents_;
  std::size_t samples_;
  SeriesLayout layout_;
  std::vector<Reduced> runs_;
  std::vector<std::pair<std::string, double>> baselines_;
  bool open_ = false;

 public:
  std::size_t longest_ = 0;  // most samples of a run
  std::size_t samples() const { return samples_; }
};

}  // namespace

FigureAxis make_axis(std::string name, const std::vector<std::string>& labels, const LabelNumber& number) {
  FigureAxis axis{.name = std::move(name)};
  for (const std::string& label : labels) {
    if (std::find(axis.labels.begin(), axis.labels.end(), label) == axis.labels.end())
      axis.labels.push_back(label);
  }
  std::vector<std::pair<double, std::string>> numbers;
  for (const std::string& label : axis.labels) {
    const std::optional<double> x = number(label);
    if (!x || !std::isfinite(*x)) return axis;
    numbers.emplace_back(*x, label);
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    axis.numbers.push_back(numbers[i].first);
    axis.labels[i] = numbers[i].second;
  }
  // Logarithmic: the steps vary by a larger factor than the ratios do.
  const auto& x = axis.numbers;
  if (x.size() < 2 || x.front() <= 0 || x.back() / x.front() < 10) return axis;
  if (x.size() == 2) {
    axis.logarithmic = true;
    return axis;
  }
  double step[2] = {HUGE_VAL, 0}, factor[2] = {HUGE_VAL, 0};
  for (std::size_t i = 1; i < x.size(); ++i) {
    step[0] = std::min(step[0], x[i] - x[i - 1]);
    step[1] = std::max(step[1], x[i] - x[i - 1]);
    factor[0] = std::min(factor[0], std::log(x[i] / x[i - 1]));
    factor[1] = std::max(factor[1], std::log(x[i] / x[i - 1]));
  }
  axis.logarithmic = step[1] / step[0] > factor[1] / factor[0];
  return axis;
}

StudyData gather(StoredStudy& study, const LabelNumber& number, const FigureLimits& limits) {
  StudyData data;
  data.head = study.head();
  const std::size_t points = study.points();
  Gathering gathering(data, limits, points);
  study.each_run([&](const PointResult& point) { gathering.begin(point); },
                 [&](const PointResult&, const RunResult& run) { gathering.add(run); });
  gathering.end();

  for (std::size_t a = 0; a < data.head.axes.size(); ++a) {
    std::vector<std::string> labels;
    for (const FigurePoint& p : data.points) labels.push_back(p.labels[a]);
    data.axes.push_back(make_axis(data.head.axes[a], labels, number));
  }
  if (points > limits.curves)
    data.omitted.push_back(fmt::format("curves of {} of {} points, evenly spaced", limits.curves, points));
  if (gathering.longest_ > gathering.samples())
    data.omitted.push_back(fmt::format("{} of up to {} samples of a run, evenly spaced", gathering.samples(),
                                       gathering.longest_));
  const auto crowd = std::find_if(data.points.begin(), data.points.end(),
                                  [&](const FigurePoint& p) { return p.owners > limits.agents; });
  const bool per_agent = std::any_of(data.head.metrics.begin(), data.head.metrics.end(),
                                     [](const MetricInfo& m) { return m.per_agent; });
  if (per_agent && crowd != data.points.end())
    data.omitted.push_back(
        fmt::format("{} of {} agents, evenly spaced in order of their value", limits.agents, crowd->owners));
  if (per_agent && points > limits.agent_points)
    data.omitted.push_back(
        fmt::format("values of each agent at {} of {} points", limits.agent_points, points));
  if (points > limits.points) {
    data.omitted.push_back(fmt::format("the first {} of {} points", limits.points, points));
    data.points.resize(limits.points);
  }
  return data;
}

}  // namespace hearsay::analysis
