#include "models/privacy/accountants/renyi/best_of_trials.hpp"

#include <algorithm>
#include <cmath>

#include "models/privacy/accountants/numerics.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"

namespace hearsay::models {

TrialCount TrialCount::of_mean(double eta, double mean) {
  double low = -700, high = 0;  // of ln gamma, in which the mean falls
  require(eta > -1 && TrialCount{eta, std::exp(low)}.mean() > mean && mean > 1, "mean number of trials",
          "above 1 and within reach of eta", mean);
  for (double middle = low / 2; low < middle && middle < high; middle = (low + high) / 2)
    (TrialCount{eta, std::exp(middle)}.mean() < mean ? high : low) = middle;
  return {eta, std::exp(low)};
}

double TrialCount::mean() const {
  const double log = std::log(gamma);
  return (1 - gamma) / gamma / (eta == 0 ? -log : -std::expm1(eta * log) / eta);
}

double TrialCount::once() const {
  const double log = std::log(gamma);
  return (1 - gamma) / (eta == 0 ? -log : std::expm1(-eta * log) / eta);
}

std::uint64_t TrialCount::quantile(double u) const {
  double k = 1, one = once();
  for (double sum = one; sum <= u && one > 0; sum += one, ++k) one *= (1 - gamma) * (k + eta) / (k + 1);
  return static_cast<std::uint64_t>(k);
}

std::vector<double> best_of_trials(std::span<const double> curve, const TrialCount& trials) {
  const std::vector<double>& orders = renyi_orders();
  const double log = -std::log(trials.gamma);
  double least = log;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const double inverse = k < orders.size() ? 1 / orders[k] : 0;
    least = std::min(least, (1 - inverse) * curve[k] + inverse * log);
  }
  std::vector<double> best(curve.begin(), curve.end());
  for (std::size_t k = 0; k < best.size(); ++k)
    best[k] += (1 + trials.eta) * least + (k < orders.size() ? std::log(trials.mean()) / (orders[k] - 1) : 0);
  return best;
}

}  // namespace hearsay::models
