// Values computed by hand, or from the definitions with 25 to 60 digits (mpmath), independently of this
// library.
#include "models/privacy/accountants/pld/privacy_loss.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/accountants/step.hpp"
#include "models/privacy/accountants/theorems/closed_forms.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "tests/models/privacy/accountants/support.hpp"

using namespace hearsay::models;
using namespace hearsay::test;

TEST_CASE("basic: epsilons and deltas add up") {
  Releases releases(pure_step(0.25), 3);
  releases.add(laplace_step(0.5));
  releases.add(exponential_norm_step(1, 7), 2);
  releases.add(calibrated_gaussian_step(5, 0.125, 1e-6), 4);
  const BasicTotal total = basic_total(releases);
  CHECK(total.epsilon == near(0.75 + 0.5 + 2 + 0.5, 1e-15));
  CHECK(total.delta == near(4e-6, 1e-15));
}

TEST_CASE("kairouz: the three terms of one step of epsilon 1") {
  const KairouzTerms terms = kairouz_terms(Releases(pure_step(1), 1), std::exp(-2));
  const double drift = 0.46211715726000976;  // (e - 1)/(e + 1)
  CHECK(terms.sum == 1);
  CHECK(terms.with_log_delta == near(drift + 2, 1e-15));
  CHECK(terms.with_e == near(drift + std::sqrt(2 * (1 + std::log(1 + std::exp(1)))), 1e-15));
  CHECK(terms.smallest() == 1);
}

TEST_CASE("kairouz: the deltas of the steps count as in remark 4") {
  // 10 steps of (0.01, 1e-4) at total delta 0.05: d = 1 - 0.95/0.9999^10.
  const Releases stated(calibrated_gaussian_step(1, 0.01, 1e-4), 10);
  const double d = 1 - 0.95 / std::pow(0.9999, 10);
  const double left = kairouz_epsilon(Releases(pure_step(0.01), 10), d);
  CHECK(kairouz_epsilon(stated, 0.05) == near(left, 1e-12));
  CHECK(left < 0.1);  // so that the comparison is not with the plain sum
  CHECK(kairouz_delta(stated, left) == near(0.05, 1e-10));
}

TEST_CASE("zcdp: rho adds up, and converts by its closed form or the plain sum") {
  CHECK(zcdp_rho(pure_step(0.5)) == 0.125);
  CHECK(zcdp_rho(gaussian_step(2)) == 0.125);
  const double delta = std::exp(-2);
  CHECK(zcdp_epsilon(Releases(gaussian_step(2), 4), delta) == near(2.5, 1e-15));
  CHECK(zcdp_epsilon(Releases(pure_step(0.1), 100), delta) == near(2.5, 1e-14));
  CHECK(zcdp_epsilon(Releases(pure_step(0.5), 4), delta) == 2);
  CHECK(zcdp_delta(Releases(gaussian_step(2), 4), 2.5) == near(delta, 1e-14));
}

TEST_CASE("kairouz_exact: delta by the sum of the definition, in 60 digits") {
  struct Row {
    double step;
    std::int64_t steps;
    double epsilon, delta;
  };
  for (const Row& r :
       {Row{1e-6, 1, 5e-7, 2.5000006249997917e-7}, Row{0.1, 1, 0, 0.049958374957879972},
        Row{0.1, 2, 0.05, 0.038389320089096466}, Row{0.5, 3, 1, 0.094895111946344846},
        Row{1, 10, 4, 0.43057714452975648}, Row{2, 10, 15, 0.51955972344329826},
        Row{0.1, 100, 1.3, 0.080272359868419196}, Row{0.01, 1000, 1, 0.00010831170545138777},
        Row{0.001, 1000, 0.1, 6.9814432476542233e-6}, Row{5, 20, 95, 0.86843050025996502},
        Row{0.01, 2000, 3.3, 2.0653396592674686e-14}, Row{0.05, 400, 12, 2.5423652225637378e-34}}) {
    INFO("epsilon " << r.step << ", T " << r.steps << ", at " << r.epsilon);
    CHECK(kairouz_exact_delta(pure_releases_of(r.step, r.steps), r.epsilon) == near(r.delta, 1e-11));
    if (r.epsilon > 0)
      CHECK(kairouz_exact_epsilon(pure_releases_of(r.step, r.steps), r.delta) == near(r.epsilon, 1e-11));
  }
}

TEST_CASE(
    "kairouz_exact: one step gives delta = (e^e - e^epsilon)/(1 + e^e), and 0 once delta reaches delta(0)") {
  const double delta = 0.2, e = 2;
  CHECK(kairouz_exact_epsilon(pure_releases_of(e, 1), delta) ==
        near(std::log(std::exp(e) - delta * (1 + std::exp(e))), 1e-14));
  CHECK(kairouz_exact_epsilon(pure_releases_of(0.1, 1), 0.04996) == 0);
  CHECK(kairouz_exact_epsilon(pure_releases_of(0.1, 1), 0.04995) > 0);
}

TEST_CASE("gaussian: delta(epsilon) in 60 digits, also where the two tails nearly cancel") {
  struct Row {
    double epsilon, mu, delta;
  };
  for (const Row& r : {Row{0, 1, 0.38292492254802621}, Row{1, 1, 0.12693673750664395},
                       Row{0.1, 0.01, 7.8576927710367994e-27}, Row{0, 1e-6, 3.9894228040141606e-7},
                       Row{1e-6, 1e-6, 8.3315512245425396e-8}, Row{3e-5, 1e-6, 1.6319812136258051e-205},
                       Row{10, 1, 9.8127058268469559e-23}, Row{30, 1, 4.7093263180975222e-193},
                       Row{200, 20, 0.48010238435167297}, Row{700, 20, 1.3566621277524971e-138},
                       Row{0.02, 0.004, 2.159954111288208e-10}, Row{0.02, 0.006, 6.792230230940378e-7}}) {
    INFO("epsilon " << r.epsilon << ", mu " << r.mu);
    CHECK(gaussian_delta(r.epsilon, r.mu) == near(r.delta, 1e-10));
    if (r.epsilon > 0) CHECK(gaussian_epsilon(r.delta, r.mu) == near(r.epsilon, 1e-11));
    if (r.epsilon > 0) {
      CHECK(gaussian_noise_multiplier(r.epsilon, r.delta, GaussianCalibration::kAnalytic) ==
            near(1 / r.mu, 1e-9));
    }
  }
}

TEST_CASE("rdp: Renyi divergences by their integrals, in 40 digits") {
  struct Row {
    double epsilon, order, pure, laplace;
  };
  for (const Row& r : {Row{1e-6, 2, 9.9999999999958333e-13, 9.9999966666641667e-13},
                       Row{0.1, 1.5, 0.0074844186160418897, 0.0072474853893285342},
                       Row{0.1, 64, 0.089771530016624325, 0.089122206354734784},
                       Row{1, 3, 0.84672683048544762, 0.74682814106896983},
                       Row{3, 1.1, 2.78369741434466, 2.1546951781229958},
                       Row{10, 20, 9.9999976105842517, 9.9648510856539129},
                       Row{0.5, 1000, 0.49952544846428418, 0.49930665960408582}}) {
    INFO("epsilon " << r.epsilon << ", order " << r.order);
    CHECK(renyi_divergence(pure_step(r.epsilon), r.order, Adjacency::kReplaceOne) == near(r.pure, 1e-12));
    CHECK(renyi_divergence(laplace_step(r.epsilon), r.order, Adjacency::kReplaceOne) ==
          near(r.laplace, 1e-12));
  }
  CHECK(renyi_divergence(gaussian_step(3), 4.5, Adjacency::kReplaceOne) == near(0.25, 1e-15));
}

TEST_CASE("rdp: the sampled Gaussian by quadrature, and its bound from above") {
  struct Row {
    double z, q, order, divergence;
  };
  for (const Row& r : {Row{1, 0.1, 1.9, 0.0158965653845624}, Row{1, 0.1, 2, 0.0170368632361765},
                       Row{2, 0.1, 5.3, 0.00827944629523305}, Row{2, 0.01, 7.5, 0.000108349398636693},
                       Row{1, 0.5, 3.3, 0.823420331675763}, Row{5, 0.01, 32, 6.61124836694825e-5},
                       Row{0.7, 0.02, 2.5, 0.00386794964548899}}) {
    INFO("z " << r.z << ", q " << r.q << ", order " << r.order);
    const Step step = gaussian_step(r.z, r.q);
    CHECK(renyi_divergence(step, r.order, Adjacency::kAddRemove) == near(r.divergence, 1e-9));
    CHECK(renyi_divergence(step, r.order, Adjacency::kAddRemove, true) >= r.divergence * (1 - 1e-9));
    CHECK(renyi_divergence(step, r.order, Adjacency::kAddRemove, true) <= r.divergence * 1.2);
  }
}

TEST_CASE("amplification: ln(1 + q (e^epsilon - 1))") {
  CHECK(amplified_epsilon(std::log(3), 0.5) == near(std::log(2), 1e-15));
  CHECK(amplified_epsilon(1e-9, 1e-3) == near(1e-12, 1e-8));
  CHECK(amplified_epsilon(600, 0.5) == near(600 - std::log(2), 1e-15));
  CHECK(amplified_epsilon(0.7, 1) == 0.7);
}

TEST_CASE("hockey-stick: sampling scales the divergence of the unsampled release") {
  using Direction = HockeyStick::Direction;
  const double q = 0.1, epsilon = 0.05, base = std::log1p(std::expm1(epsilon) / q);
  const HockeyStick sampled(laplace_step(1, q), Adjacency::kAddRemove);
  CHECK(sampled.excess(epsilon, Direction::kRemove) == near(q * (1 - std::exp((base - 1) / 2)), 1e-13));
  CHECK(sampled.largest_loss() == near(std::log(1 + q * (std::exp(1) - 1)), 1e-14));
  // Adding: sup over events of Q - e^epsilon P with P = (1-q) Q + q P_0, by (1 - (1-q) x) delta_0(q x/(1 -
  // (1-q) x)).
  const double x = std::exp(epsilon), rest = 1 - (1 - q) * x;
  CHECK(sampled.excess(epsilon, Direction::kAdd) ==
        near(rest * (1 - std::exp((std::log(q * x / rest) - 1) / 2)), 1e-12));
  CHECK(sampled.excess(-std::log(1 - q) + 1e-9, Direction::kAdd) == 0);
}
