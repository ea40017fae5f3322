#include "analysis/conclusions/conclusions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

// The results of a point by repetition, NaN where a run is missing.
struct Finals {
  double iterations = std::numeric_limits<double>::infinity();  // fewest of a run
  std::vector<std::vector<double>> metrics;                     // by metric
  std::vector<std::vector<std::vector<double>>>
      gains;  // by metric of gains and owner: isolated minus collaboration
};

void put(std::vector<double>& repetitions, std::uint32_t r, double value) {
  repetitions.resize(std::max<std::size_t>(repetitions.size(), r + 1), kNone);
  repetitions[r] = value;
}

Finals finals_of(StoredStudy& study, std::size_t p, const PointResult& point,
                 const std::vector<std::string>& gains) {
  const StudyHead& head = study.head();
  const SeriesLayout layout = head.layout(point);
  Finals all;
  all.metrics.resize(head.metrics.size());
  all.gains.assign(gains.size(), std::vector<std::vector<double>>(point.owners));
  // Isolated models belong to the point, or to each run that has its own problem: by metric of gains and owner.
  std::vector<std::vector<double>> isolated(gains.size(), std::vector<double>(point.owners, kNone));
  const auto set_isolated = [&](const std::vector<Scalar>& scalars) {
    for (std::size_t g = 0; g < gains.size(); ++g) {
      for (const Scalar& s : scalars) {
        if (s.agent && s.name == "isolated." + gains[g])
          isolated[g].at(*s.agent - point.first_owner) = s.value;
      }
    }
  };
  set_isolated(point.scalars);
  study.runs(p, [&](const RunResult& run) {
    if (run.status != Status::kDone) return;
    all.iterations = std::min(all.iterations, static_cast<double>(run.iterations));
    set_isolated(run.scalars);
    const std::vector<double> last = final_values(head, point, run);
    for (std::size_t m = 0; m < last.size(); ++m) put(all.metrics[m], run.repetition, last[m]);
    for (std::size_t g = 0; g < gains.size(); ++g) {
      if (last.empty()) continue;
      const auto values = layout.values_of(head.metric(gains[g]).value(),
                                           layout.sample(run.series, run.series.samples.size() - 1));
      for (std::size_t i = 0; i < point.owners; ++i)
        put(all.gains[g][i], run.repetition, isolated[g][i] - values[values.size() > 1 ? i : 0]);
    }
  });
  return all;
}

void find_slopes(const ConclusionInput& input, const std::vector<Finals>& finals, Conclusions& out) {
  for (std::size_t s = 0; s < input.options.slopes.size(); ++s) {
    const SlopeOptions& options = input.options.slopes[s];
    const std::size_t metric = out.head.metric(options.of).value();
    const auto over = static_cast<std::size_t>(
        std::find(out.head.axes.begin(), out.head.axes.end(), options.over) - out.head.axes.begin());
    std::vector<std::pair<std::vector<std::string>, std::vector<std::size_t>>> curves;  // in order of points
    for (std::size_t p = 0; p < out.points.size(); ++p) {
      if (!input.points[p].slope_where[s]) continue;
      std::vector<std::string> labels = out.points[p].labels;  // empty for axes that vary with `over`
      for (std::size_t a = 0; a < labels.size(); ++a) {
        if (input.groups[a] == input.groups[over]) labels[a].clear();
      }
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
        values.push_back(independent_values(finals[p].metrics[metric], out.head.antithetic));
        mean.push_back(out.means[p][metric]);
      }
      const auto slope = [&](const std::vector<double>& y) { return std::vector{log_log_line(x, y).slope}; };
      const LogLogLine line = log_log_line(x, mean);
      out.slopes.push_back({.of = options.of,
                            .over = options.over,
                            .labels = labels,
                            .points = line.pairs,
                            .left_out = points.size() - line.pairs,
                            .slope = jackknife(values, out.confidence, slope).front(),
                            .departure = line.departure});
    }
  }
}

// The terms of a bound at every point, in the units of its metric. Free constants of relative_fitness are those
// of f - f* itself, as in the paper's figures: they include 1/f*.
Eigen::MatrixXd terms_of(const BoundOptions& options, const ConclusionInput& input,
                         const std::vector<Finals>& finals) {
  const Bound& bound = *options.type;
  const auto width = static_cast<Eigen::Index>(bound.width());
  Eigen::MatrixXd terms(static_cast<Eigen::Index>(input.points.size()), width);
  std::vector<double> row(bound.width());
  for (std::size_t p = 0; p < input.points.size(); ++p) {
    const CentralSetting& setting = input.points[p].setting;
    bound.terms(setting, options.dimension, row);
    // There is no bound without noise; a closed form is of one rule, at T.
    const bool early = bound.constants == 0 && finals[p].iterations < setting.horizon;
    if (setting.epsilon.empty() || !bound.applies_to(setting.rule) || early)
      std::fill(row.begin(), row.end(), kNone);
    const double unit = bound.constants == 0 && options.of == "relative_fitness" ? setting.f_star : 1;
    terms.row(static_cast<Eigen::Index>(p)) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), width) / unit;
  }
  return terms;
}

Conclusions::FittedBound fit_bound(const BoundOptions& options, const std::vector<std::size_t>& points,
                                   const Eigen::MatrixXd& terms, const std::vector<Finals>& finals,
                                   std::size_t metric, const Conclusions& study) {
  const Bound& bound = *options.type;
  Conclusions::FittedBound out{.type = std::string(bound.name),
                               .of = options.of,
                               .where = options.where,
                               .dimension = options.dimension};
  std::vector<std::pair<const char*, std::optional<double>>> wanted{{"c1", options.c1}, {"c2", options.c2}};
  wanted.erase(wanted.begin(), wanted.end() - bound.constants);

  Eigen::VectorXd constants = Eigen::VectorXd::Ones(terms.cols());
  std::vector<Eigen::Index> free;
  for (const auto& [name, value] : wanted) {
    const auto column = static_cast<Eigen::Index>(out.constants.size());
    out.constants.push_back({name, {.value = value.value_or(0)}, value.has_value()});
    constants[column] = value.value_or(0);
    if (!value) free.push_back(column);
  }
  if (!free.empty()) {
    const Eigen::MatrixXd included = terms(points, Eigen::all);
    const Eigen::VectorXd known = included.lazyProduct(constants);
    std::vector<std::vector<double>> values;
    values.reserve(points.size());
    for (const std::size_t p : points)
      values.push_back(independent_values(finals[p].metrics[metric], study.head.antithetic));
    const auto fit = [&](const std::vector<double>& mean) {
      const Eigen::VectorXd c = fit_constants(included(Eigen::all, free), known, mean);
      return std::vector<double>(c.begin(), c.end());
    };
    const auto estimates = jackknife(values, study.confidence, fit);
    for (std::size_t j = 0; j < free.size(); ++j) {
      Estimate& constant = out.constants[static_cast<std::size_t>(free[j])].estimate = estimates[j];
      constant.low = std::max(constant.low, 0.0);
      constants[free[j]] = constant.value;
    }
    out.undetermined =
        free.size() > 1 && std::isnan(estimates.front().value) &&
        std::ranges::any_of(points, [&](std::size_t p) {
          return terms.row(static_cast<Eigen::Index>(p)).allFinite() && study.means[p][metric] > 0;
        });
  }
  const Eigen::VectorXd values = terms * constants;
  out.values.assign(values.begin(), values.end());
  out.min = std::numeric_limits<double>::infinity();
  for (const std::size_t p : points) {
    const double ratio = study.means[p][metric] / out.values[p];
    ++(std::isfinite(ratio) ? out.points : out.left_out);
    if (!std::isfinite(ratio)) continue;
    out.min = std::min(out.min, ratio);
    out.max = std::max(out.max, ratio);
  }
  return out;
}

void find_bounds(const ConclusionInput& input, const std::vector<Finals>& finals, Conclusions& out) {
  for (std::size_t b = 0; b < input.options.bounds.size(); ++b) {
    const BoundOptions& options = input.options.bounds[b];
    std::vector<std::size_t> points;
    for (std::size_t p = 0; p < input.points.size(); ++p) {
      if (input.points[p].bound_where[b]) points.push_back(p);
    }
    out.bounds.push_back(fit_bound(options, points, terms_of(options, input, finals), finals,
                                   out.head.metric(options.of).value(), out));
  }
}

}  // namespace

Conclusions conclude(StoredStudy& study, const ConclusionInput& input) {
  Conclusions out;
  out.head = study.head();
  out.confidence = input.options.confidence;
  std::vector<std::string> gains;
  for (const ComparedMetric metric : input.options.gains) gains.emplace_back(sim::name_of(metric));
  std::vector<Finals> finals;
  for (std::size_t p = 0; p < study.points(); ++p) {
    out.points.push_back(study.point(p));
    finals.push_back(finals_of(study, p, out.points.back(), gains));
    out.means.emplace_back();
    out.medians.emplace_back();
    for (const std::vector<double>& values : finals.back().metrics) {
      const Statistics statistics = statistics_of(values, out.head.antithetic);
      out.medians.back().push_back(statistics.median);
      out.means.back().push_back(statistics.mean);
    }
  }
  find_slopes(input, finals, out);
  find_bounds(input, finals, out);
  for (std::size_t g = 0; g < gains.size(); ++g) {
    for (std::size_t p = 0; p < out.points.size(); ++p) {
      const std::vector<OwnerFacts> owners = study.owners(p);
      for (std::size_t owner = 0; owner < finals[p].gains[g].size(); ++owner) {
        std::vector<double> pairs = independent_values(finals[p].gains[g][owner], out.head.antithetic);
        std::erase_if(pairs, [](double gain) { return std::isnan(gain); });
        // An infinite gain makes the mean infinite, which has no interval.
        Estimate gain{.value = mean_of_known(pairs)};
        if (std::isfinite(gain.value)) gain = mean_with_interval(pairs, out.confidence);
        if (std::isnan(gain.value)) continue;
        out.gains.push_back({.of = gains[g],
                             .point = p,
                             .owner = owner,
                             .name = owner < owners.size() ? owners[owner].name : "",
                             .gain = gain});
      }
    }
  }
  return out;
}

}  // namespace hearsay::analysis
