// The guarantee of the best of a random number of trials, against exact distributions of small mechanisms.
#include "models/privacy/accountants/renyi/best_of_trials.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/budget/release_schedule.hpp"
#include "sim/random/random.hpp"

using namespace hearsay;
using models::TrialCount;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Masses = std::vector<double>;

// P(K = k) as in the paper, by the gamma function.
double count_mass(const TrialCount& t, double k) {
  const double power = k * std::log1p(-t.gamma);
  if (t.eta == 0) return std::exp(power) / (k * std::log(1 / t.gamma));
  // The product of (l + eta)/(l + 1) over l < k; its first factor has the sign of eta.
  double product = t.eta;
  if (k > 1) product *= std::exp(std::lgamma(k + t.eta) - std::lgamma(1 + t.eta) - std::lgamma(k + 1));
  return std::exp(power) * product / (std::pow(t.gamma, -t.eta) - 1);
}

// E x^K by the sum of its terms.
double count_transform(const TrialCount& t, double x) {
  double sum = 0;
  for (double k = 1; k < 40 / t.gamma; ++k) sum += count_mass(t, k) * std::pow(x, k);
  return sum;
}

// Renyi divergence of order a of P from Q.
double divergence(const Masses& p, const Masses& q, double a) {
  const auto log_term = [&](std::size_t y) { return a * std::log(p[y]) + (1 - a) * std::log(q[y]); };
  double sum = 0, largest = -kInfinity, most = -kInfinity;
  for (std::size_t y = 0; y < p.size(); ++y) largest = std::max(largest, std::log(p[y] / q[y]));
  if (a == kInfinity) return largest;
  for (std::size_t y = 0; y < p.size(); ++y) most = std::max(most, log_term(y));
  for (std::size_t y = 0; y < p.size(); ++y) sum += std::exp(log_term(y) - most);
  return (most + std::log(sum)) / (a - 1);
}

Masses curve_of(const Masses& p, const Masses& q) {
  Masses curve;
  std::vector<double> orders = models::renyi_orders();
  orders.push_back(kInfinity);
  for (const double a : orders) curve.push_back(std::max(divergence(p, q, a), divergence(q, p, a)));
  return curve;
}

// The distribution of the best of K draws, the last outcome being the best.
Masses best_of(const Masses& p, const TrialCount& t) {
  Masses best;
  double below = 0, before = 0;
  for (const double mass : p) {
    below += mass;
    const double now = count_transform(t, std::min(below, 1.0));
    best.push_back(now - before);
    before = now;
  }
  return best;
}

}  // namespace

TEST_CASE("best of trials: the number of trials has the stated masses and mean") {
  for (const double eta : {-0.5, 0.0, 0.5, 1.0, 3.0}) {
    for (const double mean : {1.2, 3.0, 10.0, 60.0}) {
      const TrialCount t = TrialCount::of_mean(eta, mean);
      CAPTURE(eta, mean, t.gamma);
      CHECK(t.mean() == Approx(mean).epsilon(1e-12));
      double sum = 0, first = 0;
      for (double k = 1; k < 60 / t.gamma; ++k) {
        const double mass = count_mass(t, k);
        if (k < 30 && mass > 1e-9) {
          CHECK(t.quantile(sum + 1e-3 * mass) == static_cast<std::uint64_t>(k));
          CHECK(t.quantile(sum + 0.999 * mass) == static_cast<std::uint64_t>(k));
        }
        sum += mass;
        first += k * mass;
      }
      CHECK(sum == Approx(1).epsilon(1e-9));
      CHECK(first == Approx(mean).epsilon(1e-9));
      CHECK(t.once() == Approx(count_mass(t, 1)).epsilon(1e-12));
      CHECK(t.quantile(0) == 1);
    }
  }
  CHECK(TrialCount::of_mean(1, 10).gamma == Approx(0.1).epsilon(1e-12));
  CHECK(TrialCount{0, 0.1}.mean() == Approx(9 / std::log(10)).epsilon(1e-14));
  CHECK_THROWS_AS(TrialCount::of_mean(1, 1), std::invalid_argument);
  CHECK_THROWS_AS(TrialCount::of_mean(-1, 3), std::invalid_argument);
}

TEST_CASE("best of trials: pure privacy costs (2 + eta) epsilon, and small mechanisms come close to it") {
  for (const double eta : {0.0, 0.5, 1.0}) {
    const TrialCount t = TrialCount::of_mean(eta, 300);
    const Masses curve =
        models::renyi_curve(models::Releases(models::pure_step(0.25), 4), models::Adjacency::kReplaceOne);
    const Masses best = models::best_of_trials(curve, t);
    CHECK(best.back() == Approx((2 + eta) * 1.0).epsilon(1e-12));
    CHECK(models::renyi_epsilon(best, 0) == best.back());
    CHECK(models::renyi_epsilon(best, 1e-6) <= best.back());
    // e times as likely: the middle outcome under P, and the best under Q.
    const double e = std::exp(1.0), middle = 1e-4, high = 0.1;
    const Masses p{1 - e * middle - high, e * middle, high}, q{1 - middle - e * high, middle, e * high};
    const double exact = divergence(best_of(p, t), best_of(q, t), kInfinity);
    CHECK(exact < (2 + eta) * 1.0);
    CHECK(exact > (2 + eta) * 0.94);
  }
}

TEST_CASE("best of trials: the exact divergence of small mechanisms is below the bound") {
  sim::Stream s(sim::Streams(5, 0)(sim::Purpose::kData, 1));
  double closest = kInfinity;
  for (int n = 0; n < 400; ++n) {
    const auto outcomes = 2 + sim::uniform_index(s, 3);
    Masses p(outcomes), q(outcomes);
    for (std::size_t y = 0; y < outcomes; ++y) {
      p[y] = std::exp(3 * sim::normal(s));
      q[y] = p[y] * std::exp(0.7 * sim::normal(s));
    }
    for (Masses* one : {&p, &q}) {
      const double sum = std::accumulate(one->begin(), one->end(), 0.0);
      for (double& mass : *one) mass /= sum;
    }
    const double eta = n % 4 == 0 ? 0 : sim::uniform(s, -0.9, 3);
    const TrialCount t{eta, std::exp(-sim::uniform(s, 0.1, 5))};
    const Masses bound = models::best_of_trials(curve_of(p, q), t), best_p = best_of(p, t),
                 best_q = best_of(q, t);
    CAPTURE(n, eta, t.gamma);
    const std::vector<double>& orders = models::renyi_orders();
    for (std::size_t k = 0; k < bound.size(); k += 3) {
      const double a = k < orders.size() ? orders[k] : kInfinity;
      const double exact = divergence(best_p, best_q, a);
      CHECK(exact <= bound[k] + 1e-7);
      closest = std::min(closest, bound[k] / std::max(exact, 1e-3));
    }
  }
  CHECK(closest < 1.5);
}

TEST_CASE("best of trials: Gaussian noise, by quadrature") {
  for (const double z : {0.7, 2.0, 8.0}) {
    const Masses curve =
        models::renyi_curve(models::Releases(models::gaussian_step(z), 1), models::Adjacency::kAddRemove);
    for (const auto& [eta, mean] : {std::pair{0.0, 5.0}, {1.0, 20.0}, {-0.5, 3.0}}) {
      const TrialCount t = TrialCount::of_mean(eta, mean);
      const Masses bound = models::best_of_trials(curve, t);
      // The density of the largest of K: P's times the derivative of E x^K, (1 - (1 - gamma) x)^(-1 - eta) up to a factor.
      const auto density = [&, eta = eta](double x, double centre) {
        const double u = (x - centre) / z, tail = 0.5 * std::erfc(u / std::sqrt(2.0));
        const double log_slope = -(1 + eta) * std::log(t.gamma + (1 - t.gamma) * tail);
        return std::pair(-u * u / 2, log_slope);
      };
      for (const double a : {1.1, 2.0, 5.0, 20.0}) {
        for (const double shift : {1.0, -1.0}) {
          double sum = 0, whole = 0;
          const double step = z / 200;
          for (double x = -60 * z; x < 60 * z; x += step) {
            const auto [p, slope_p] = density(x, shift);
            const auto [q, slope_q] = density(x, 0);
            sum += std::exp(a * (p + slope_p) + (1 - a) * (q + slope_q)) * step;
            whole += std::exp(p + slope_p) * step;
          }
          const double exact = std::log(sum / whole) / (a - 1);
          const auto k = static_cast<std::size_t>(
              std::ranges::find_if(models::renyi_orders(), [&](double o) { return std::abs(o - a) < 1e-9; }) -
              models::renyi_orders().begin());
          CAPTURE(z, eta, mean, a, shift, exact, bound[k]);
          REQUIRE(k < models::renyi_orders().size());
          CHECK(exact > 0);
          CHECK(exact <= bound[k]);
        }
      }
    }
  }
}

TEST_CASE("best of trials: the curve of an owner's releases gives the budget that they were planned for") {
  using namespace models;
  const double delta = 1e-5;
  const auto epsilon_of = [&](const Mechanism& mechanism, const Timetable& timetable, Adjacency adjacency) {
    const auto plan = plan_releases(mechanism, 3, {Accountant::kRdp, delta, adjacency}, 2, timetable);
    return renyi_epsilon(plan->renyi(), delta);
  };
  CHECK(epsilon_of(Gaussian{}, {.releases = 7}, Adjacency::kReplaceOne) == Approx(2).epsilon(1e-9));
  CHECK(epsilon_of(Laplace{}, {.releases = 50}, Adjacency::kReplaceOne) == Approx(2).epsilon(1e-9));
  CHECK(epsilon_of(ExponentialNorm{}, {.releases = 50}, Adjacency::kReplaceOne) == Approx(2).epsilon(1e-9));
  CHECK(epsilon_of(Gaussian{}, {.releases = 30, .sampling_rate = 0.1}, Adjacency::kAddRemove) ==
        Approx(2).epsilon(1e-9));
  CHECK(epsilon_of(Gaussian{}, {.tree = Tree{.rounds = 20, .leaves = 8}}, Adjacency::kAddRemove) ==
        Approx(2).epsilon(1e-9));
  // Each of two owners of a record has half of the budget, and half of delta.
  const double both = epsilon_of(Gaussian{}, {.releases = 7, .overlap = 2}, Adjacency::kReplaceOne);
  CHECK(both < 2);
  CHECK(both > 1.3);
  // A release up front is composed with the others, not added to their total.
  const double warm =
      epsilon_of(Gaussian{}, {.releases = 7, .upfront = pure_step(0.5)}, Adjacency::kReplaceOne);
  CHECK(warm < 2);
  CHECK(warm > 1.5);
  CHECK_THROWS_AS(renyi_curve(Releases(gaussian_step(1, 0.5), 1), Adjacency::kReplaceOne),
                  std::invalid_argument);
}
