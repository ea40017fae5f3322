#include "analysis/conclusions/conclusions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "analysis/results/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

// The metrics at the end of every run.
struct Finals {
  std::vector<std::vector<std::vector<double>>> values;  // by point, metric, repetition
  // By point, metric that is compared with isolated owners, owner, repetition.
  std::vector<std::vector<std::vector<std::vector<double>>>> by_owner;
};

void put(std::vector<double>& repetitions, std::uint32_t r, double value) {
  repetitions.resize(std::max<std::size_t>(repetitions.size(), r + 1), kNone);
  repetitions[r] = value;
}

// Adds, for each owner, the metric's last value: the owner's own, or the one for all.
void add_owners(const SeriesLayout& layout, const PointResult& point, const RunResult& run,
                std::size_t metric, std::vector<std::vector<double>>& by_owner) {
  by_owner.resize(point.owners);
  if (run.series.samples.empty()) return;
  const auto last = layout.values_of(metric, layout.sample(run.series, run.series.samples.size() - 1));
  for (std::size_t owner = 0; owner < point.owners; ++owner)
    put(by_owner[owner], run.repetition, last[last.size() > 1 ? owner : 0]);
}

// The value of a baseline for each owner; averaged over runs where each run has a problem of its own.
class Isolated {
 public:
  void add(const std::vector<Scalar>& scalars, const PointResult& point, const std::string& name) {
    for (const Scalar& s : scalars) {
      if (!s.agent || s.name != name) continue;
      auto& [sum, count] = of_[*s.agent - point.first_owner];
      sum += s.value;
      ++count;
    }
  }
  double operator()(std::size_t owner) const {
    const auto found = of_.find(owner);
    return found == of_.end() ? kNone : found->second.first / found->second.second;
  }

 private:
  std::map<std::size_t, std::pair<double, double>> of_;
};

// The labels of the axes that do not vary with axis `over`; empty for those that do.
std::vector<std::string> others(const ConclusionInput& input, const std::vector<std::string>& labels,
                                std::size_t over) {
  std::vector<std::string> kept = labels;
  for (std::size_t a = 0; a < kept.size(); ++a) {
    if (input.groups[a] == input.groups[over]) kept[a].clear();
  }
  return kept;
}

void find_slopes(const ConclusionInput& input, const Finals& finals, Conclusions& out) {
  for (std::size_t s = 0; s < input.options.slopes.size(); ++s) {
    const SlopeOptions& options = input.options.slopes[s];
    const std::size_t metric = out.head.metric(options.of).value();
    const auto over = static_cast<std::size_t>(
        std::find(out.head.axes.begin(), out.head.axes.end(), options.over) - out.head.axes.begin());
    std::vector<std::pair<std::vector<std::string>, std::vector<std::size_t>>> curves;  // in order of points
    for (std::size_t p = 0; p < out.points.size(); ++p) {
      if (!input.points[p].slope_where[s]) continue;
      const auto labels = others(input, out.points[p].labels, over);
      auto found =
          std::find_if(curves.begin(), curves.end(), [&](const auto& c) { return c.first == labels; });
      if (found == curves.end()) found = curves.insert(curves.end(), {labels, {}});
      found->second.push_back(p);
    }
    for (const auto& [labels, points] : curves) {
      std::vector<double> x, mean;
      std::vector<std::vector<double>> values;
      for (const std::size_t p : points) {
        x.push_back(input.points[p].axes[over]);
        values.push_back(finals.values[p][metric]);
        mean.push_back(out.means[p][metric]);
      }
      const auto slope = [&](const std::vector<double>& y) { return std::vector{log_log_slope(x, y)}; };
      out.slopes.push_back({.of = options.of,
                            .over = options.over,
                            .labels = labels,
                            .points = points.size(),
                            .slope = jackknife(values, out.confidence, slope).front(),
                            .departure = log_log_departure(x, mean)});
    }
  }
}

// The terms of a bound at every point, in the units of its metric. Free constants of relative_fitness are those
// of f - f* itself, as in the paper's figures: they include 1/f*.
Eigen::MatrixXd terms_of(const BoundOptions& options, const ConclusionInput& input) {
  const Bound& bound = *options.type;
  const auto width = static_cast<Eigen::Index>(bound.width());
  Eigen::MatrixXd terms(static_cast<Eigen::Index>(input.points.size()), width);
  std::vector<double> row(bound.width());
  for (std::size_t p = 0; p < input.points.size(); ++p) {
    const CentralSetting& setting = input.points[p].setting;
    bound.terms(setting, options.dimension, row);
    if (setting.epsilon.empty()) std::fill(row.begin(), row.end(), kNone);  // there is no bound without noise
    const double unit = bound.constants == 0 && options.of == "relative_fitness" ? setting.f_star : 1;
    for (Eigen::Index j = 0; j < width; ++j)
      terms(static_cast<Eigen::Index>(p), j) = row[static_cast<std::size_t>(j)] / unit;
  }
  return terms;
}

Conclusions::FittedBound fit_bound(const BoundOptions& options, const std::vector<std::size_t>& points,
                                   const Eigen::MatrixXd& terms, const Finals& finals, std::size_t metric,
                                   const Conclusions& study) {
  const Bound& bound = *options.type;
  Conclusions::FittedBound out{
      .type = std::string(bound.name), .of = options.of, .dimension = options.dimension};
  if (bound.constants == 2) out.names.emplace_back("c1");
  if (bound.constants > 0) out.names.emplace_back("c2");
  std::vector<std::optional<double>> wanted;
  if (bound.constants == 2) wanted.push_back(options.c1);
  if (bound.constants > 0) wanted.push_back(options.c2);

  Eigen::VectorXd constants = Eigen::VectorXd::Ones(terms.cols());
  std::vector<Eigen::Index> free;
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    out.given.push_back(wanted[j].has_value());
    out.constants.push_back({.value = wanted[j].value_or(0)});
    constants[column] = wanted[j].value_or(0);
    if (!wanted[j]) free.push_back(column);
  }
  if (!free.empty()) {
    Eigen::MatrixXd a(static_cast<Eigen::Index>(points.size()), static_cast<Eigen::Index>(free.size()));
    Eigen::VectorXd known(a.rows());
    std::vector<std::vector<double>> values;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k), p = static_cast<Eigen::Index>(points[k]);
      known[row] = terms.row(p).dot(constants);
      for (std::size_t j = 0; j < free.size(); ++j) a(row, static_cast<Eigen::Index>(j)) = terms(p, free[j]);
      values.push_back(finals.values[points[k]][metric]);
    }
    const auto fit = [&](const std::vector<double>& mean) {
      const Eigen::VectorXd c = fit_constants(a, known, mean);
      return std::vector<double>(c.begin(), c.end());
    };
    const auto estimates = jackknife(values, study.confidence, fit);
    for (std::size_t j = 0; j < free.size(); ++j) {
      Estimate& constant = out.constants[static_cast<std::size_t>(free[j])] = estimates[j];
      constant.low = std::max(constant.low, 0.0);
      constants[free[j]] = estimates[j].value;
    }
  }
  const Eigen::VectorXd values = terms * constants;
  out.values.assign(values.begin(), values.end());
  out.points = points.size();
  out.min = std::numeric_limits<double>::infinity();
  for (const std::size_t p : points) {
    const double ratio = study.means[p][metric] / out.values[p];
    if (!std::isfinite(ratio)) continue;
    out.min = std::min(out.min, ratio);
    out.max = std::max(out.max, ratio);
  }
  return out;
}

void find_bounds(const ConclusionInput& input, const Finals& finals, Conclusions& out) {
  for (std::size_t b = 0; b < input.options.bounds.size(); ++b) {
    const BoundOptions& options = input.options.bounds[b];
    std::vector<std::size_t> points;
    for (std::size_t p = 0; p < input.points.size(); ++p) {
      if (input.points[p].bound_where[b]) points.push_back(p);
    }
    out.bounds.push_back(fit_bound(options, points, terms_of(options, input), finals,
                                   out.head.metric(options.of).value(), out));
  }
}

}  // namespace

Conclusions conclude(StoredStudy& study, const ConclusionInput& input) {
  Conclusions out;
  out.head = study.head();
  out.confidence = input.options.confidence;
  const std::vector<std::string>& gains = input.options.gains;
  Finals finals;
  std::vector<std::vector<Isolated>> isolated;  // by point, metric of gains
  const auto add_isolated = [&](const std::vector<Scalar>& scalars, const PointResult& point) {
    for (std::size_t g = 0; g < gains.size(); ++g)
      isolated.back()[g].add(scalars, point, "isolated." + gains[g]);
  };
  study.each_run(
      [&](const PointResult& point) {
        out.points.push_back(point);
        finals.values.emplace_back(out.head.metrics.size());
        finals.by_owner.emplace_back(gains.size());
        isolated.emplace_back(gains.size());
        add_isolated(point.scalars, point);
      },
      [&](const PointResult& point, const RunResult& run) {
        if (run.status != Status::kDone) return;
        add_isolated(run.scalars, point);
        const std::vector<double> last = final_values(out.head, point, run);
        for (std::size_t m = 0; m < last.size(); ++m) put(finals.values.back()[m], run.repetition, last[m]);
        for (std::size_t g = 0; g < gains.size(); ++g)
          add_owners(out.head.layout(point), point, run, out.head.metric(gains[g]).value(),
                     finals.by_owner.back()[g]);
      });
  for (const auto& point : finals.values) {
    out.means.emplace_back();
    out.medians.emplace_back();
    for (const std::vector<double>& values : point) {
      std::vector<double> there;
      std::copy_if(values.begin(), values.end(), std::back_inserter(there),
                   [](double v) { return std::isfinite(v); });
      out.medians.back().push_back(quantile(there, 0.5));
      out.means.back().push_back(there.empty() ? kNone
                                               : std::accumulate(there.begin(), there.end(), 0.0) /
                                                     static_cast<double>(there.size()));
    }
  }
  find_slopes(input, finals, out);
  find_bounds(input, finals, out);
  for (std::size_t g = 0; g < gains.size(); ++g) {
    for (std::size_t p = 0; p < out.points.size(); ++p) {
      for (std::size_t owner = 0; owner < finals.by_owner[p][g].size(); ++owner) {
        out.gains.push_back({.of = gains[g],
                             .point = p,
                             .owner = owner,
                             .isolated = isolated[p][g](owner),
                             .joint = mean_with_interval(finals.by_owner[p][g][owner], out.confidence)});
      }
    }
  }
  return out;
}

}  // namespace hearsay::analysis
