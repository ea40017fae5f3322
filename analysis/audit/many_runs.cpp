#include "analysis/audit/many_runs.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal_distribution<double>(), p);
}

// What upper bounds of both rates certify: epsilon, or mu.
double certified_by_rates(double fpr, double fnr, const ManyRunsOptions& options) {
  if (fpr >= 1 || fnr >= 1) return 0;
  if (options.trade_off == TradeOff::kGaussian)
    return std::max(0.0, -normal_quantile(fpr) - normal_quantile(fnr));
  const auto log_ratio = [&](double missed, double false_alarms) {
    return 1 - missed > options.delta ? std::log((1 - missed - options.delta) / false_alarms) : 0;
  };
  return std::max({0.0, log_ratio(fnr, fpr), log_ratio(fpr, fnr)});
}

// Wilson's upper bound, which is near that of Clopper and Pearson and has a closed form: to compare thresholds, any number
// will do.
double rough_upper_bound(std::size_t k, std::size_t n, double z) {
  const auto count = static_cast<double>(n);
  const double rate = static_cast<double>(k) / count, half = z * z / (2 * count);
  return (rate + half + z * std::sqrt(rate * (1 - rate) / count + half / (2 * count))) / (1 + 2 * half);
}

// How much a rule is expected to certify of other runs, to compare rules, after errors in these.
double promise(std::size_t false_positives, std::size_t n0, std::size_t false_negatives, std::size_t n1,
               const ManyRunsOptions& options) {
  if (options.trade_off == TradeOff::kGaussian) {
    // Equal rates show most; to look for the largest value would find noise.
    const double fpr = static_cast<double>(false_positives) / static_cast<double>(n0),
                 fnr = static_cast<double>(false_negatives) / static_cast<double>(n1);
    return -std::abs(fpr - fnr) - (fpr + fnr > 1 ? 1 : 0);
  }
  // Twice the quantile of the bounds to come: of many thresholds the best has lucky counts, the luckier the rarer its event
  // is.
  const double z = -2 * normal_quantile(options.failure / 2);
  return certified_by_rates(rough_upper_bound(false_positives, n0, z),
                            rough_upper_bound(false_negatives, n1, z), options);
}

struct Rule {
  double threshold = 0;
  bool above = true;
};

Rule choose_rule(std::vector<double> scores0, std::vector<double> scores1, const ManyRunsOptions& options) {
  std::ranges::sort(scores0);
  std::ranges::sort(scores1);
  std::vector<double> all;
  all.reserve(scores0.size() + scores1.size());
  std::ranges::merge(scores0, scores1, std::back_inserter(all));
  const std::size_t n0 = scores0.size(), n1 = scores1.size();
  Rule best{.threshold = all.front()};
  double most = -std::numeric_limits<double>::infinity();
  std::size_t below0 = 0, below1 = 0;
  for (std::size_t k = 1; k < all.size(); ++k) {
    if (all[k] == all[k - 1]) continue;
    while (below0 < n0 && scores0[below0] < all[k]) ++below0;
    while (below1 < n1 && scores1[below1] < all[k]) ++below1;
    for (const bool above : {true, false}) {
      const std::size_t false_positives = above ? n0 - below0 : below0,
                        false_negatives = above ? below1 : n1 - below1;
      const double value = promise(false_positives, n0, false_negatives, n1, options);
      if (value > most) {
        most = value;
        const double middle = std::midpoint(all[k - 1], all[k]);
        best = {.threshold = middle > all[k - 1] ? middle : all[k], .above = above};
      }
    }
  }
  return best;
}

}  // namespace

double clopper_pearson_upper(std::size_t k, std::size_t n, double alpha) {
  if (k >= n) return 1;
  return boost::math::binomial_distribution<double>::find_upper_bound_on_p(static_cast<double>(n),
                                                                           static_cast<double>(k), alpha);
}

ManyRunsCertificate certify_by_runs(std::span<const double> scores0, std::span<const double> scores1,
                                    const ManyRunsOptions& options) {
  sim::check(scores0.size() >= 2 && scores1.size() >= 2,
             "an audit of many runs has two or more with each data set");
  sim::check(options.delta >= 0 && options.delta < 1 && options.failure > 0 && options.failure < 1,
             "an audit's delta and failure are probabilities");
  sim::check(options.trade_off == TradeOff::kAny || options.delta > 0,
             "a Gaussian release has no epsilon at delta 0");
  const auto is_nan = [](double score) { return std::isnan(score); };
  sim::check(std::ranges::none_of(scores0, is_nan) && std::ranges::none_of(scores1, is_nan),
             "the scores of an audit are numbers");
  const auto half0 = scores0.first(scores0.size() / 2), half1 = scores1.first(scores1.size() / 2);
  const Rule rule = choose_rule({half0.begin(), half0.end()}, {half1.begin(), half1.end()}, options);
  const auto counted0 = scores0.subspan(half0.size()), counted1 = scores1.subspan(half1.size());
  const auto is_guessed = [&](double score) { return (score >= rule.threshold) == rule.above; };
  ManyRunsCertificate result{
      .threshold = rule.threshold, .above = rule.above, .runs0 = counted0.size(), .runs1 = counted1.size()};
  result.false_positives = static_cast<std::size_t>(std::ranges::count_if(counted0, is_guessed));
  result.false_negatives =
      result.runs1 - static_cast<std::size_t>(std::ranges::count_if(counted1, is_guessed));
  result.fpr = clopper_pearson_upper(result.false_positives, result.runs0, options.failure / 2);
  result.fnr = clopper_pearson_upper(result.false_negatives, result.runs1, options.failure / 2);
  const double certified = certified_by_rates(result.fpr, result.fnr, options);
  if (options.trade_off == TradeOff::kAny) {
    result.epsilon = certified;
  } else if (certified > 0) {
    result.mu = certified;
    result.epsilon = models::gaussian_epsilon(options.delta, certified);
  }
  return result;
}

}  // namespace hearsay::analysis
