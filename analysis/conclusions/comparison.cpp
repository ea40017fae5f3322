#include "analysis/conclusions/comparison.hpp"

#include "analysis/conclusions/estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace hearsay::analysis {

namespace {

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double variance_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(x.size() - 1);
}

}  // namespace

Difference paired_difference(const std::vector<double>& reference, const std::vector<double>& other,
                             double confidence) {
  std::vector<double> a, b, differences;
  for (std::size_t r = 0; r < std::min(reference.size(), other.size()); ++r) {
    if (!std::isfinite(reference[r]) || !std::isfinite(other[r])) continue;
    a.push_back(reference[r]);
    b.push_back(other[r]);
    differences.push_back(other[r] - reference[r]);
  }
  Difference result{
      .pairs = differences.size(), .mean = kNone, .low = kNone, .high = kNone, .reduction = kNone};
  if (differences.empty()) return result;
  result.mean = mean_of(differences);
  if (differences.size() < 2) return result;
  const auto n = static_cast<double>(differences.size());
  const double variance = variance_of(differences);
  const boost::math::students_t student(n - 1);
  const double half =
      boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2)) * std::sqrt(variance / n);
  result.low = result.mean - half;
  result.high = result.mean + half;
  result.reduction = (variance_of(a) + variance_of(b)) / variance;
  return result;
}

}  // namespace hearsay::analysis
