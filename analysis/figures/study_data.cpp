#include "analysis/figures/study_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "analysis/figures/owner_values.hpp"
#include "analysis/store/json.hpp"
#include "sim/files/csv_table.hpp"

namespace hearsay::analysis {

namespace {

ReducedRun reduce(const StudyHead& head, const SeriesLayout& layout, const RunResult& run) {
  const Series& series = run.series;
  const std::size_t metrics = head.metrics.size(), samples = series.samples.size();
  ReducedRun r;
  r.repetition = run.repetition;
  r.scalars = run.scalars;
  r.metrics.resize(metrics);
  r.last.resize(metrics);
  for (std::size_t k = 0; k < samples; ++k) {
    const auto along = series.samples[k].numbers();
    for (std::size_t a = 0; a < along.size(); ++a) r.x[a].push_back(along[a]);
    const std::vector<double> means = layout.means(series, k);
    for (std::size_t m = 0; m < metrics; ++m) r.metrics[m].push_back(means[m]);
  }
  for (std::size_t m = 0; m < metrics && samples > 0; ++m) {
    const auto last = layout.values_of(m, layout.sample(series, samples - 1));
    r.last[m].assign(last.begin(), last.end());
  }
  return r;
}

// The places at which the curves of a point are drawn, at most `samples`: see Curve. As hearsay/study.py has it.
std::vector<double> grid(const std::vector<ReducedRun>& runs, std::size_t along, std::size_t samples) {
  std::vector<double> all, ends;
  for (const ReducedRun& r : runs) {
    if (r.x[along].empty()) continue;
    std::ranges::unique_copy(r.x[along], std::back_inserter(all));
    ends.push_back(r.x[along].back());
  }
  std::ranges::sort(all);
  std::ranges::sort(ends);
  std::vector<double> places;
  std::size_t records = 0, ended = 0;  // since the last place; runs that ended before
  for (std::size_t k = 0; k < all.size(); ++k) {
    ++records;
    if (k + 1 < all.size() && all[k + 1] == all[k]) continue;
    while (ends[ended] < all[k]) ++ended;
    if (records < ends.size() - ended) continue;
    places.push_back(all[k]);
    records = 0;
  }
  std::vector<double> some;
  for (const std::size_t k : spread(places.size(), samples)) some.push_back(places[k]);
  return some;
}

Curve curve(const std::vector<ReducedRun>& runs, std::size_t metric, std::size_t along,
            const std::vector<double>& at, bool antithetic) {
  Curve c{.x = at};
  std::vector<std::size_t> next(runs.size(), 0);
  std::vector<double> numbers;
  for (const double x : at) {
    numbers.clear();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::vector<double>& places = runs[r].x[along];
      while (next[r] < places.size() && places[next[r]] <= x) ++next[r];
      if (next[r] == 0) continue;
      if (antithetic) numbers.resize(runs[r].repetition, std::numeric_limits<double>::quiet_NaN());
      numbers.push_back(runs[r].metrics[metric][next[r] - 1]);
    }
    c.y.push_back(statistics_of(numbers, antithetic));
  }
  return c;
}

std::vector<std::array<Curve, kAlongNames.size()>> curves_of(const std::vector<ReducedRun>& runs,
                                                             std::size_t metrics, std::size_t samples,
                                                             bool antithetic) {
  std::vector<std::array<Curve, kAlongNames.size()>> all(metrics);
  for (std::size_t along = 0; along < kAlongNames.size(); ++along) {
    const std::vector<double> at = grid(runs, along, samples);
    if (at.empty() || at.back() == at.front()) continue;
    for (std::size_t m = 0; m < metrics; ++m) all[m][along] = curve(runs, m, along, at, antithetic);
  }
  return all;
}

// The different networks of the study, as far as they are small enough to be drawn.
class Networks {
 public:
  Networks(StoredStudy& study, std::size_t nodes) : study_(study), most_(nodes) {}
  std::optional<std::size_t> place_of(std::optional<std::int64_t> number) {
    if (!number) return std::nullopt;
    const auto [found, is_new] = places_.try_emplace(*number);
    if (!is_new) return found->second;
    NetworkGraph network = study_.network(*number);
    if (network.nodes.size() > most_ || links_ + network.links.size() > 5 * most_)
      return ++omitted_, std::nullopt;
    if (network.nodes.empty()) return std::nullopt;
    links_ += network.links.size();
    all_.push_back(std::move(network));
    return found->second = all_.size() - 1;
  }
  std::size_t omitted() const { return omitted_; }
  std::vector<NetworkGraph> take() { return std::move(all_); }

 private:
  StoredStudy& study_;
  std::size_t most_, links_ = 0, omitted_ = 0;
  std::map<std::int64_t, std::optional<std::size_t>> places_;
  std::vector<NetworkGraph> all_;
};

std::vector<bool> chosen(std::size_t points, std::size_t most) {
  std::vector<bool> all(points);
  for (const std::size_t p : spread(points, std::min(most, points))) all[p] = true;
  return all;
}

// Whether the scenario asks what owners gain in a metric: analysis.gains lists it, or nothing.
bool gains_wanted(const Json& scenario, const std::string& metric) {
  if (!scenario.is_object()) return true;
  const Json listed = scenario.value(Json::json_pointer("/analysis/gains"), Json::array());
  return listed.empty() || std::ranges::count(listed, Json(metric)) > 0;
}

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
  // Logarithmic: neighbours that are closest to each other are farther apart. 0 has a place there: log(1 + x/smallest).
  const auto& x = axis.numbers;
  const bool zero = !x.empty() && x.front() == 0;
  if (x.size() < (zero ? 3 : 2)) return axis;
  const double smallest = x[zero ? 1 : 0];
  if (smallest <= 0 || x.back() / smallest < 10) return axis;
  const auto closest = [&](auto&& place) {
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < x.size(); ++i) gap = std::min(gap, place(x[i]) - place(x[i - 1]));
    return gap / (place(x.back()) - place(x.front()));
  };
  axis.logarithmic = closest([&](double v) { return zero ? std::log1p(v / smallest) : std::log(v); }) >=
                     closest([](double v) { return v; });
  return axis;
}

StudyData gather(StoredStudy& study, const LabelNumber& number, const FigureLimits& limits,
                 const PointFilter& wanted, std::optional<std::size_t> traced) {
  StudyData data;
  data.head = study.head();
  data.limits = limits;
  const Json events = Json::parse(study.info("events"), nullptr, false);
  for (const Json& e : events.is_array() ? events : Json::array())
    data.events.push_back(e.contains("time") ? FigureEvent{e.at("time"), e.at("text")}
                                             : FigureEvent{e.at("iteration"), e.at("text"), 0});
  const Json scenario = Json::parse(study.info("scenario"), nullptr, false);
  // As the scenario is written: also on an axis.
  const Json options = scenario.flatten();
  for (const auto& [path, value] : options.items())
    data.redrawn |= value == "repetition" && path.find("topology") != std::string::npos;
  std::vector<std::size_t> numbers;
  data.study_points = study.points();
  for (std::size_t p = 0; p < data.study_points; ++p) {
    if (!wanted || wanted(data.head.shown_labels(study.point(p).labels))) numbers.push_back(p);
  }
  const std::size_t points = numbers.size();
  const std::size_t metrics = data.head.metrics.size();
  const std::vector<bool> with_curves = chosen(points, limits.curves);
  std::vector<bool> with_agents = chosen(points, limits.agent_points);
  const std::size_t lines = std::min(points, limits.curves) * kAlongNames.size() * metrics;
  const std::size_t samples = std::clamp(limits.rows / std::max<std::size_t>(lines, 1),
                                         std::min<std::size_t>(20, limits.samples), limits.samples);
  std::size_t longest = 0;  // samples of a run
  Networks networks(study, limits.nodes);
  if (const auto at = std::find(numbers.begin(), numbers.end(), traced); at != numbers.end()) {
    with_agents[static_cast<std::size_t>(at - numbers.begin())] = true;
    networks.place_of(study.network_number(*at));  // first, as there is room for so many links
  }
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t p = numbers[i];
    const PointResult described = study.point(p);
    const SeriesLayout layout = data.head.layout(described);
    PointCollector collector(data.head, described);
    std::vector<ReducedRun> runs;
    study.runs(p, [&](const RunResult& run) {
      collector.add(run);
      data.diverged += run.status == Status::kDiverged ? 1u : 0u;
      data.failed += run.status == Status::kFailed ? 1u : 0u;
      data.unfinished += run.status == Status::kInterrupted ? 1u : 0u;
      if (run.status == Status::kDone) runs.push_back(reduce(data.head, layout, run));
    });
    FigurePoint& point = data.points.emplace_back(
        FigurePoint{collector.summary(), p, described.owners, described.first_owner});
    point.labels = data.head.shown_labels(described.labels);
    point.tuned = data.head.shown_tuned(described.tuned);
    const std::vector<OwnerFacts> owners = study.owners(p);
    for (std::size_t j = 0; j < owners.size(); ++j) {
      point.names.push_back(owners[j].name);
      if (owners[j].hostile) point.hostile.push_back(j);
    }
    if (i == 0) data.owners = owners;
    for (std::size_t m = 0; m < metrics; ++m) {
      point.by_owner.push_back(owner_values(data.head, m, described, runs, with_agents[i]));
      OwnerValues& by_owner = point.by_owner.back();
      if (!gains_wanted(scenario, data.head.metrics[m].name)) by_owner.gains.clear(), by_owner.counts = {};
      if (!with_agents[i]) point.by_owner.back() = {.counts = point.by_owner.back().counts};
    }
    point.fixed_gradients = takes_gradients_as_fixed(runs);
    point.seen = seen_at_distances(runs, data.head.antithetic);
    if (with_agents[i]) point.network = networks.place_of(study.network_number(p));
    if (runs.empty() || !with_curves[i]) continue;
    point.curves = curves_of(runs, metrics, samples, data.head.antithetic);
    for (const ReducedRun& r : runs) longest = std::max(longest, r.x[0].size());
  }
  data.networks = networks.take();

  for (std::size_t a = 0; a < data.head.axes.size(); ++a) {
    std::vector<std::string> labels;
    for (const FigurePoint& p : data.points) labels.push_back(p.labels[a]);
    data.axes.push_back(make_axis(data.head.axes[a], labels, number));
  }
  if (points > limits.curves)
    data.omitted.push_back(fmt::format("curves of {} of {} points, evenly spaced", limits.curves, points));
  if (longest > samples)
    data.omitted.push_back(fmt::format("{} of up to {} samples of a run, evenly spaced", samples, longest));
  const auto crowd = std::find_if(data.points.begin(), data.points.end(),
                                  [&](const FigurePoint& p) { return p.owners > limits.agents; });
  const bool per_agent = std::any_of(data.head.metrics.begin(), data.head.metrics.end(),
                                     [](const MetricInfo& m) { return m.per_agent; });
  if (per_agent && crowd != data.points.end())
    data.omitted.push_back(
        fmt::format("{} of {} agents, evenly spaced in order of their value", limits.agents, crowd->owners));
  if (networks.omitted() > 0)
    data.omitted.push_back(
        fmt::format("networks of at most {} nodes, and {} links in all", limits.nodes, 5 * limits.nodes));
  if (per_agent && points > limits.agent_points)
    data.omitted.push_back(fmt::format("values of each agent at {} of {} points",
                                       std::ranges::count(with_agents, true), points));
  if (points > limits.points) {
    data.omitted.push_back(fmt::format("the first {} of {} points", limits.points, points));
    data.points.resize(limits.points);
  }
  return data;
}

void add_bounds(StudyData& study, const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  try {
    const sim::CsvTable table({file.string(), file.string()},
                              {.delimiter = ',', .header = sim::HeaderRow::kYes});
    const std::size_t bound = table.column("bound"), of = table.column("of"), value = table.column("value");
    // The points of one bound after those of another, each in their order.
    if (study.study_points == 0 || table.rows() % study.study_points != 0) return;
    std::vector<FigurePoint*> point(study.study_points);
    for (FigurePoint& p : study.points) point[p.number] = &p;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto metric = study.head.metric(table.field(row, of));
      const auto number = sim::parse_number(table.field(row, value));
      FigurePoint* const at = point[row % study.study_points];
      // Without a number the bound does not apply to the point.
      if (at != nullptr && metric && number)
        at->bounds.push_back({std::string(table.field(row, bound)), *metric, *number});
    }
  } catch (const sim::FileError&) {
    for (FigurePoint& point : study.points) point.bounds.clear();
  }
}

std::vector<std::vector<std::string>> labels_of(const StudyData& study) {
  std::vector<std::vector<std::string>> labels;
  for (const FigurePoint& p : study.points) labels.push_back(p.labels);
  return labels;
}

std::vector<bool> distinguishing(const StudyData& study, const std::vector<std::size_t>& taken) {
  return distinguishing_axes(labels_of(study), study.head.groups, study.axes.size(), taken);
}

}  // namespace hearsay::analysis
