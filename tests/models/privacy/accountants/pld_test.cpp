// The privacy loss distribution against exact values, other accountants, and its laws.
#include "models/privacy/accountants/pld/pld.hpp"
#include "models/privacy/accountants/pld/privacy_loss.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/accountants/theorems/closed_forms.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "tests/models/privacy/accountants/support.hpp"

using namespace hearsay::models;
using namespace hearsay::test;

namespace {

constexpr int kDistributions = 30;

// n steps, sampled or not, of a strength that makes the total of order 1.
Releases releases_of(Random& random, double strength = 1, double q_factor = 1, std::int64_t more = 0) {
  const std::int64_t n = random.log_whole(1, 10'000);
  const double q = random.uniform(0, 1) < 0.5 ? 1 : random.log_uniform(0.02, 0.5);
  const double step = strength * random.log_uniform(0.3, 3) / std::sqrt(static_cast<double>(n)) / q;
  const double rate = std::min(1.0, q * q_factor);
  switch (random.whole(0, 2)) {
    case 0:
      return {laplace_step(step, rate), n + more};
    case 1:
      return {gaussian_step(1 / std::min(step, 3.0), rate), n + more};
    default:
      return {pure_step(step, rate), n + more};
  }
}

double pld(const Releases& releases, double delta) {
  return pld_epsilon(releases, delta, Adjacency::kAddRemove);
}

}  // namespace

TEST_CASE("pld: two Laplace releases, by integration in 30 digits") {
  struct Row {
    double step, epsilon, delta;
  };
  for (const Row& r : {Row{0.1, 0.05, 0.037466132934126374}, Row{0.1, 0.15, 0.012498714071313173},
                       Row{1, 0.5, 0.35049598998110478}, Row{1, 1.9, 0.024989839886768141},
                       Row{3, 2, 0.72932943352677462}, Row{3, 5, 0.24183667535920822}}) {
    const Releases twice(laplace_step(r.step), 2);
    INFO("epsilon " << r.step << " at " << r.epsilon);
    CHECK(pld(twice, r.delta) >= r.epsilon);
    CHECK(pld(twice, r.delta) <= r.epsilon * (1 + 1e-4));
    CHECK(pld_delta(twice, r.epsilon, Adjacency::kAddRemove) >= r.delta);
    CHECK(pld_delta(twice, r.epsilon, Adjacency::kAddRemove) <= r.delta * (1 + 1e-4));
  }
}

TEST_CASE("pld: Gaussian releases are never below the exact value, and at most a thousandth above") {
  Random random(20);
  INFO("seed " << random.seed());
  for (int i = 0; i < kDistributions; ++i) {
    const std::int64_t n = random.log_whole(1, 10'000);
    const double z = random.log_uniform(0.5, 5) * std::sqrt(static_cast<double>(n));
    const double delta = random.log_uniform(1e-12, 0.1), exact = gaussian_epsilon(delta, std::sqrt(n) / z);
    const double ours = pld(Releases(gaussian_step(z), n), delta);
    INFO("z " << z << ", T " << n << ", delta " << delta);
    CHECK(ours >= exact);
    CHECK(ours <= exact + 1e-3);
  }
}

TEST_CASE("pld: pure steps are never below the optimum of Kairouz et al., and at most a thousandth above") {
  Random random(21);
  INFO("seed " << random.seed());
  for (int i = 0; i < kDistributions; ++i) {
    const std::int64_t n = random.log_whole(1, 10'000);
    const double e = random.log_uniform(0.1, 3) / std::sqrt(static_cast<double>(n));
    const double delta = random.log_uniform(1e-12, 0.1),
                 exact = kairouz_exact_epsilon(pure_releases_of(e, n), delta);
    const double ours = pld(Releases(pure_step(e), n), delta);
    INFO("epsilon " << e << ", T " << n << ", delta " << delta);
    CHECK(ours >= exact * (1 - 1e-8));
    CHECK(ours <= exact + 1e-3);
    CHECK(pld(Releases(laplace_step(e), n), delta) <= ours * (1 + 1e-4));
  }
}

TEST_CASE("pld: one sampled release has the exact divergence of its worse direction") {
  using Direction = HockeyStick::Direction;
  for (const Step& step : {laplace_step(1, 0.1), laplace_step(0.2, 0.01), gaussian_step(1, 0.2),
                           gaussian_step(4, 0.5), pure_step(2, 0.3)}) {
    const HockeyStick stick(step, Adjacency::kAddRemove);
    for (const double epsilon : {0.001, 0.01, 0.05, 0.2}) {
      const double exact =
          std::max(stick.excess(epsilon, Direction::kRemove), stick.excess(epsilon, Direction::kAdd));
      if (exact == 0) continue;
      const double ours = pld_delta(Releases(step, 1), epsilon, Adjacency::kAddRemove);
      INFO("kind " << static_cast<int>(step.kind) << ", q " << step.sampling_rate << ", at " << epsilon);
      CHECK(ours >= exact);
      CHECK(ours <= exact * (1 + 1e-3) + 1e-9);
    }
  }
}

TEST_CASE("pld: a Gaussian release in which hardly any record takes part, by its closed form") {
  // delta(epsilon) = q delta_0(ln(1 + (e^epsilon - 1)/q)), delta_0 that of the release without sampling.
  const auto tail = [](double x) { return std::erfc(x / std::sqrt(2)) / 2; };
  for (const auto& [z, q] : {std::pair(0.3, 1e-6), {0.4, 1e-6}, {0.5, 1e-5}, {0.6, 1e-4}, {0.5, 1e-2}}) {
    for (const double epsilon : {0.004, 0.02, 0.5, 1.5}) {
      const double x = std::log1p(std::expm1(epsilon) / q);
      const double delta = q * (tail(x * z - 1 / (2 * z)) - std::exp(x) * tail(x * z + 1 / (2 * z)));
      if (delta < 1e-12) continue;
      const double ours = pld_epsilon(Releases(gaussian_step(z, q), 1), delta, Adjacency::kAddRemove);
      INFO("z " << z << ", q " << q << ", at " << epsilon);
      CHECK(ours >= epsilon * (1 - 1e-9));
      CHECK(ours <= epsilon * 1.0001 + 0.02);
    }
  }
}

TEST_CASE("pld: unequal steps, Gaussians with multipliers z_t are one with mu^2 = sum 1/z_t^2") {
  Releases releases(gaussian_step(10), 30);
  releases.add(gaussian_step(20), 100);
  releases.add(gaussian_step(5), 7);
  const double exact = gaussian_epsilon(1e-6, std::sqrt(30 / 100.0 + 100 / 400.0 + 7 / 25.0));
  CHECK(pld(releases, 1e-6) >= exact);
  CHECK(pld(releases, 1e-6) <= exact * (1 + 1e-4));
  Random random(22);
  CHECK(pld(shuffled(releases, random), 1e-6) == pld(releases, 1e-6));
}

TEST_CASE("pld: more noise never costs more, more steps and more sampling never less") {
  Random random(23);
  INFO("seed " << random.seed());
  for (int i = 0; i < kDistributions; ++i) {
    const Random before = random;
    const auto same = [&before](double strength, double q_factor, std::int64_t more) {
      Random again = before;
      return releases_of(again, strength, q_factor, more);
    };
    const Releases releases = releases_of(random);
    if (releases.steps() >= kPldMostSteps) continue;
    const double delta = random.log_uniform(1e-11, 1e-3);
    const double least = pld(releases, delta) * (1 - 3e-4);  // both are rounded up by up to 1e-4
    INFO("T " << releases.steps() << ", delta " << delta);
    CHECK(pld(same(1.05, 1, 0), delta) >= least);
    CHECK(pld(same(1, 1.1, 0), delta) >= least);
    CHECK(pld(same(1, 1, 1), delta) >= least);
    CHECK(pld(releases, delta / 2) >= least);
  }
}

TEST_CASE("pld: epsilon(delta(epsilon)) = epsilon, and rdp is never below") {
  Random random(24);
  INFO("seed " << random.seed());
  for (int i = 0; i < kDistributions; ++i) {
    const Releases releases = releases_of(random);
    const double delta = random.log_uniform(1e-11, 1e-2), total = pld(releases, delta);
    INFO("T " << releases.steps() << ", delta " << delta);
    CHECK(total <= rdp_epsilon(releases, delta, Adjacency::kAddRemove) * (1 + 1e-4));
    if (total == 0) continue;
    CHECK(pld(releases, pld_delta(releases, total, Adjacency::kAddRemove)) ==
          Approx(total).margin(1e-3).epsilon(1e-3));
  }
}

TEST_CASE(
    "pld: over the whole range of steps, finite and never worse than the optimum for pure steps, nor than "
    "rdp") {
  Random random(25);
  INFO("seed " << random.seed());
  for (int i = 0; i < 2 * kDistributions; ++i) {
    const std::int64_t n = random.log_whole(1, 10'000);
    const double q = random.uniform(0, 1) < 0.4 ? 1 : random.log_uniform(1e-6, 1);
    const double e = random.log_uniform(1e-9, 50), z = random.log_uniform(0.05, 1e5);
    const Step steps[] = {laplace_step(e, q), pure_step(e, q), gaussian_step(z, q)};
    const Step& step = steps[i % 3];
    const double delta = random.log_uniform(1e-12, 0.4);
    double bound = rdp_epsilon(Releases(step, n), delta, Adjacency::kAddRemove);
    if (step.kind != StepKind::kGaussian) {
      bound = std::min(bound, kairouz_exact_epsilon(Releases(step, n), delta));
    }
    INFO("kind " << i % 3 << ", epsilon " << e << ", z " << z << ", q " << q << ", T " << n << ", delta "
                 << delta);
    CHECK(pld(Releases(step, n), delta) <= bound * (1 + 1e-4) + 1e-3);
  }
}

TEST_CASE("pld: a rate slightly below 1 changes nothing") {
  for (const Step& step : {laplace_step(0.1), gaussian_step(10), pure_step(0.1)}) {
    Step sampled = step;
    sampled.sampling_rate = 1 - 1e-9;
    CHECK(pld(Releases(sampled, 100), 1e-6) == near(pld(Releases(step, 100), 1e-6), 1e-5));
  }
}

TEST_CASE("pld: under replace_one a sampled pure step counts with its amplified epsilon") {
  const double sampled = pld_epsilon(Releases(laplace_step(1, 0.1), 50), 1e-6, Adjacency::kReplaceOne);
  CHECK(sampled == near(kairouz_exact_epsilon(Releases(pure_step(1, 0.1), 50), 1e-6), 1e-4));
}
