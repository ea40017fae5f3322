// Wrong arguments end in one line with what was expected.
#include <limits>

#include "models/privacy/accountants/budget.hpp"
#include "models/privacy/accountants/pld/pld.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/accountants/step.hpp"
#include "models/privacy/accountants/theorems/closed_forms.hpp"
#include "models/privacy/budget/schedule.hpp"
#include "tests/models/privacy/accountants/support.hpp"

using namespace hearsay::models;
using namespace hearsay::test;
using Catch::Contains;

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Accountant kWithDelta[] = {Accountant::kKairouz, Accountant::kKairouzExact, Accountant::kZcdp,
                                     Accountant::kRdp, Accountant::kPld};
}  // namespace

TEST_CASE("refusals: an epsilon, noise multiplier, rate or dimension out of range") {
  for (const double bad : {0.0, -1.0, kNan, kInf}) {
    INFO(bad);
    CHECK_THROWS_WITH(pure_step(bad), Contains("epsilon: expected a positive finite number"));
    CHECK_THROWS_WITH(laplace_step(bad), Contains("epsilon"));
    CHECK_THROWS_WITH(exponential_norm_step(bad, 3), Contains("epsilon"));
    CHECK_THROWS_WITH(gaussian_step(bad), Contains("noise multiplier"));
    CHECK_THROWS_WITH(calibrated_gaussian_step(1, bad, 1e-5), Contains("epsilon"));
    CHECK_THROWS_WITH(gaussian_noise_multiplier(bad, 1e-5, GaussianCalibration::kPaper), Contains("epsilon"));
    CHECK_THROWS_WITH(amplified_epsilon(bad, 0.5), Contains("epsilon"));
    CHECK_THROWS_WITH(step_for_budget(bad, 10, Step{}, {}), Contains("total epsilon"));
    CHECK_THROWS_WITH(kairouz_exact_epsilon(pure_releases_of(bad, 10), 0.1), Contains("epsilon"));
    CHECK_THROWS_WITH(lemma_3_schedule(bad, 0.5, 10), Contains("budget"));
    CHECK_THROWS_AS(basic_total(Releases(Step{.epsilon = bad}, 2)), std::invalid_argument);
  }
  for (const double bad : {0.0, -0.1, 1.1, kNan}) CHECK_THROWS_WITH(pure_step(1, bad), Contains("(0, 1]"));
  CHECK_THROWS_WITH(exponential_norm_step(1, 0), Contains("dimension"));
  CHECK_THROWS_WITH(basic_total(Releases(pure_step(1), -1)), Contains("negative"));
}

TEST_CASE("refusals: a delta outside (0, 1)") {
  const Releases releases(pure_step(1), 3);
  for (const double bad : {0.0, -1e-5, 1.0, 2.0, kNan, kInf}) {
    INFO(bad);
    for (const Accountant a : kWithDelta) {
      CHECK_THROWS_WITH(epsilon(releases, a, bad), Contains("delta: expected a number in (0, 1)"));
    }
    CHECK_THROWS_WITH(calibrated_gaussian_step(1, 1, bad), Contains("delta"));
    for (const auto c :
         {GaussianCalibration::kPaper, GaussianCalibration::kClassic, GaussianCalibration::kAnalytic}) {
      CHECK_THROWS_WITH(gaussian_noise_multiplier(0.5, bad, c), Contains("delta"));
    }
  }
  for (const double bad : {-1.0, kNan, kInf}) {
    for (const Accountant a : kWithDelta) {
      CHECK_THROWS_WITH(total_delta(releases, bad, {a, 0, Adjacency::kAddRemove}), Contains("epsilon"));
    }
  }
}

TEST_CASE("refusals: the classic Gaussian calibration beyond epsilon 1") {
  CHECK_THROWS_WITH(gaussian_noise_multiplier(1.01, 1e-5, GaussianCalibration::kClassic),
                    Contains("use analytic"));
  CHECK_NOTHROW(gaussian_noise_multiplier(1, 1e-5, GaussianCalibration::kClassic));
  CHECK_NOTHROW(gaussian_noise_multiplier(1.01, 1e-5, GaussianCalibration::kPaper));
}

TEST_CASE("refusals: steps that an accountant does not cover") {
  Releases unequal(pure_step(1), 3);
  unequal.add(pure_step(2));
  CHECK_THROWS_WITH(kairouz_exact_epsilon(unequal, 1e-5), Contains("expected equal steps"));
  CHECK_THROWS_WITH(kairouz_exact_delta(unequal, 1), Contains("use kairouz or pld"));
  const Releases gaussian(gaussian_step(1), 3), sampled(gaussian_step(1, 0.1), 3);
  CHECK_THROWS_WITH(basic_total(gaussian), Contains("calibrated"));
  CHECK_THROWS_WITH(kairouz_epsilon(gaussian, 1e-5), Contains("calibrated"));
  CHECK_THROWS_WITH(kairouz_exact_epsilon(gaussian, 1e-5), Contains("use zcdp, rdp or pld"));
  CHECK_THROWS_WITH(zcdp_epsilon(sampled, 1e-5), Contains("use rdp or pld"));
  CHECK_THROWS_WITH(rdp_epsilon(sampled, 1e-5, Adjacency::kReplaceOne), Contains("add_remove"));
  CHECK_THROWS_WITH(pld_epsilon(sampled, 1e-5, Adjacency::kReplaceOne), Contains("add_remove"));
  CHECK_THROWS_WITH(renyi_divergence(pure_step(1), 1, Adjacency::kAddRemove),
                    Contains("a finite number above 1"));
  CHECK_THROWS_WITH(kairouz_epsilon(Releases(calibrated_gaussian_step(1, 1, 1e-5), 100), 1e-6),
                    Contains("exceeds the total delta"));
}

TEST_CASE("refusals: pld of exponential_norm beyond one dimension, of too many steps, of too small a delta") {
  const auto pld = [](const Step& step, std::int64_t n, double delta) {
    return pld_epsilon(Releases(step, n), delta, Adjacency::kReplaceOne);
  };
  CHECK_THROWS_WITH(pld(exponential_norm_step(1, 2), 5, 1e-5), Contains("use kairouz_exact or kairouz"));
  CHECK(pld(exponential_norm_step(1, 1), 5, 1e-5) == pld(laplace_step(1), 5, 1e-5));
  CHECK_THROWS_WITH(pld(laplace_step(1e-3), 10'001, 1e-5), Contains("at most 10000 steps, found 10001"));
  CHECK_THROWS_WITH(pld(laplace_step(1), 5, 9e-13), Contains("at least 1e-12"));
  CHECK_NOTHROW(pld(laplace_step(1e-3), 10'000, 1e-12));
}

TEST_CASE("refusals: schedules") {
  const std::vector<double> ticks{0, 1};
  for (const double bad : {0.0, 1.1, -0.5, kNan}) {
    CHECK_THROWS_WITH(proposition_2_schedule(1, bad, ticks), Contains("(0, 1]"));
    CHECK_THROWS_WITH(lemma_3_schedule(1, bad, 5), Contains("(0, 1]"));
  }
  CHECK_THROWS_WITH(proposition_2_schedule(1, 0.5, std::vector<double>{-1}), Contains("tick"));
  CHECK_THROWS_WITH(proposition_2_schedule(1, 0.5, std::vector<double>{0, 1e5}), Contains("underflows"));
  CHECK_THROWS_WITH(expected_ticks(3, 1, 2), Contains("at least the agent's"));
  CHECK_THROWS_WITH(step_for_budget(1, 0, Step{}, {}), Contains("steps of a budget: expected at least 1"));
  CHECK_THROWS_WITH(step_for_budget(1e-3, 5, gaussian_step(1), {Accountant::kRdp, 1e-10}),
                    Contains("no noise gives a total epsilon") && Contains("with rdp"));
  CHECK_THROWS_WITH(factor_for_budget(1, {}, Step{}, {}),
                    Contains("weights of a budget: expected at least 1"));
}
