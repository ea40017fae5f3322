#include "models/protocols/peer_to_peer/problem/utility_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay::models {

namespace {

// sum_{k=first}^{last-1} C^k
double geometric(double contraction, double first, double last) {
  const double rate = std::log(contraction);
  if (rate == 0) return last - first;
  return std::exp(rate * first) * std::expm1(rate * (last - first)) / std::expm1(rate);
}

}  // namespace

double UtilityBounds::proposition_1(std::uint64_t ticks) const {
  return std::pow(contraction, static_cast<double>(ticks)) * gap;
}

double UtilityBounds::theorem_2(std::uint64_t ticks,
                                const std::function<double(std::uint64_t)>& noise) const {
  const auto total = static_cast<double>(ticks);
  double sum = 0;
  for (std::uint64_t round = 0; static_cast<double>(round) * agents < total; ++round) {
    const double first = static_cast<double>(round) * agents;
    sum += noise(round) * geometric(contraction, first, std::min(first + agents, total));
  }
  return proposition_1(ticks) + sum / (agents * min_lipschitz);
}

double UtilityBounds::theorem_2_corrected(std::uint64_t ticks,
                                          const std::function<double(std::uint64_t)>& half_energy) const {
  const auto total = static_cast<double>(ticks);
  double sum = 0;
  for (std::uint64_t round = 0; static_cast<double>(round) * agents < total; ++round) {
    // Ticks first .. last - 1 weigh C^(T-1-t): exponents T - last .. T - 1 - first.
    const double first = static_cast<double>(round) * agents, last = std::min(first + agents, total);
    sum += half_energy(round) * geometric(contraction, total - last, total - first);
  }
  return proposition_1(ticks) + sum / (agents * min_lipschitz);
}

double UtilityBounds::appendix_b(std::uint64_t ticks, double noise) const {
  const double a = noise / (agents * min_lipschitz), r = 1 - contraction;
  const double left = std::pow(contraction, static_cast<double>(ticks));
  return gap * left + (r > 0 ? a / r * (1 - left) : a * static_cast<double>(ticks));
}

std::uint64_t best_steps(const UtilityBounds& bounds, std::uint64_t most,
                         const std::function<double(std::uint64_t)>& noise) {
  std::uint64_t best = 1;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::uint64_t k = 1; k <= most; ++k) {
    const auto ticks = static_cast<std::uint64_t>(bounds.agents) * k;
    const double bound = bounds.appendix_b(ticks, noise(k));
    if (bound < smallest) {
      smallest = bound;
      best = k;
    }
  }
  return best;
}

}  // namespace hearsay::models
