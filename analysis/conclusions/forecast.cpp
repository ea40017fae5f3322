#include "analysis/conclusions/forecast.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

// Mean and number of the finite values, and the squared relative standard error of the mean.
struct RelativeError {
  double mean = kNone, count = 0, squared = 0;
};

RelativeError relative_error(const std::vector<double>& values) {
  RelativeError all{.mean = mean_with_interval(values, 0.5).value};
  double sum = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    ++all.count;
    sum += (v / all.mean - 1) * (v / all.mean - 1);
  }
  if (all.count > 1) all.squared = sum / (all.count - 1) / all.count;
  return all;
}

double factor(double a, double b) {
  return std::max(a / b, b / a);
}

}  // namespace

Forecast forecast(const Eigen::MatrixXd& terms, const std::vector<std::vector<double>>& runs,
                  const Eigen::MatrixXd& new_terms, double confidence, bool antithetic) {
  std::vector<std::vector<double>> values;
  for (const std::vector<double>& of_point : runs) values.push_back(independent_values(of_point, antithetic));
  const Eigen::VectorXd known = Eigen::VectorXd::Zero(terms.rows());
  // The constants, then the logarithms of the form at the new points.
  const auto fit = [&](const std::vector<double>& means) {
    const Eigen::VectorXd c = fit_constants(terms, known, means);
    std::vector<double> all(c.begin(), c.end());
    const Eigen::VectorXd form = new_terms.lazyProduct(c);
    for (const double y : form) all.push_back(std::log(y));
    return all;
  };
  const std::vector<Estimate> estimates = jackknife(values, confidence, fit);
  const auto columns = static_cast<std::size_t>(terms.cols());

  Forecast out;
  Eigen::VectorXd constants(terms.cols());
  std::size_t positive = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    out.constants.push_back(estimates[j]);
    out.constants[j].low = std::max(estimates[j].low, 0.0);
    constants[static_cast<Eigen::Index>(j)] = estimates[j].value;
    positive += estimates[j].value > 0 ? 1u : 0u;
  }
  const Eigen::VectorXd form = terms.lazyProduct(constants);
  double squares = 0, sampling = 0;
  std::vector<double> relative;  // runs over the mean of their point
  for (std::size_t k = 0; k < values.size(); ++k) {
    const RelativeError error = relative_error(values[k]);
    const double at = form[static_cast<Eigen::Index>(k)];
    out.fit_factor = std::max(out.fit_factor, factor(error.mean, at));
    squares += std::log(error.mean / at) * std::log(error.mean / at);
    sampling += error.squared / static_cast<double>(values.size());
    for (const double v : runs[k]) relative.push_back(v / error.mean);
  }
  const Quartiles of_runs = quartiles(relative);
  out.run_low = of_runs.low;
  out.run_high = of_runs.high;

  const double left = static_cast<double>(values.size()) - static_cast<double>(positive);
  const double runs_left = jackknife_freedom(values);
  const bool possible = runs_left > 0 && left > 0;
  const double residual = squares / left;
  const double own = std::max(residual, sampling), own_freedom = residual > sampling ? left : runs_left;
  for (std::size_t k = columns; k < estimates.size(); ++k) {
    const Estimate& log = estimates[k];
    Estimate& mean = out.means.emplace_back(Estimate{.value = std::exp(log.value)});
    if (!possible) continue;
    const double deviation = (log.high - log.value) / student_half_width(confidence, runs_left, 1);
    const double fitted = deviation * deviation, variance = fitted + own;
    double half = 0;
    if (variance > 0) {
      const double freedom = variance * variance / (fitted * fitted / runs_left + own * own / own_freedom);
      half = student_half_width(confidence, freedom, std::sqrt(variance));
    }
    mean.low = std::exp(log.value - half);
    mean.high = std::exp(log.value + half);
  }
  return out;
}

ForecastQuality quality_of(const Forecast& forecast, const std::vector<std::vector<double>>& measured) {
  ForecastQuality out;
  std::vector<double> factors;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    const double mean = mean_with_interval(measured[k], 0.5).value;
    if (!(mean > 0)) continue;
    const Estimate& expected = forecast.means[k];
    const Quartiles runs = quartiles(measured[k]);
    factors.push_back(factor(mean, expected.value));
    out.inside += expected.low <= mean && mean <= expected.high ? 1u : 0u;
    out.between_quartiles += runs.low <= expected.value && expected.value <= runs.high ? 1u : 0u;
  }
  out.points = factors.size();
  if (factors.empty()) return out;
  out.median_factor = quantile(factors, 0.5);
  out.worst_factor = *std::max_element(factors.begin(), factors.end());
  return out;
}

}  // namespace hearsay::analysis
