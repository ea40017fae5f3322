// Laws for any sequence of releases, checked on random ones.
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/accountants/step.hpp"
#include "models/privacy/accountants/theorems/closed_forms.hpp"
#include "tests/models/privacy/accountants/support.hpp"

using namespace hearsay::models;
using namespace hearsay::test;

namespace {

constexpr int kRandomInputs = 10'000;
constexpr Accountant kClosedForms[] = {Accountant::kBasic, Accountant::kKairouz, Accountant::kZcdp,
                                       Accountant::kRdp};

// Pure steps over the whole range of the closed forms.
Releases pure_releases(Random& random) {
  Releases releases;
  for (std::int64_t runs = random.whole(1, 5); runs > 0; --runs) {
    const double q = random.uniform(0, 1) < 0.5 ? 1 : random.log_uniform(1e-4, 1);
    releases.add(pure_step(random.log_uniform(1e-9, 50), q), random.log_whole(1, 2'000'000));
  }
  return releases;
}

double any_delta(Random& random) {
  return random.log_uniform(1e-300, 0.5);
}

// `releases` with the k-th step made `factor` times as strong.
Releases strengthened(const Releases& releases, std::size_t k, double epsilon_factor, double rate_factor) {
  Releases result;
  for (std::size_t i = 0; i < releases.runs().size(); ++i) {
    Step step = releases.runs()[i].step;
    if (i == k) {
      step.epsilon *= epsilon_factor;
      step.noise_multiplier /= epsilon_factor;
      step.sampling_rate = std::min(1.0, step.sampling_rate * rate_factor);
    }
    result.add(step, releases.runs()[i].count);
  }
  return result;
}

}  // namespace

TEST_CASE("closed forms: finite over the whole stated range, and never negative") {
  Random random(1);
  INFO("seed " << random.seed());
  for (int i = 0; i < kRandomInputs; ++i) {
    const Releases releases = pure_releases(random);
    const double delta = any_delta(random);
    for (const Accountant accountant : kClosedForms) {
      const double total = epsilon(releases, accountant, delta);
      if (!(std::isfinite(total) && total >= 0)) FAIL_CHECK(name_of(accountant) << " gives " << total);
    }
  }
  for (const double step : {1e-9, 50.0}) {
    for (const double delta : {1e-300, 0.5}) {
      for (const Accountant accountant : kClosedForms) {
        CHECK(std::isfinite(epsilon(Releases(pure_step(step), 10'000'000), accountant, delta)));
      }
    }
  }
}

TEST_CASE("closed forms: composing n times is n compositions, for any grouping") {
  Random random(2);
  INFO("seed " << random.seed());
  for (int i = 0; i < kRandomInputs; ++i) {
    const Step a = pure_step(random.log_uniform(1e-9, 50)), b = laplace_step(random.log_uniform(1e-9, 50));
    const std::int64_t n = random.whole(1, 20), m = random.whole(1, 20);
    Releases grouped(a, n), single;
    grouped.add(b, m);
    for (std::int64_t k = 0; k < std::max(n, m); ++k) {
      if (k < n) single.add(a);
      if (k < m) single.add(b);
    }
    const double delta = any_delta(random);
    for (const Accountant accountant : kClosedForms) {
      if (epsilon(grouped, accountant, delta) != epsilon(single, accountant, delta))
        FAIL_CHECK(name_of(accountant));
    }
  }
}

TEST_CASE("closed forms: a list of equal steps costs their number times one step") {
  // By hand from the definitions, not through runs: sum, drift and squares of n equal steps.
  Random random(3);
  INFO("seed " << random.seed());
  for (int i = 0; i < kRandomInputs; ++i) {
    const double e = random.log_uniform(1e-9, 50), delta = any_delta(random);
    const auto n = static_cast<double>(random.log_whole(1, 10'000'000));
    const Releases releases(pure_step(e), static_cast<std::int64_t>(n));
    const double drift = n * e * (std::exp(e) - 1) / (std::exp(e) + 1), square = n * e * e;
    const KairouzTerms terms = kairouz_terms(releases, delta);
    const double c = drift + std::sqrt(2 * square * std::log(1 / delta));
    const double rho = square / 2, z = rho + 2 * std::sqrt(rho * std::log(1 / delta));
    if (terms.sum != near(n * e, 1e-12)) FAIL_CHECK("sum");
    if (terms.with_log_delta != near(c, 1e-11))
      FAIL_CHECK("third term " << terms.with_log_delta << " for " << c);
    if (zcdp_epsilon(releases, delta) != near(std::min(z, n * e), 1e-11)) FAIL_CHECK("zcdp");
  }
}

TEST_CASE("closed forms: the order of the releases does not matter") {
  Random random(4);
  INFO("seed " << random.seed());
  for (int i = 0; i < kRandomInputs; ++i) {
    const Releases releases = pure_releases(random), other = shuffled(releases, random);
    const double delta = any_delta(random);
    for (const Accountant accountant : kClosedForms) {
      if (epsilon(releases, accountant, delta) != epsilon(other, accountant, delta))
        FAIL_CHECK(name_of(accountant));
    }
  }
}

TEST_CASE("closed forms: more epsilon, more steps, more sampling, less delta cost more") {
  Random random(5);
  INFO("seed " << random.seed());
  for (int i = 0; i < kRandomInputs; ++i) {
    const Releases releases = pure_releases(random);
    const auto k =
        static_cast<std::size_t>(random.whole(0, static_cast<std::int64_t>(releases.runs().size()) - 1));
    Releases longer = releases;
    longer.add(releases.runs()[k].step);
    const double delta = any_delta(random);
    for (const Accountant accountant : kClosedForms) {
      // Some sums differ by less than their rounding.
      const double before = epsilon(releases, accountant, delta) * (1 - 1e-12);
      const auto at_least = [&](double after, const char* what) {
        if (after < before)
          FAIL_CHECK(name_of(accountant) << ": " << what << ", " << before << " then " << after);
      };
      at_least(epsilon(strengthened(releases, k, 1.1, 1), accountant, delta), "epsilon of a step");
      at_least(epsilon(strengthened(releases, k, 1, 1.3), accountant, delta), "sampling rate");
      at_least(epsilon(longer, accountant, delta), "one step more");
      at_least(epsilon(releases, accountant, delta / 2), "half the delta");
    }
    const double e = releases.runs()[k].step.epsilon;
    const Releases alone(pure_step(e), 3);
    if (!(epsilon(strengthened(alone, 0, 1.1, 1), Accountant::kBasic, delta) > 3.2 * e))
      FAIL_CHECK("strictly");
  }
}

TEST_CASE("gaussian steps: less noise and more steps cost more under zcdp and rdp") {
  Random random(6);
  INFO("seed " << random.seed());
  for (int i = 0; i < kRandomInputs; ++i) {
    const Step step = gaussian_step(random.log_uniform(0.1, 1000));
    const std::int64_t n = random.log_whole(1, 1'000'000);
    const double delta = any_delta(random);
    for (const Accountant accountant : {Accountant::kZcdp, Accountant::kRdp}) {
      const double before = epsilon(Releases(step, n), accountant, delta);
      if (epsilon(Releases(step, n + 1), accountant, delta) < before) FAIL_CHECK("steps");
      if (epsilon(strengthened(Releases(step, n), 0, 1.1, 1), accountant, delta) < before)
        FAIL_CHECK("noise");
    }
  }
}

TEST_CASE("rdp: sampled Gaussian steps cost more with q, T and 1/z, and as much as unsampled ones at q = 1") {
  Random random(7);
  INFO("seed " << random.seed());
  for (int i = 0; i < 300; ++i) {
    const double z = random.log_uniform(0.5, 20), q = random.log_uniform(1e-3, 0.5);
    const std::int64_t n = random.log_whole(1, 10'000);
    const double delta = random.log_uniform(1e-12, 0.1);
    const Releases releases(gaussian_step(z, q), n);
    const double before = epsilon(releases, Accountant::kRdp, delta) * (1 - 1e-9);
    if (epsilon(strengthened(releases, 0, 1.1, 1), Accountant::kRdp, delta) < before) FAIL_CHECK("noise");
    if (epsilon(strengthened(releases, 0, 1, 1.3), Accountant::kRdp, delta) < before) FAIL_CHECK("rate");
    if (epsilon(Releases(gaussian_step(z, q), n + 1), Accountant::kRdp, delta) < before) FAIL_CHECK("steps");
    const auto order = static_cast<double>(random.whole(2, 40));
    const double nearly = renyi_divergence(gaussian_step(z, 1 - 1e-13), order, Adjacency::kAddRemove);
    if (nearly != near(order / (2 * z * z), 1e-8)) FAIL_CHECK("q = 1");
  }
}

TEST_CASE("every accountant: no steps cost nothing, q = 1 is no sampling") {
  for (const Accountant accountant : {Accountant::kBasic, Accountant::kKairouz, Accountant::kKairouzExact,
                                      Accountant::kZcdp, Accountant::kRdp, Accountant::kPld}) {
    INFO(name_of(accountant));
    CHECK(epsilon(Releases(), accountant, 1e-5) == 0);
    CHECK(epsilon(Releases(pure_step(1), 0), accountant, 1e-5) == 0);
    CHECK(total_delta(Releases(), 0.5, {accountant, 0, Adjacency::kAddRemove}) == 0);
    const double unsampled = epsilon(Releases(pure_step(0.3), 7), accountant, 1e-5);
    CHECK(epsilon(Releases(pure_step(0.3, 1), 7), accountant, 1e-5) == unsampled);
    CHECK(epsilon(Releases(pure_step(0.3, 1 - 1e-12), 7), accountant, 1e-5) == near(unsampled, 1e-5));
  }
}

TEST_CASE("closed forms: epsilon(delta(epsilon)) = epsilon") {
  Random random(8);
  INFO("seed " << random.seed());
  int inverted = 0;
  for (int i = 0; i < kRandomInputs; ++i) {
    const Releases releases(pure_step(random.log_uniform(1e-9, 5)), random.log_whole(1, 10'000'000));
    for (const Accountant accountant : {Accountant::kKairouz, Accountant::kZcdp, Accountant::kRdp}) {
      const double at = epsilon(releases, accountant, any_delta(random)) * random.uniform(0.7, 1.3);
      const double delta = total_delta(releases, at, {accountant, 0, Adjacency::kAddRemove});
      if (delta < 1e-300 || delta > 0.5 || at == 0) continue;
      ++inverted;
      const double back = epsilon(releases, accountant, delta);
      if (back != near(at, 1e-9))
        FAIL_CHECK(name_of(accountant) << " at " << at << " comes back as " << back);
    }
  }
  CHECK(inverted > kRandomInputs / 2);
}

TEST_CASE("kairouz_exact: never above the closed forms, monotone, and delta inverts epsilon, up to T = 1e5") {
  Random random(9);
  INFO("seed " << random.seed());
  int inverted = 0;
  for (int i = 0; i < 300; ++i) {
    const std::int64_t n = random.log_whole(1, 100'000);
    const double e = random.log_uniform(1e-9, 50), delta = any_delta(random);
    const double exact = kairouz_exact_epsilon(pure_releases_of(e, n), delta);
    INFO("epsilon " << e << ", T " << n << ", delta " << delta);
    CHECK(exact <= kairouz_epsilon(Releases(pure_step(e), n), delta) * (1 + 1e-9));
    CHECK(exact <= rdp_epsilon(Releases(pure_step(e), n), delta, Adjacency::kReplaceOne) * (1 + 1e-9));
    CHECK(kairouz_exact_epsilon(pure_releases_of(e * 1.01, n), delta) >= exact * (1 - 1e-9));
    CHECK(kairouz_exact_epsilon(pure_releases_of(e, n + 1), delta) >= exact * (1 - 1e-9));
    CHECK(kairouz_exact_epsilon(pure_releases_of(e, n), delta / 2) >= exact * (1 - 1e-9));
    Releases split(pure_step(e), n / 2);
    split.add(laplace_step(e), n - n / 2);
    CHECK(kairouz_exact_epsilon(split, delta) == exact);
    // Within rounding of T epsilon, the largest loss, delta carries no information.
    if (exact == 0 || exact > static_cast<double>(n) * e * (1 - 1e-8)) continue;
    ++inverted;
    CHECK(kairouz_exact_delta(pure_releases_of(e, n), exact) == near(delta, 1e-7));
    const double at = exact * random.uniform(0.2, 1);
    const double there = kairouz_exact_delta(pure_releases_of(e, n), at);
    if (there < 0.9) CHECK(kairouz_exact_epsilon(pure_releases_of(e, n), there) == near(at, 1e-8));
  }
  CHECK(inverted > 100);
}

TEST_CASE("kairouz_exact: the sum of the definition on random inputs with few steps") {
  Random random(10);
  INFO("seed " << random.seed());
  for (int i = 0; i < 300; ++i) {
    const std::int64_t n = random.whole(1, 60);
    const double e = random.log_uniform(1e-3, 3);
    const double at = random.uniform(0, 0.9) * static_cast<double>(n) * e;
    long double sum = 0, binomial = 1;
    for (std::int64_t l = 0; l <= n; ++l) {
      const long double loss = static_cast<long double>(n - 2 * l) * e;
      if (loss > at) sum += binomial * std::exp(-static_cast<long double>(l) * e) * -std::expm1(at - loss);
      binomial *= static_cast<long double>(n - l) / static_cast<long double>(l + 1);
    }
    const long double delta =
        sum * std::pow(1 + std::exp(-static_cast<long double>(e)), -static_cast<long double>(n));
    INFO("epsilon " << e << ", T " << n << ", at " << at);
    CHECK(kairouz_exact_delta(pure_releases_of(e, n), at) == near(static_cast<double>(delta), 1e-11));
  }
}
