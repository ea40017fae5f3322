#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/conclusions/conclusions.hpp"
#include "analysis/store/json.hpp"
#include "analysis/store/output_file.hpp"
#include "analysis/tables/baseline_text.hpp"
#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

using Row = std::vector<std::string>;

std::string interval(const Estimate& e) {
  return interval_text(e.low, e.high);
}
Json json_of(const Estimate& e) {
  return {{"value", e.value}, {"low", e.low}, {"high", e.high}};  // NaN becomes null
}

Row joined(Row row, const Row& middle, const Row& end) {
  row.insert(row.end(), middle.begin(), middle.end());
  row.insert(row.end(), end.begin(), end.end());
  return row;
}

std::string cut(std::vector<Row> rows, std::size_t most, std::size_t width, std::size_t fixed) {
  if (rows.size() <= most + 1) return align(rows, width, fixed);
  const std::size_t left = rows.size() - most - 1;
  rows.resize(most + 1);
  return align(rows, width, fixed) + fmt::format("... and {} more rows\n", left);
}

std::string title(const Conclusions::FittedBound& b) {
  return b.type + (b.dimension ? " with p" : "");
}

// "c1 = 0" of a bound with this constant given, "fitted" of one with none; and the points that others are fitted to.
std::string constants_text(const Conclusions::FittedBound& b) {
  Row given;
  for (const auto& c : b.constants) {
    if (c.given) given.push_back(fmt::format("{} = {:g}", c.name, c.estimate.value));
  }
  if (given.size() == b.constants.size()) return fmt::format("{}", fmt::join(given, ", "));
  return fmt::format("{}{}", given.empty() ? "fitted" : given.front(),
                     b.where.empty() ? "" : " where " + b.where);
}

// By bound: its title, with its constants if another bound of the metric has the same title and other constants.
std::vector<std::string> unique_titles(const Conclusions& c) {
  std::vector<std::string> all;
  for (const auto& b : c.bounds) {
    const std::string constants = constants_text(b);
    const bool shared = std::ranges::any_of(c.bounds, [&](const auto& other) {
      return other.of == b.of && title(other) == title(b) && constants_text(other) != constants;
    });
    all.push_back(shared ? fmt::format("{} ({})", title(b), constants) : title(b));
  }
  return all;
}

// "2 of 3" if a point is left out.
std::string used_points(std::size_t points, std::size_t left_out) {
  return left_out == 0 ? std::to_string(points) : fmt::format("{} of {}", points, points + left_out);
}

// A line for a table of slopes or bounds.
template <class Rows>
std::string left_out_text(const Rows& rows, const char* why) {
  std::size_t points = 0, left_out = 0;
  for (const auto& row : rows) points += row.points + row.left_out, left_out += row.left_out;
  return left_out == 0 ? "" : fmt::format("{} of {} points left out: {}\n", left_out, points, why);
}

std::string slopes_text(const Conclusions& c, std::size_t most, std::size_t width) {
  std::vector<Row> rows{joined({"of", "over"}, c.head.axes, {"slope", "interval", "points", "departure"})};
  for (const auto& s : c.slopes)
    rows.push_back(joined({s.of, s.over}, c.head.shown_labels(s.labels),
                          {rounded(s.slope.value), interval(s.slope), used_points(s.points, s.left_out),
                           rounded(s.departure)}));
  return fmt::format(
             "log-log slopes of means with {:g} % jackknife intervals; departure: largest factor between a "
             "mean and the fitted line\n",
             100 * c.confidence) +
         cut(std::move(rows), most, width, 2 + c.head.axes.size()) +
         left_out_text(c.slopes, "value or mean not above 0");
}

std::string bounds_text(const Conclusions& c, std::size_t width) {
  std::vector<Row> rows{{"bound", "of", "constants", "points", "mean/bound"}};
  bool undetermined = false;
  for (const auto& b : c.bounds) {
    Row constants;
    for (const auto& [name, e, given] : b.constants)
      constants.push_back(
          fmt::format("{} = {} {}", name, rounded(e.value), given ? "given" : "fitted " + interval(e)));
    undetermined = undetermined || b.undetermined;
    if (constants.empty()) constants = {"none free"};
    rows.push_back({title(b), b.of, fmt::format("{}", fmt::join(constants, ", ")),
                    used_points(b.points, b.left_out),
                    b.max > 0 ? fmt::format("{} to {}", rounded(b.min), rounded(b.max)) : "-"});
  }
  return "bounds compared with means (bounds.csv: point by point)\n" + align(rows, width, 2) +
         (undetermined
              ? "where the terms are 0 or proportional at all points, c1 and c2 are not determined: give "
                "one of them\n"
              : "") +
         left_out_text(c.bounds, "no finite mean/bound");
}

std::string gains_text(const Conclusions& c, std::size_t most, std::size_t width) {
  std::vector<Row> rows{
      joined(c.head.axes, {"of", "owners", "gain"}, {"gain significantly", "lose significantly"})};
  std::vector<std::string> metrics;
  for (auto g = c.gains.begin(); g != c.gains.end();) {
    const auto first = g;
    if (std::ranges::count(metrics, first->of) == 0) metrics.push_back(first->of);
    std::size_t gain = 0, significant = 0, lose = 0;
    for (; g != c.gains.end() && g->point == first->point && g->of == first->of; ++g) {
      gain += g->gain.value > 0 ? 1u : 0u;
      significant += g->gain.low > 0 ? 1u : 0u;
      lose += g->gain.high < 0 ? 1u : 0u;
    }
    Row counts;
    for (const auto count : {static_cast<std::size_t>(g - first), gain, significant, lose})
      counts.push_back(std::to_string(count));
    rows.push_back(joined(c.head.shown_labels(c.points[first->point].labels), {first->of}, counts));
  }
  return fmt::format(
             "owners whose mean with collaboration is below that of their isolated model without privacy; "
             "significantly: by a {:g} % confidence interval; {}\n",
             100 * c.confidence, measured_on(metrics)) +
         cut(std::move(rows), most, width, c.head.axes.size() + 1);
}

void write_fits(const Conclusions& c, const AxisColumns& axes, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}kind,name,of,agent,value,low,high,how\n", axes.header());
  const Row none(c.head.axes.size());
  for (const auto& s : c.slopes)
    file.print("{}slope,{},{},,{},{},{},{} points\n", axes.fields(s.labels), csv_field(s.over), s.of,
               s.slope.value, s.slope.low, s.slope.high, used_points(s.points, s.left_out));
  const std::vector<std::string> titles = unique_titles(c);
  for (std::size_t k = 0; k < c.bounds.size(); ++k) {
    for (const auto& [name, e, given] : c.bounds[k].constants)
      file.print("{}constant,{},{},,{},{},{},{}\n", axes.fields(none), csv_field(titles[k] + " " + name),
                 c.bounds[k].of, e.value, e.low, e.high, given ? "given" : "fitted");
  }
  for (const auto& g : c.gains) {
    const PointResult& point = c.points[g.point];
    file.print("{}gain,{},{},{},{},{},{},isolated minus mean\n", axes.fields(point.labels), csv_field(g.name),
               g.of, point.first_owner + g.owner, g.gain.value, g.gain.low, g.gain.high);
  }
  file.commit();
}

void write_bounds(const Conclusions& c, const AxisColumns& axes, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}bound,of,value,mean,median\n", axes.header());
  const std::vector<std::string> titles = unique_titles(c);
  for (std::size_t k = 0; k < c.bounds.size(); ++k) {
    const auto& b = c.bounds[k];
    const std::size_t m = c.head.metric(b.of).value();
    for (std::size_t p = 0; p < c.points.size(); ++p)
      file.print("{}{},{},{},{},{}\n", axes.fields(c.points[p].labels), csv_field(titles[k]), b.of,
                 b.values[p], c.means[p][m], c.medians[p][m]);
  }
  file.commit();
}

// Fewer runs that reach a level are a share that hardly says more than its order of magnitude.
constexpr double kFewRuns = 20;

std::vector<std::vector<std::string>> labels_of(StoredStudy& study) {
  std::vector<std::vector<std::string>> labels;
  for (std::size_t p = 0; p < study.points(); ++p) labels.push_back(study.point(p).labels);
  return labels;
}

}  // namespace

std::string Conclusions::text(std::size_t width, std::size_t most) const {
  std::string all;
  const auto add = [&](const std::string& part) { all += (all.empty() ? "" : "\n") + part; };
  if (!slopes.empty()) add(slopes_text(*this, most, width));
  if (!bounds.empty()) add(bounds_text(*this, width));
  if (!gains.empty()) add(gains_text(*this, most, width));
  return all;
}

std::string Conclusions::json() const {
  Json all;
  for (const auto& s : slopes) {
    Json at = Json::object();
    for (std::size_t a = 0; a < head.axes.size(); ++a) {
      if (!s.labels[a].empty()) at[head.axes[a]] = s.labels[a];
    }
    all["slopes"].push_back({{"of", s.of},
                             {"over", s.over},
                             {"at", at},
                             {"points", s.points},
                             {"left_out", s.left_out},
                             {"slope", json_of(s.slope)},
                             {"departure", s.departure}});
  }
  for (const auto& b : bounds) {
    Json constants = Json::object();
    for (const auto& [name, e, given] : b.constants) {
      constants[name] = json_of(e);
      constants[name]["how"] = given ? "given" : "fitted";
    }
    all["bounds"].push_back({{"type", b.type},
                             {"of", b.of},
                             {"dimension", b.dimension},
                             {"constants", constants},
                             {"points", b.points},
                             {"left_out", b.left_out},
                             {"min_mean_over_bound", b.min},
                             {"max_mean_over_bound", b.max}});
  }
  return all.is_null() ? "" : all.dump();
}

void write_conclusions(const Conclusions& conclusions, const std::filesystem::path& folder,
                       const LabelNumber& number) {
  std::vector<std::vector<std::string>> labels;
  for (const PointResult& point : conclusions.points) labels.push_back(point.labels);
  const AxisColumns axes(conclusions.head.axes, labels, number);
  write_fits(conclusions, axes, folder / "fits.csv");
  write_bounds(conclusions, axes, folder / "bounds.csv");
}

std::string write_rare_events(StoredStudy& study, double confidence, const std::filesystem::path& folder,
                              const LabelNumber& number) {
  const std::vector<std::vector<std::string>> labels = labels_of(study);
  const AxisColumns axes(study.head().axes, labels, number);
  OutputFile file(folder / "rare_events.csv");
  file.print("{}probability,low,high,fewest,repetitions,runs,events\n", axes.header());
  std::string lines;
  for (std::size_t p = 0; p < labels.size(); ++p) {
    std::map<std::string, std::vector<double>> numbers;  // by repetition
    study.runs(p, [&](const RunResult& run) {
      for (const Scalar& s : run.scalars)
        if (s.name.starts_with("splitting.")) numbers[s.name.substr(10)].push_back(s.value);
    });
    const std::vector<double>& all = numbers["probability"];
    if (all.empty()) continue;
    Estimate e = mean_with_interval(all, confidence);
    if (all.size() == 1) e = {all[0], numbers["low"][0], numbers["high"][0]};
    e.low = std::max(e.low, 0.0);
    e.high = std::min(e.high, 1.0);
    if (e.value == 0) e.high = mean_with_interval(numbers["high"], confidence).value;  // bounds
    const auto sum = [&](const char* name) {
      return std::accumulate(numbers[name].begin(), numbers[name].end(), 0.0);
    };
    const double fewest = std::ranges::min(numbers["fewest"]);
    file.print("{}{},{},{},{},{},{},{}\n", axes.fields(labels[p]), e.value, e.low, e.high, fewest, all.size(),
               sum("runs"), sum("events"));
    const std::vector<std::string> shown = study.head().shown_labels(labels[p]);
    lines +=
        fmt::format("rare event: probability {:.4g} [{:.4g}, {:.4g}]{}{}{}\n", e.value, e.low, e.high,
                    shown.empty() ? "" : "  ", fmt::join(shown, ", "),
                    fewest < kFewRuns ? fmt::format(", in doubt: only {:g} runs reach a level", fewest) : "");
  }
  file.commit();
  return lines;
}

void write_estimates(StoredStudy& study, double confidence, const std::filesystem::path& folder,
                     const LabelNumber& number) {
  const StudyHead& head = study.head();
  const std::vector<std::vector<std::string>> labels = labels_of(study);
  const AxisColumns axes(head.axes, labels, number);
  OutputFile file(folder / "estimates.csv");
  file.print("{}metric,mean,half_width,controlled_mean,controlled_half_width,r2,repetitions,controls\n",
             axes.header());
  const auto finite = [](double value) { return std::isfinite(value); };
  for (std::size_t p = 0; p < labels.size(); ++p) {
    std::map<std::string, std::vector<double>> numbers;  // of metrics and controls, by repetition
    const PointResult point = study.point(p);
    bool complete = true;
    study.runs(p, [&](const RunResult& run) {
      complete = complete && run.status == Status::kDone;
      if (run.status != Status::kDone) return;
      std::vector<Scalar> all = run.scalars;
      const std::vector<double> last = final_values(head, point, run);
      for (std::size_t m = 0; m < last.size(); ++m) all.push_back({head.metrics[m].name, {}, last[m]});
      for (const Scalar& s : all) {
        if (!s.agent) numbers[s.name].resize(run.repetition, kNone), numbers[s.name].push_back(s.value);
      }
    });
    Row names;
    std::vector<std::vector<double>> controls;
    for (const auto& [name, of_runs] : numbers) {
      if (!name.starts_with("control.")) continue;
      names.push_back(name.substr(8));
      controls.push_back(independent_values(of_runs, head.antithetic));
    }
    for (const MetricInfo& m : head.metrics) {
      const std::vector<double>& runs = numbers[m.name];
      ControlledMean e = controlled_mean(independent_values(runs, head.antithetic), controls, confidence);
      // The controls have another expectation given that a run ended well, or that its metric is a finite number.
      if (!complete || !std::ranges::all_of(runs, finite)) e = {.plain = e.plain};
      file.print("{}{}", axes.fields(labels[p]), csv_field(m.name));
      for (const double x : {e.plain.value, e.plain.high - e.plain.value, e.controlled.value,
                             e.controlled.high - e.controlled.value, e.r2})
        std::isfinite(x) ? file.print(",{}", x) : file.print(",");
      Row used;
      for (const std::size_t j : e.used) used.push_back(names[j]);
      file.print(",{},{}\n", std::ranges::count_if(runs, finite), fmt::format("{}", fmt::join(used, " ")));
    }
  }
  file.commit();
}

}  // namespace hearsay::analysis
