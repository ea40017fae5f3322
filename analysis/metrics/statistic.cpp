#include "analysis/metrics/statistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

std::vector<double> with_value(std::span<const double> values) {
  std::vector<double> all;
  std::ranges::copy_if(values, std::back_inserter(all), [](double v) { return !std::isnan(v); });
  return all;
}

// The k-th quarter, k = 1 to 4, of the owners by ascending number of training records (equal ones by number): owners
// floor((k - 1) n/4) up to floor(k n/4), at least one.
std::vector<std::size_t> quarter_of_owners(const models::Problem& problem, std::size_t k) {
  const auto everyone = problem.everyone();
  std::vector<std::size_t> order(everyone.begin(), everyone.end());
  std::ranges::stable_sort(order, {}, [&](std::size_t owner) { return problem.n(owner); });
  const std::size_t first = (k - 1) * order.size() / 4, last = std::max(k * order.size() / 4, first + 1);
  const std::span part = std::span(order).subspan(first, last - first);
  return {part.begin(), part.end()};
}

}  // namespace

double statistic_of(Statistic statistic, std::span<const double> values, const models::Problem& problem,
                    bool higher_is_better, const std::vector<bool>& hostile) {
  std::vector<double> all = with_value(values);
  if (all.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto quarter = [&](std::size_t k) {
    std::vector<double> some;
    for (const std::size_t owner : quarter_of_owners(problem, k)) some.push_back(values[owner]);
    return mean_of_known(some);
  };
  const auto group = [&](bool are) {
    std::vector<double> some;
    for (std::size_t owner = 0; owner < values.size(); ++owner)
      if ((!hostile.empty() && hostile[owner]) == are) some.push_back(values[owner]);
    return mean_of_known(some);
  };
  switch (statistic) {
    case Statistic::kMean:
      return mean_of_known(all);
    case Statistic::kMedian:
      return quantile(std::move(all), 0.5);
    case Statistic::kMin:
      return *std::ranges::min_element(all);
    case Statistic::kMax:
      return *std::ranges::max_element(all);
    case Statistic::kLowerQuartile:
      return quantile(std::move(all), 0.25);
    case Statistic::kUpperQuartile:
      return quantile(std::move(all), 0.75);
    case Statistic::kWorstDecile:
      std::ranges::sort(all);
      if (!higher_is_better) std::ranges::reverse(all);
      return mean_of_known(std::span(all).first((all.size() + 9) / 10));
    case Statistic::kQ1:
      return quarter(1);
    case Statistic::kQ2:
      return quarter(2);
    case Statistic::kQ3:
      return quarter(3);
    case Statistic::kQ4:
      return quarter(4);
    case Statistic::kHonest:
      return group(false);
    case Statistic::kHostile:
      return group(true);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace hearsay::analysis
