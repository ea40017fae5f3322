#include "models/privacy/accountants/pld/pld.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <optional>
#include <tuple>
#include <unsupported/Eigen/FFT>

#include "models/privacy/accountants/numerics.hpp"
#include "models/privacy/accountants/pld/privacy_loss.hpp"

namespace hearsay::models {

namespace {

using Direction = HockeyStick::Direction;

// Allowed errors of epsilon by spacing: the first pair if kEnoughPoints suffice, otherwise the loose pair.
constexpr double kRelativeError = 1e-5, kAbsoluteError = 1e-4;
constexpr double kLooseRelativeError = 1e-4, kLooseAbsoluteError = 5e-4;
constexpr double kEnoughPoints = 1 << 17;
constexpr double kMaxPoints = 1 << 20;
constexpr double kCut = 1e-20;      // probability that may be moved to an infinite loss, all steps together
constexpr double kOutside = 26;     // what the window leaves out, or counts twice, adds e^-26 of delta
constexpr double kFarBelow = 12;    // in units of 1/theta: rounding errors grow by its exponential
constexpr double kRounding = 1e-9;  // of delta, set aside for the rounding of sums and transforms

/// Memory and tables of the transforms. A thread keeps them, up to kEnoughPoints: computing them takes as long as a
/// transform.
struct Transforms {
  Transforms() { fft.SetFlag(Eigen::FFT<double>::HalfSpectrum); }
  Eigen::FFT<double> fft;
  Eigen::ArrayXcd product, spectrum;
  std::vector<double> folded;
};

/// e^(a + b i) for consecutive i, by products: an exponential only every 128 of them, which keeps the relative error below
/// 1e-13.
class GeometricTerms {
 public:
  GeometricTerms(double log_first, double log_ratio)
      : log_first_(log_first), log_ratio_(log_ratio), ratio_(std::exp(log_ratio)) {}
  double next() {
    term_ =
        index_ % 128 == 0 ? std::exp(log_first_ + log_ratio_ * static_cast<double>(index_)) : term_ * ratio_;
    ++index_;
    return term_;
  }

 private:
  double log_first_, log_ratio_, ratio_;
  double term_ = 0;
  std::int64_t index_ = 0;
};

/// How to compose: tilt, grid and window.
struct Plan {
  double theta = 0;
  double spacing = 0;
  std::int64_t bottom = 0;  // grid index of the lowest point of the window
  std::int64_t points = 0;  // of the window
  double above = 0;         // e^-above bounds the tilted mass above the window

  /// Where grid index `index` is on the window, which is periodic: 0 .. points - 1.
  std::int64_t slot(std::int64_t index) const { return (index % points + points) % points; }
};

/// A size of at least `least` that the transforms are fast at: 4, 5 or 6 times a power of two, at least 8.
std::int64_t transform_size(double least) {
  std::int64_t power = 2;
  while (static_cast<double>(8 * power) < least) power *= 2;
  for (const std::int64_t factor : {4, 5, 6}) {
    if (static_cast<double>(factor * power) >= least) return factor * power;
  }
  return 8 * power;
}

// One direction of a sequence of releases.
class Composition {
 public:
  Composition(std::span<const StepRun> runs, Adjacency adjacency, Direction direction)
      : direction_(direction) {
    for (const StepRun& run : runs) {
      sticks_.emplace_back(run.step, adjacency);
      counts_.push_back(run.count);
      steps_ += static_cast<double>(run.count);
    }
    for (std::size_t k = 0; k < sticks_.size(); ++k) {
      ranges_.push_back(loss_range(sticks_[k], direction_, kCut / steps_));
      coarse_.push_back(coarse_loss(sticks_[k], direction_, ranges_[k], counts_[k]));
    }
  }

  // The order of the best Renyi bound, where t K'(t) - K(t) = ln(1/delta) - ln(t + 1), is a tilt whose mean
  // is close to epsilon. If it is not, tilting back magnifies the rounding errors far below the mean: then
  // repeat from the epsilon found.
  double epsilon(double delta) const {
    const double log_delta = std::log(delta);
    double theta = tilt([&](double t, const Cumulants& c) {
      return std::pair(t * c.mean - c.log_moment + log_delta + std::log1p(t), t * c.variance + 1 / (1 + t));
    });
    double found = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const Cumulants centre = cumulants(coarse_, theta);
      found = epsilon_at(theta, (centre.log_moment - log_delta) / theta, log_delta);
      if (theta * (centre.mean - found) < kFarBelow) break;
      theta = tilt([&](double, const Cumulants& c) { return std::pair(c.mean - found, c.variance); });
    }
    return found;
  }

  double delta(double epsilon) const {
    const double theta =
        tilt([&](double, const Cumulants& c) { return std::pair(c.mean - epsilon, c.variance); });
    const std::optional<Plan> found = plan_for(theta, epsilon);
    if (!found) return 1;
    const Plan& plan = *found;
    // The scale of the sums: Chernoff's bound on delta, at least kCut.
    const double bound = cumulants(coarse_, theta).log_moment - theta * epsilon;
    const double log_scale = std::max(bound, std::log(kCut));
    const Tilted law = compose(plan);
    GeometricTerms untilted = law.untilted(plan, log_scale);
    LossLadder ladder(plan.spacing, law.never / std::exp(log_scale));
    double last = std::numeric_limits<double>::infinity();
    for (std::int64_t i = plan.points - 1; i >= 0 && law.loss(plan, i) > epsilon; --i) {
      last = law.loss(plan, i);
      ladder.step_down(law.mass(plan, i) * untilted.next());
    }
    const double scaled = std::isfinite(last) ? ladder.delta_below(last - epsilon) : ladder.delta();
    return std::min(1.0, scaled * std::exp(log_scale) * (1 + kRounding));
  }

 private:
  double epsilon_at(double theta, double estimate, double log_delta) const {
    const std::optional<Plan> found = plan_for(theta, estimate);
    if (!found) return std::numeric_limits<double>::infinity();
    const Plan& plan = *found;
    const Tilted law = compose(plan);
    LossLadder ladder(plan.spacing, law.never / std::exp(log_delta));  // in units of delta
    GeometricTerms untilted = law.untilted(plan, log_delta);
    const double target = 1 - kRounding;
    if (ladder.delta() >= target) return std::numeric_limits<double>::infinity();
    for (std::int64_t i = plan.points - 1; i >= 0; --i) {
      const double loss = law.loss(plan, i);
      if (loss < -plan.spacing) return 0;
      ladder.step_down(law.mass(plan, i) * untilted.next());
      if (ladder.delta_at_next() >= target) return std::max(0.0, loss - ladder.distance_to(target));
    }
    return std::max(0.0, law.loss(plan, 0));  // at most that: the window lies too high
  }

  /// The law of the sum, tilted by e^(theta L - log_moment), on the window modulo its length.
  struct Tilted {
    std::vector<double> own;  // empty where the thread keeps them until its next composition
    const double* masses = nullptr;
    std::int64_t first = 0;  // the slot of the bottom
    double log_moment = 0;
    double never = 0;  // probability of an infinite loss, and of one above the window

    double loss(const Plan& plan, std::int64_t i) const {
      return static_cast<double>(plan.bottom + i) * plan.spacing;
    }
    double mass(const Plan& plan, std::int64_t i) const {
      const std::int64_t slot = first + i;
      return masses[slot < plan.points ? slot : slot - plan.points];
    }
    /// What turns masses into probabilities in units of e^log_scale, from the top of the window downwards.
    GeometricTerms untilted(const Plan& plan, double log_scale) const {
      return {log_moment - plan.theta * loss(plan, plan.points - 1) - log_scale, plan.theta * plan.spacing};
    }
  };

  // The standard deviation, bounded from below for losses that are almost certain.
  double spread_of(const Cumulants& c) const {
    double least = 0;
    for (const HockeyStick& stick : sticks_) least = std::max(least, 1e-3 * stick.excess(0, direction_));
    return std::max(least, std::sqrt(c.variance));
  }

  // theta > 0 at which an increasing function of it vanishes, within a range set by the spread of the sum. `value` returns
  // the function and its derivative: Newton's steps, halved intervals where they leave the bracket.
  template <class F>
  double tilt(const F& value) const {
    const double spread = spread_of(cumulants(coarse_, 0));
    double least = 1e-3 / spread, low = least, high = 12 / spread, theta = 1 / spread;
    for (int i = 0; i < 60 && high - low > 1e-9 * low; ++i) {
      const auto [f, slope] = value(theta, cumulants(coarse_, theta));
      (f < 0 ? low : high) = theta;
      const double step = f / slope;
      if (std::abs(step) <= 1e-9 * theta) break;
      if (low == least && high < 1.01 * least)
        low = least /= 64;  // few records take part: large losses are rare
      theta = theta - step > low && theta - step < high ? theta - step : std::sqrt(low * high);
    }
    return theta;
  }

  // Connecting the dots adds at most about h^2/6 to the variance of each step and h^2/12 to its mean, and so
  // T (theta + 1) h^2/12 to epsilon.
  double spacing_for(double error, double theta) const {
    return std::min(std::sqrt(12 * error / (steps_ * (theta + 1))), 0.25 / theta);
  }

  // Where a loss may be cut off below: tilted, the mass there is negligible relative to the whole, which is at
  // least 1, and rounding it up to this point keeps an upper bound.
  static double lowest(const LossRange& range, double theta) { return std::max(range.lowest, -60 / theta); }

  // The window, from K = log_moment and the mean m at theta. P(sum > x), tilted, is at most e^(K(theta+t) - K(theta) - t x);
  // `epsilon`, about what is sought, lies near m, and delta is about e^(K - theta epsilon) there.
  //   top     what lies above counts as an infinite loss: e^-above and e^(-theta (top - epsilon)) make e^-kOutside
  //   bottom  what lies below is counted at the top, being periodic; P(sum < x), tilted, by orders below theta
  //   length  what lies above the top is also counted at the bottom: negligible from 4/theta below m on
  // All three only add. Nothing where the losses are too large for a grid: then only the trivial bound is known.
  std::optional<Plan> plan_for(double theta, double epsilon) const {
    Plan plan;
    plan.theta = theta;
    const Cumulants centre = cumulants(coarse_, theta);
    const double m = centre.mean, spread = spread_of(centre), sought = std::max(m, epsilon);
    double top = std::numeric_limits<double>::infinity();
    std::array<double, 8> rises;
    double t = 0.5 / spread;
    for (double& rise : rises) {
      rise = cumulants(coarse_, theta + t).log_moment - centre.log_moment;
      const double above = std::max(0.0, (kOutside - theta * (rise / t - sought)) / (1 + theta / t));
      if ((rise + above) / t < top) std::tie(top, plan.above) = std::pair((rise + above) / t, above);
      t *= 2;
    }
    double bottom = -std::numeric_limits<double>::infinity();
    for (double c = theta; c < 100 / spread + 2 * theta; c *= 2) {
      const double fall = centre.log_moment - cumulants(coarse_, theta - c).log_moment;
      const double next = (fall + theta * (top - sought) - kOutside) / c;
      if (next < bottom) break;
      bottom = next;
    }
    bottom = std::min(bottom, m - std::min((kFarBelow + 1) / theta, 10 * spread));
    const double from = std::max(bottom, m - 4 / theta);
    double length = std::numeric_limits<double>::infinity();
    // Clang 14 cannot compile std::views::reverse.
    for (auto rise = rises.rbegin(); rise != rises.rend(); ++rise) {
      t /= 2;
      length = std::min(length, (kOutside + theta * (sought - from) + *rise) / t - from);
    }
    length = std::max(length, top - bottom);
    double widest = length;
    for (const LossRange& range : ranges_) widest = std::max(widest, range.highest - lowest(range, theta));
    double h = std::clamp(widest / kEnoughPoints,
                          spacing_for(std::min(kAbsoluteError, kRelativeError * epsilon), theta),
                          spacing_for(std::min(kLooseAbsoluteError, kLooseRelativeError * epsilon), theta));
    h = std::max(h, widest / (kMaxPoints - 4));
    // A largest loss has an atom: put it on the grid if there is only one such loss.
    const double largest = sticks_[0].largest_loss();
    if (sticks_.size() == 1 && std::isfinite(largest)) h = largest / std::max(1.0, std::ceil(largest / h));
    plan.spacing = h;
    if (!std::isfinite(length / h) || !std::isfinite(bottom / h)) return {};
    plan.bottom = static_cast<std::int64_t>(std::floor(bottom / h)) - 1;
    plan.points = transform_size(length / h + 3);
    return plan;
  }

  DiscreteLoss fine_loss(std::size_t k, double theta, double spacing, double& never) const {
    DiscreteLoss loss;
    loss.count = counts_[k];
    const auto first = static_cast<std::int64_t>(std::floor(lowest(ranges_[k], theta) / spacing));
    const auto last = static_cast<std::int64_t>(std::ceil(ranges_[k].highest / spacing));
    for (std::int64_t i = first; i <= last; ++i) loss.losses.push_back(static_cast<double>(i) * spacing);
    loss.masses = connect_the_dots(sticks_[k], direction_, loss.losses, never);
    return loss;
  }

  Tilted compose(const Plan& plan) const {
    Tilted law;
    const auto n = static_cast<Eigen::Index>(plan.points);
    static thread_local Transforms kept;
    Transforms large;
    auto& [fft, product, spectrum, folded] = static_cast<double>(n) <= kEnoughPoints ? kept : large;
    product.setOnes(n / 2 + 1);
    spectrum.resize(n / 2 + 1);
    folded.resize(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < sticks_.size(); ++k) {
      double never = 0;
      const DiscreteLoss loss = fine_loss(k, plan.theta, plan.spacing, never);
      law.never += static_cast<double>(loss.count) * never;
      law.log_moment += fold(loss, plan, folded);
      fft.fwd(spectrum.data(), folded.data(), n);
      multiply_power(product, spectrum, loss.count);
    }
    fft.inv(folded.data(), product.data(), n);
    if (&folded == &large.folded) law.own = std::move(folded);
    law.first = plan.slot(plan.bottom);
    law.masses = law.own.empty() ? folded.data() : law.own.data();
    const double top = law.loss(plan, plan.points - 1);
    law.never += std::exp(law.log_moment - plan.theta * top - plan.above);
    return law;
  }

  // The tilted masses of one step, wrapped round the window; returns count * ln E e^(theta L).
  static double fold(const DiscreteLoss& loss, const Plan& plan, std::vector<double>& folded) {
    const double shift = plan.theta * loss.losses.back();
    std::fill(folded.begin(), folded.end(), 0.0);
    double total = 0;
    std::int64_t slot = plan.slot(std::llround(loss.losses.front() / plan.spacing));
    GeometricTerms tilted(plan.theta * loss.losses.front() - shift, plan.theta * plan.spacing);
    for (std::size_t j = 0; j < loss.losses.size(); ++j) {
      const double mass = loss.masses[j] * tilted.next();
      folded[static_cast<std::size_t>(slot)] += mass;
      if (++slot == plan.points) slot = 0;
      total += mass;
    }
    for (double& mass : folded) mass /= total;
    return static_cast<double>(loss.count) * (std::log(total) + shift);
  }

  static void multiply_power(Eigen::ArrayXcd& product, Eigen::ArrayXcd& base, std::int64_t exponent) {
    for (; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) product *= base;
      if (exponent > 1) base = base.square();
    }
  }

  Direction direction_;
  std::vector<HockeyStick> sticks_;
  std::vector<std::int64_t> counts_;
  std::vector<LossRange> ranges_;
  std::vector<DiscreteLoss> coarse_;
  double steps_ = 0;
};

// The result of the worse direction; 0 without steps.
template <class F>
double worst_direction(std::span<const StepRun> runs, Adjacency adjacency, const F& of) {
  const std::vector<StepRun> merged = canonical(runs);
  double steps = 0;
  bool symmetric = true;
  for (const StepRun& run : merged) steps += static_cast<double>(run.count);
  if (steps > static_cast<double>(kPldMostSteps)) {
    throw std::invalid_argument(fmt::format(
        "pld: expected at most {} steps, found {}: errors grow with their number; use kairouz_exact, rdp or "
        "zcdp",
        kPldMostSteps, steps));
  }
  if (merged.empty()) return 0;
  for (const StepRun& run : merged) symmetric = symmetric && HockeyStick(run.step, adjacency).symmetric();
  const double remove = of(Composition(merged, adjacency, Direction::kRemove));
  return symmetric ? remove : std::max(remove, of(Composition(merged, adjacency, Direction::kAdd)));
}

void require_pld_delta(double delta) {
  require_delta(delta);
  if (delta < kPldLeastDelta) {
    throw std::invalid_argument(
        fmt::format("pld: expected a delta of at least {}, found {}: the grid is too coarse for it; use "
                    "kairouz_exact, rdp or zcdp",
                    kPldLeastDelta, delta));
  }
}

}  // namespace

double pld_loss(std::span<const StepRun> runs) {
  double sum = 0;
  for (const auto& [step, count] : runs) {
    const double loss = step.law().pure ? step.epsilon : step.law().rho(step.noise_multiplier);
    sum += static_cast<double>(count) * step.sampling_rate * loss;
  }
  return sum;
}

void require_pld_cover(const Step& step, double delta, Adjacency adjacency) {
  require_pld_delta(delta);
  check(step);
  HockeyStick(step, adjacency);
}

double pld_epsilon(std::span<const StepRun> runs, double delta, Adjacency adjacency) {
  require_pld_delta(delta);
  return worst_direction(runs, adjacency, [delta](const Composition& c) { return c.epsilon(delta); });
}

double pld_delta(std::span<const StepRun> runs, double epsilon, Adjacency adjacency) {
  require_epsilon_at(epsilon);
  return worst_direction(runs, adjacency, [epsilon](const Composition& c) { return c.delta(epsilon); });
}

}  // namespace hearsay::models
