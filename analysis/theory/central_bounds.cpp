#include "analysis/theory/central_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/theory/central_moments.hpp"

namespace hearsay::analysis {

namespace {

using Setting = CentralSetting;
using Out = std::span<double>;

double square(double x) {
  return x * x;
}

// S of the asynchronous bounds (8) and (9).
double horizon_sum(const Setting& s, bool dimension) {
  const double noise = 2 * std::sqrt(2 * (dimension ? s.dimension : 1));
  double sum = 0;
  for (const double epsilon : s.epsilon) sum += square(1 / s.horizon + noise / (s.records * epsilon));
  return square(1 / s.horizon) + s.owners() * sum;
}

// s/n^2, with p where asked for.
double noise_sum(const Setting& s, bool dimension) {
  return (dimension ? s.dimension : 1) * s.inverse_squares() / square(s.records);
}

// A loss whose Hessian is unknown is convex, so that sigma alone is a valid L.
double strong(const Setting& s) {
  return std::isnan(s.hessian_min) && s.sigma > 0 ? s.sigma : s.hessian_min + s.sigma;
}
double smooth(const Setting& s) {
  return s.hessian_max + s.sigma;
}

void asynchronous(const Setting& s, bool dimension, Out out) {
  out[1] = horizon_sum(s, dimension);
  out[0] = std::sqrt(out[1]);
}
void asynchronous_large_t(const Setting& s, bool dimension, Out out) {
  out[1] = noise_sum(s, dimension);
  out[0] = std::sqrt(out[1]);
}
void synchronous_printed(const Setting& s, bool dimension, Out out) {
  out[0] = 8 * square(s.bound) * s.rho / strong(s) * noise_sum(s, dimension);
}
void synchronous_corrected(const Setting& s, bool, Out out) {
  out[0] = 4 * smooth(s) * square(s.bound) * s.rho / strong(s) * noise_sum(s, true);
}
void averaged(const Setting& s, bool dimension, Out out) {
  out[0] = s.bound * std::sqrt(noise_sum(s, dimension));
}
// A bound of the cost as one of the squared distance.
template <auto cost>
void as_distance(const Setting& s, bool dimension, Out out) {
  cost(s, dimension, out);
  out[0] *= 4 / strong(s);
}

// For equal owners; for unequal ones the mean Hessian and the mean of 1/epsilon^2 are used.
void rule_of_thumb(const Setting& s, bool, Out out) {
  const double n = s.owners(), own = s.records / n;
  const double left = std::exp(-2 * s.hessian_min * s.rho / (s.sigma * (n + 1) * s.horizon));
  const double noise = 2 * s.dimension * s.rho * square(s.bound) * (s.inverse_squares() / n) /
                       (s.sigma * (n + 1) * square(own) * s.f_star);
  out[0] = s.f_star * (s.psi_start * left + (1 - left) * noise);
}
void moments(const Setting& s, bool, Out out) {
  const double known = s.horizon + s.dimension;
  if (!std::isfinite(known)) {  // a protocol without them
    out[0] = known;
    return;
  }
  out[0] = s.f_star * expected_psi(s, static_cast<std::uint64_t>(s.horizon));
}
void synchronous_closed(const Setting& s, bool, Out out) {
  out[0] = 4 * square(s.bound * s.horizon) * noise_sum(s, true) / ((s.horizon - 1) * smooth(s));
}

constexpr std::array kBounds{
    Bound{"cost_of_privacy_8", "c1 sqrt(S) + c2 S, asynchronous, of the squared distance", BoundOf::kDistance,
          2, asynchronous},
    Bound{"cost_of_privacy_9", "c1 sqrt(S) + c2 S, asynchronous", BoundOf::kCost, 2, asynchronous},
    Bound{"cost_of_privacy_10", "(c1/n) sqrt(s) + (c2/n^2) s, asynchronous, large T, of the squared distance",
          BoundOf::kDistance, 2, asynchronous_large_t},
    Bound{"cost_of_privacy_11", "(c1/n) sqrt(s) + (c2/n^2) s, asynchronous, large T", BoundOf::kCost, 2,
          asynchronous_large_t},
    Bound{"value_of_collaboration_9", "8 Xi^2 rho/(L n^2) s as printed, synchronous strongly_convex",
          BoundOf::kCost, 0, synchronous_printed, CentralRule::kStronglyConvex},
    Bound{"value_of_collaboration_9_corrected", "4 p lambda Xi^2 rho/(L n^2) s, synchronous strongly_convex",
          BoundOf::kCost, 0, synchronous_corrected, CentralRule::kStronglyConvex},
    Bound{"value_of_collaboration_10", "4/L times (9) as printed, of the squared distance",
          BoundOf::kDistance, 0, as_distance<synchronous_printed>, CentralRule::kStronglyConvex},
    Bound{"value_of_collaboration_10_corrected", "4/L times (9) corrected, of the squared distance",
          BoundOf::kDistance, 0, as_distance<synchronous_corrected>, CentralRule::kStronglyConvex},
    Bound{"value_of_collaboration_11", "c2 (Xi/n) sqrt(s), synchronous averaged", BoundOf::kCost, 1,
          averaged},
    Bound{"value_of_collaboration_12", "4/L times (11), of the squared distance", BoundOf::kDistance, 1,
          as_distance<averaged>},
    Bound{"asynchronous_rule_of_thumb", "approximation for equal owners, Hessian h I and N(N+1) << T",
          BoundOf::kCost, 0, rule_of_thumb, CentralRule::kAsynchronous},
    Bound{"asynchronous_moments", "exact recursion for equal owners and Hessian h I", BoundOf::kCost, 0,
          moments, CentralRule::kAsynchronous},
    Bound{"synchronous_closed_form",
          "4 p Xi^2 T^2 s/((T-1) lambda n^2), strongly_convex with rho = T^2/lambda", BoundOf::kCost, 0,
          synchronous_closed, CentralRule::kStronglyConvex},
};

}  // namespace

double CentralSetting::inverse_squares() const {
  double sum = 0;
  for (const double e : epsilon) sum += 1 / square(e);
  return sum;
}

double epsilon_of_noise(double bound, double horizon, double records, double variance) {
  return 2 * std::sqrt(2 / variance) * bound * horizon / records;
}

std::vector<Scalar> setting_scalars(const models::Problem& problem, const models::Optimum& optimum) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem.p());
  std::vector<Scalar> all{
      {"setting.records", {}, static_cast<double>(problem.n())},
      {"setting.dimension", {}, static_cast<double>(problem.p())},
      {"setting.sigma", {}, problem.sigma()},
      {"setting.start_fitness", {}, models::relative_excess(problem.objective(zero), optimum.value)}};
  if (problem.loss().quadratic()) {
    const auto [min, max] = problem.hessian_extremes();
    all.push_back({"setting.hessian_min", {}, min});
    all.push_back({"setting.hessian_max", {}, max});
  }
  return all;
}

CentralSetting setting_of(const PointResult& point) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const auto scalar = [&](std::string_view name) {
    const auto found = std::find_if(point.scalars.begin(), point.scalars.end(),
                                    [&](const Scalar& s) { return !s.agent && s.name == name; });
    return found == point.scalars.end() ? kUnknown : found->value;
  };
  CentralSetting setting{.records = scalar("setting.records"),
                         .dimension = scalar("setting.dimension"),
                         .horizon = kUnknown,
                         .rho = kUnknown,
                         .sigma = scalar("setting.sigma"),
                         .bound = scalar("privacy.bound"),
                         .hessian_min = scalar("setting.hessian_min"),
                         .hessian_max = scalar("setting.hessian_max"),
                         .f_star = scalar("optimum.objective"),
                         .psi_start = scalar("setting.start_fitness")};
  for (const Scalar& s : point.scalars) {
    if (s.agent && s.name == "setting.epsilon") setting.epsilon.push_back(s.value);
  }
  return setting;
}

std::span<const Bound> bounds() {
  return kBounds;
}

}  // namespace hearsay::analysis
