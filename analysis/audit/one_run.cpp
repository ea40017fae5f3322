#include "analysis/audit/one_run.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numeric>

#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

void check_guesses(const Guesses& g) {
  sim::check(g.guessed <= g.canaries && g.right <= g.guessed,
             "an audit has at most as many right guesses as guesses, and as guesses canaries");
}

// max_{1 <= i <= v} P(v > W >= v - i)/i: the largest mean of the probabilities of W = v - 1, v - 2, ... The sums run over
// wrong guesses r - W, whose probability 1 - q keeps its precision where q is near 1.
double largest_mean(std::uint64_t r, std::uint64_t v, double epsilon) {
  const double n = static_cast<double>(r), odds = std::exp(-epsilon), wrong = odds / (1 + odds);
  const std::uint64_t first = r - v + 1;
  // Starting at the most likely number, nothing that matters underflows.
  const auto mode = std::clamp(static_cast<std::uint64_t>((n + 1) * wrong), first, r);
  const double peak =
      boost::math::pdf(boost::math::binomial_distribution<double>(n, wrong), static_cast<double>(mode));
  std::vector<double> probabilities(mode - first + 1, peak);
  for (std::uint64_t k = mode; k > first; --k)
    probabilities[k - 1 - first] =
        probabilities[k - first] * static_cast<double>(k) / (static_cast<double>(r - k + 1) * odds);
  double sum = 0, largest = 0, count = 0, probability = peak;
  for (const double p : probabilities) largest = std::max(largest, (sum += p) / ++count);
  for (std::uint64_t k = mode; k < r; ++k) {
    probability *= static_cast<double>(r - k) / static_cast<double>(k + 1) * odds;
    if (probability < largest) break;  // means fall from here on
    largest = std::max(largest, (sum += probability) / ++count);
  }
  return largest;
}

}  // namespace

Guesses guess_extremes(std::span<const double> scores, const std::vector<bool>& present,
                       std::uint64_t guessed) {
  sim::check(scores.size() == present.size() && guessed <= scores.size(),
             "an audit has a score for each canary, and guesses at most all");
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return scores[k]; });
  Guesses result{.canaries = scores.size(), .guessed = guessed};
  for (std::uint64_t k = 0; k < guessed / 2; ++k) result.right += present[order[k]] ? 0 : 1;
  for (std::uint64_t k = 0; k < guessed - guessed / 2; ++k)
    result.right += present[order[order.size() - 1 - k]] ? 1 : 0;
  return result;
}

double one_run_p_value(const Guesses& g, double epsilon, double delta) {
  check_guesses(g);
  if (g.right == 0) return 1;
  const auto r = static_cast<double>(g.guessed), v = static_cast<double>(g.right);
  // P(W >= v) = P(r - W <= r - v) = I_q(v, r - v + 1).
  const double beta = boost::math::ibetac(r - v + 1, v, 1 / (1 + std::exp(epsilon)));
  if (delta == 0) return beta;
  return std::min(
      1.0, beta + 2 * static_cast<double>(g.canaries) * delta * largest_mean(g.guessed, g.right, epsilon));
}

double one_run_epsilon(const Guesses& guesses, double delta, double level) {
  sim::check(delta >= 0 && delta < 1 && level > 0 && level < 1,
             "an audit's delta and level are probabilities");
  const auto rejected = [&](double epsilon) { return one_run_p_value(guesses, epsilon, delta) < level; };
  if (!rejected(0)) return 0;
  double low = 0, high = 1;
  while (rejected(high)) {
    low = high;
    high *= 2;
  }
  // p grows with epsilon until it reaches a level below 1/2: there v is above the mode of W.
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    (rejected(middle) ? low : high) = middle;
  }
}

}  // namespace hearsay::analysis
