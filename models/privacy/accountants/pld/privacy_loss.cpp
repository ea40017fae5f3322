#include "models/privacy/accountants/pld/privacy_loss.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace hearsay::models {

namespace {

// The smallest |epsilon| on one side, to a thousandth, at which the excess is at most `cut`.
double reach(const HockeyStick& stick, HockeyStick::Direction direction, double cut, double sign) {
  double inside = 0, outside = stick.excess(0, direction);
  while (stick.excess(sign * outside, direction) > cut) {
    inside = outside;
    outside *= 2;
  }
  while (outside - inside > 1e-3 * outside) {
    const double middle = (inside + outside) / 2;
    (stick.excess(sign * middle, direction) > cut ? inside : outside) = middle;
  }
  return outside;
}

}  // namespace

HockeyStick::HockeyStick(const Step& step, Adjacency adjacency)
    : law_(&step.law()), parameter_(step.parameter()), sampling_rate_(step.sampling_rate) {
  check(step);
  if (!law_->scalar && step.dimension > 1) {
    throw std::invalid_argument(
        "pld: expected exponential_norm in one dimension, found more; use kairouz_exact or kairouz, or "
        "state the step as a pure one");
  }
  if (sampling_rate_ == 1 || adjacency == Adjacency::kAddRemove) return;
  if (!law_->pure) {
    throw std::invalid_argument(
        "pld: expected adjacency add_remove for a sampled Gaussian step, found replace_one");
  }
  law_ = &law_of(StepKind::kPure);
  parameter_ = amplified_epsilon(step.epsilon, step.sampling_rate);
  sampling_rate_ = 1;
}

// The pairs of unsampled releases are their own mirror images.
double HockeyStick::base_excess(double epsilon) const {
  return epsilon < 0 ? std::exp(epsilon) * base_excess(-epsilon) : law_->delta(epsilon, parameter_);
}

double HockeyStick::excess(double epsilon, Direction direction) const {
  if (sampling_rate_ == 1) return base_excess(epsilon);
  if (direction == Direction::kAdd) return std::exp(epsilon) * excess(-epsilon, Direction::kRemove);
  constexpr double kLarge = 50;  // beyond it e^epsilon - 1 is e^epsilon, and must not overflow
  if (epsilon > kLarge) return sampling_rate_ * base_excess(epsilon - std::log(sampling_rate_));
  const double growth = std::expm1(epsilon) / sampling_rate_;
  return growth <= -1 ? 0 : sampling_rate_ * base_excess(std::log1p(growth));
}

double HockeyStick::largest_loss() const {
  return law_->pure ? amplified_epsilon(parameter_, sampling_rate_) : std::numeric_limits<double>::infinity();
}

LossRange loss_range(const HockeyStick& stick, HockeyStick::Direction direction, double cut) {
  return {-reach(stick, direction, cut, -1), reach(stick, direction, cut, 1)};
}

// With x = e^epsilon, delta joined by straight lines of slopes s_j has the atom Q(L = epsilon_j) = s_j -
// s_(j-1), and P = x_j Q. The slopes are those of the excess; its kink at x = 1 adds the atom 1. The line
// from x = 0, where the excess is 0, leads to the first point, and from the last one on delta stays what it
// is there: the infinite loss.
std::vector<double> connect_the_dots(const HockeyStick& stick, HockeyStick::Direction direction,
                                     const std::vector<double>& losses, double& never) {
  const std::size_t n = losses.size();
  std::vector<double> masses(n);
  double here = stick.excess(losses[0], direction);
  double rise_before = here;  // (E_j - E_(j-1)) x_j/(x_j - x_(j-1))
  for (std::size_t j = 0; j < n; ++j) {
    const bool last = j + 1 == n;
    const double next = last ? here : stick.excess(losses[j + 1], direction);
    const double gap = last ? 1 : losses[j + 1] - losses[j];
    masses[j] = (next - here) / std::expm1(gap) - rise_before + (losses[j] == 0 ? 1 : 0);
    rise_before = (next - here) / -std::expm1(-gap);
    here = next;
  }
  never = here;
  return masses;
}

DiscreteLoss coarse_loss(const HockeyStick& stick, HockeyStick::Direction direction, const LossRange& range,
                         std::int64_t count) {
  constexpr int kBelow = 150, kAbove = 300;
  DiscreteLoss loss;
  loss.count = count;
  const double scale = stick.excess(0, direction);  // total variation: the size of a typical loss
  for (int j = -kBelow; j <= kAbove; ++j) {
    const double end = j < 0 ? range.lowest : range.highest;
    const double share = static_cast<double>(j) / (j < 0 ? -kBelow : kAbove);
    loss.losses.push_back(j == 0 ? 0 : scale * std::sinh(share * std::asinh(end / scale)));
  }
  double never = 0;
  loss.masses = connect_the_dots(stick, direction, loss.losses, never);
  return loss;
}

Cumulants cumulants(const std::vector<DiscreteLoss>& losses, double theta) {
  Cumulants sum;
  for (const DiscreteLoss& loss : losses) {
    const double largest = theta * (theta > 0 ? loss.losses.back() : loss.losses.front());
    double m0 = 0, m1 = 0, m2 = 0;
    for (std::size_t j = 0; j < loss.losses.size(); ++j) {
      const double weight = std::max(0.0, loss.masses[j]) * std::exp(theta * loss.losses[j] - largest);
      m0 += weight;
      m1 += weight * loss.losses[j];
      m2 += weight * loss.losses[j] * loss.losses[j];
    }
    const auto count = static_cast<double>(loss.count);
    const double mean = m1 / m0;
    sum.log_moment += count * (std::log(m0) + largest);
    sum.mean += count * mean;
    sum.variance += count * std::max(0.0, m2 / m0 - mean * mean);
  }
  return sum;
}

}  // namespace hearsay::models
