#include "analysis/conclusions/estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>

#include "analysis/tables/summary.hpp"
#include "models/algebra/dense.hpp"
#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

// Sum and number of those values that are finite.
struct Sum {
  double sum = 0, count = 0;
  double mean() const { return count > 0 ? sum / count : kNone; }
};

Sum sum_of(const std::vector<double>& values) {
  Sum all;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    all.sum += v;
    ++all.count;
  }
  return all;
}

}  // namespace

LogLogLine log_log_line(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<std::pair<double, double>> logs;
  for (std::size_t k = 0; k < std::min(x.size(), y.size()); ++k) {
    if (x[k] > 0 && y[k] > 0 && std::isfinite(x[k]) && std::isfinite(y[k]))
      logs.emplace_back(std::log(x[k]), std::log(y[k]));
  }
  const auto n = static_cast<double>(logs.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (const auto& [u, v] : logs) {
    mean_x += u / n;
    mean_y += v / n;
  }
  for (const auto& [u, v] : logs) {
    xx += (u - mean_x) * (u - mean_x);
    xy += (u - mean_x) * (v - mean_y);
  }
  if (!(xx > 0)) return {.pairs = logs.size()};
  const double slope = xy / xx;
  double departure = 0;
  for (const auto& [u, v] : logs)
    departure = std::max(departure, std::abs(v - mean_y - slope * (u - mean_x)));
  return {slope, std::exp(departure), logs.size()};
}

bool identifiable(const Eigen::MatrixXd& terms, double tolerance) {
  const Eigen::VectorXd lengths = terms.colwise().norm();
  if (terms.rows() < terms.cols() || !(lengths.minCoeff() > 0)) return false;
  const Eigen::MatrixXd scaled = terms.array().rowwise() / lengths.transpose().array();
  return models::singular_values(scaled).minCoeff() > tolerance;
}

Eigen::VectorXd fit_constants(const Eigen::MatrixXd& terms, const Eigen::VectorXd& known,
                              const std::vector<double>& y) {
  const Eigen::Index columns = terms.cols();
  sim::check(columns <= 8, "too many constants to fit");
  Eigen::MatrixXd relative(terms.rows(), columns);
  Eigen::VectorXd left(terms.rows());  // 1 minus the known part
  Eigen::Index rows = 0;
  for (Eigen::Index k = 0; k < terms.rows(); ++k) {
    const double at = y[static_cast<std::size_t>(k)];
    if (!(at > 0) || !std::isfinite(at) || !terms.row(k).allFinite() || !std::isfinite(known[k])) continue;
    relative.row(rows) = terms.row(k) / at;
    left[rows++] = 1 - known[k] / at;
  }
  Eigen::VectorXd best = Eigen::VectorXd::Constant(columns, kNone);
  const Eigen::MatrixXd used = relative.topRows(rows);
  if (rows == 0 || (columns > 1 && !identifiable(used, 1e-9))) return best;
  // Columns differ by many orders of magnitude: each is scaled to length 1.
  const Eigen::VectorXd scale = used.colwise().norm();
  const Eigen::VectorXd wanted = left.head(rows);
  double min_error = std::numeric_limits<double>::infinity();
  for (unsigned set = 0; set < (1u << columns); ++set) {
    std::vector<Eigen::Index> chosen;
    for (Eigen::Index c = 0; c < columns; ++c) {
      if ((set >> c & 1u) != 0 && scale[c] > 0) chosen.push_back(c);
    }
    Eigen::VectorXd c = Eigen::VectorXd::Zero(columns);
    if (!chosen.empty()) {
      const Eigen::MatrixXd a =
          used(Eigen::all, chosen).array().rowwise() / scale(chosen).transpose().array();
      const Eigen::VectorXd solution = models::least_squares(a, wanted);
      if (solution.minCoeff() < 0) continue;
      c(chosen) = solution.cwiseQuotient(scale(chosen));
    }
    const double error = (used * c - wanted).squaredNorm();
    if (error >= min_error) continue;
    min_error = error;
    best = c;
  }
  return best;
}

double jackknife_freedom(const std::vector<std::vector<double>>& values) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& mine : values) {
    if (const double count = sum_of(mine).count; count > 0) fewest = std::min(fewest, count);
  }
  return std::isfinite(fewest) ? fewest - 1 : 0;
}

std::vector<Estimate> jackknife(
    const std::vector<std::vector<double>>& values, double confidence,
    const std::function<std::vector<double>(const std::vector<double>&)>& statistic) {
  std::vector<Sum> sums;
  std::vector<double> means;
  std::size_t repetitions = 0;
  double most = 0;  // values of a point
  for (const std::vector<double>& mine : values) {
    sums.push_back(sum_of(mine));
    means.push_back(sums.back().mean());
    repetitions = std::max(repetitions, mine.size());
    most = std::max(most, sums.back().count);
  }
  std::vector<Estimate> all;
  for (const double value : statistic(means)) all.push_back({.value = value});
  const double freedom = jackknife_freedom(values);
  if (freedom < 1) return all;
  std::vector<std::vector<double>> without;
  for (std::size_t r = 0; r < repetitions; ++r) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto& [sum, count] = sums[k];
      means[k] = sums[k].mean();
      if (r >= values[k].size() || !std::isfinite(values[k][r])) continue;
      // A jackknife of this point alone has (count - 1)/count in place of (most - 1)/most below.
      const double scale = std::sqrt((count - 1) / count / ((most - 1) / most));
      means[k] = std::lerp(means[k], (sum - values[k][r]) / (count - 1), scale);
    }
    without.push_back(statistic(means));
  }
  for (std::size_t j = 0; j < all.size(); ++j) {
    double mean = 0, sum = 0;
    for (const auto& one : without) mean += one[j] / static_cast<double>(repetitions);
    for (const auto& one : without) sum += (one[j] - mean) * (one[j] - mean);
    const double half = student_half_width(confidence, freedom, std::sqrt((most - 1) / most * sum));
    all[j].low = all[j].value - half;
    all[j].high = all[j].value + half;
  }
  return all;
}

Estimate mean_with_interval(const std::vector<double>& numbers, double confidence) {
  return jackknife({numbers}, confidence, [](const std::vector<double>& mean) { return mean; }).front();
}

ControlledMean controlled_mean(const std::vector<double>& values, std::vector<std::vector<double>> controls,
                               double confidence) {
  std::vector<std::size_t> runs;
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (std::isfinite(values[r])) runs.push_back(r);
  }
  const auto of_runs = [&](const std::vector<double>& numbers) {
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(numbers.data(), std::ssize(numbers))(runs));
  };
  // What of b is orthogonal to the columns of a.
  const auto rest = [](const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
    return a.cols() == 0 ? b : Eigen::VectorXd(b - a * models::least_squares(a, b));
  };
  const Eigen::VectorXd y = of_runs(values), ones = Eigen::VectorXd::Ones(y.size());
  ControlledMean out{.plain = mean_with_interval({y.begin(), y.end()}, confidence)};
  Eigen::MatrixXd x = ones;
  for (std::size_t j = 0; j < controls.size() && !runs.empty(); ++j) {
    controls[j].resize(values.size(), kNone);
    const Eigen::VectorXd c = of_runs(controls[j]);
    if (!(rest(x, c).norm() > 1e-9 * c.norm())) continue;
    x.conservativeResize(Eigen::NoChange, x.cols() + 1);
    x.rightCols(1) = c / c.norm();
    out.used.push_back(j);
  }
  const auto freedom = static_cast<double>(y.size() - x.cols());
  if (freedom < 2) return out;
  const double errors = rest(x, y).squaredNorm(), mean = models::least_squares(x, y)[0];
  // The variance of the constant is s^2 over the squared length of what of 1 is orthogonal to the controls.
  const double length = rest(x.rightCols(x.cols() - 1), ones).norm();
  const double half = student_half_width(confidence, freedom, std::sqrt(errors / freedom) / length);
  out.controlled = {mean, mean - half, mean + half};
  const double squares = (y.array() - y.mean()).square().sum();
  if (squares > 1e-18 * y.squaredNorm()) out.r2 = 1 - errors / squares;
  return out;
}

Estimate quantile_with_interval(std::vector<double> numbers, double p, double confidence) {
  std::sort(numbers.begin(), numbers.end());
  Estimate e{.value = quantile(numbers, p)};
  const double error = (1 - confidence) / 2;
  const boost::math::binomial below(static_cast<double>(numbers.size()), p);
  const auto up_to = [&](std::size_t k) {
    return boost::math::cdf(below, static_cast<double>(k));
  };  // P(B <= k)
  std::size_t l = 0;
  while (l < numbers.size() && up_to(l) <= error) ++l;  // P(B < l) <= error
  if (l == 0) return e;
  std::size_t u = l;
  while (u <= numbers.size() &&
         boost::math::cdf(boost::math::complement(below, static_cast<double>(u - 1))) > error)
    ++u;
  if (u > numbers.size()) return e;
  e.low = numbers[l - 1];
  e.high = numbers[u - 1];
  return e;
}

Difference paired_difference(const std::vector<double>& from, const std::vector<double>& to,
                             double confidence, bool antithetic) {
  const std::vector<double> reference = independent_values(from, antithetic),
                            other = independent_values(to, antithetic);
  std::vector<double> a, b, differences;
  for (std::size_t r = 0; r < std::min(reference.size(), other.size()); ++r) {
    if (!std::isfinite(reference[r]) || !std::isfinite(other[r])) continue;
    a.push_back(reference[r]);
    b.push_back(other[r]);
    differences.push_back(other[r] - reference[r]);
  }
  const auto n = static_cast<double>(differences.size());
  const auto variance_of = [&](const std::vector<double>& x) {
    const double mean = sum_of(x).mean();
    return std::accumulate(x.begin(), x.end(), 0.0,
                           [&](double sum, double v) { return sum + (v - mean) * (v - mean); }) /
           (n - 1);
  };
  Difference result{.pairs = differences.size(), .mean = sum_of(differences).mean()};
  if (differences.size() < 2) return result;
  const double variance = variance_of(differences);
  const double half = student_half_width(confidence, n - 1, std::sqrt(variance / n));
  result.low = result.mean - half;
  result.high = result.mean + half;
  result.reduction = (variance_of(a) + variance_of(b)) / variance;
  return result;
}

}  // namespace hearsay::analysis
