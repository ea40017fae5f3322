// The inverse problem and the schedules.
#include <numeric>

#include "models/privacy/accountants/budget.hpp"
#include "models/privacy/budget/schedule.hpp"
#include "tests/models/privacy/accountants/support.hpp"

using namespace hearsay::models;
using namespace hearsay::test;

namespace {
constexpr Accountant kAll[] = {Accountant::kBasic, Accountant::kKairouz, Accountant::kKairouzExact,
                               Accountant::kZcdp,  Accountant::kRdp,     Accountant::kPld};
}

TEST_CASE("budget: the split of a total of 1 over 10 and of 0.15 over 50 steps at delta = exp(-5)") {
  const double delta = std::exp(-5);
  const auto split = [&](Accountant a, double total, std::int64_t n) {
    return step_for_budget(total, n, Step{}, {a, delta}).epsilon;
  };
  CHECK(split(Accountant::kBasic, 1, 10) == near(0.1, 1e-12));
  CHECK(split(Accountant::kKairouz, 1, 10) == Approx(0.106046).margin(5e-7));
  CHECK(split(Accountant::kKairouzExact, 1, 10) == Approx(0.167513).margin(5e-7));
  CHECK(split(Accountant::kBasic, 0.15, 50) == near(0.003, 1e-12));
  CHECK(split(Accountant::kKairouz, 0.15, 50) == Approx(0.009305).margin(5e-7));
  CHECK(split(Accountant::kKairouzExact, 0.15, 50) == Approx(0.017087).margin(5e-7));
  CHECK(step_for_budget(1, 10, laplace_step(1), {Accountant::kPld, delta}).epsilon ==
        Approx(0.1687).margin(1e-4));
}

TEST_CASE("budget: the step found keeps the budget, and a slightly larger one exceeds it") {
  Random random(30);
  INFO("seed " << random.seed());
  for (const Accountant accountant : kAll) {
    const bool numeric = accountant == Accountant::kPld;
    for (int i = 0; i < (numeric ? 10 : 300); ++i) {
      const std::int64_t n = random.log_whole(1, numeric ? 1000 : 100'000);
      const double total = random.log_uniform(0.01, 20);
      const AccountantOptions options{accountant, random.log_uniform(1e-10, 0.01), Adjacency::kAddRemove};
      Step step = step_for_budget(total, n, laplace_step(1), options);
      INFO(name_of(accountant) << ", total " << total << ", T " << n << ", delta " << options.delta);
      CHECK(total_guarantee(Releases(step, n), options).epsilon <= total);
      step.epsilon *= 1 + (numeric ? 1e-3 : 1e-9);
      CHECK(total_guarantee(Releases(step, n), options).epsilon > total);
    }
  }
}

TEST_CASE(
    "budget: the noise multiplier of Gaussian steps keeps the budget, and a slightly smaller one exceeds "
    "it") {
  for (const double q : {1.0, 0.05}) {
    for (const Accountant accountant : {Accountant::kZcdp, Accountant::kRdp, Accountant::kPld}) {
      if (q < 1 && accountant == Accountant::kZcdp) continue;
      const AccountantOptions options{accountant, 1e-6, Adjacency::kAddRemove};
      Step step = step_for_budget(2, 500, gaussian_step(1, q), options);
      INFO(name_of(accountant) << ", q " << q);
      CHECK(total_guarantee(Releases(step, 500), options).epsilon <= 2);
      step.noise_multiplier *= 1 - 1e-3;
      CHECK(total_guarantee(Releases(step, 500), options).epsilon > 2);
    }
  }
  // Exact: T releases are one with mu = sqrt(T)/z.
  const Step step = step_for_budget(2, 500, gaussian_step(1), {Accountant::kPld, 1e-6});
  const double z = std::sqrt(500) * gaussian_noise_multiplier(2, 1e-6, GaussianCalibration::kAnalytic);
  CHECK(step.noise_multiplier >= z);
  CHECK(step.noise_multiplier <= z * (1 + 1e-4));
}

TEST_CASE("budget: Gaussian steps with a stated (epsilon, delta)") {
  const Step shape = calibrated_gaussian_step(1, 1, 1e-6);
  const Step step = step_for_budget(1, 20, shape, {Accountant::kBasic, 1e-4, Adjacency::kReplaceOne},
                                    GaussianCalibration::kClassic);
  CHECK(step.epsilon == near(0.05, 1e-12));
  CHECK(step.noise_multiplier == near(std::sqrt(2 * std::log(1.25e6)) / 0.05, 1e-11));
  CHECK_THROWS_WITH(step_for_budget(1, 200, shape, {Accountant::kBasic, 1e-4}),
                    Catch::Contains("at most 5e-07"));
}

TEST_CASE("budget: a schedule scaled to the budget under another accountant spends exactly the budget") {
  const std::vector<double> ticks{0, 70, 130, 400, 900};
  const auto schedule = proposition_2_schedule(1, 0.999, ticks, true);
  for (const Accountant accountant :
       {Accountant::kBasic, Accountant::kKairouz, Accountant::kZcdp, Accountant::kRdp}) {
    const AccountantOptions options{accountant, 1e-3};
    const double factor = factor_for_budget(1, schedule, Step{}, options);
    Releases releases;
    for (const double e : schedule) releases.add(pure_step(factor * e));
    INFO(name_of(accountant));
    CHECK(total_guarantee(releases, options).epsilon == near(1, 1e-12));
    CHECK(factor >= 1 - 1e-12);
  }
}

TEST_CASE("schedule: proposition 2 falls as C^(t/3), the corrected one rises, both spend the budget") {
  const std::vector<double> ticks{0, 3, 6};
  const double c = 0.125;  // C^(1/3) = 1/2: weights 1, 1/8, 1/64
  const auto printed = proposition_2_schedule(73, c, ticks),
             corrected = proposition_2_schedule(73, c, ticks, true);
  const std::vector<double> expected{64, 8, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(printed[k] == near(expected[k], 1e-14));
    CHECK(corrected[k] == near(expected[2 - k], 1e-14));
  }
}

TEST_CASE("schedule: lemma 3 over all ticks sums to the budget") {
  const auto all = lemma_3_schedule(7, 0.125, 3);  // weights 1, 1/2, 1/4 of 7/4
  CHECK(all[0] == near(4, 1e-14));
  CHECK(all[1] == near(2, 1e-14));
  CHECK(all[2] == near(1, 1e-14));
  const auto flat = lemma_3_schedule(7, 1, 7);
  CHECK(flat[6] == near(1, 1e-14));
}

TEST_CASE("schedule: uniform shares, the limit C = 1, and expected ticks") {
  CHECK(schedule_weights(Schedule::kUniform, {.releases = 4}).own == std::vector<double>(4, 0.25));
  const std::vector<double> ticks{3, 9, 11, 400};
  for (const double e : proposition_2_schedule(1, 1, ticks)) CHECK(e == near(0.25, 1e-15));
  CHECK(expected_ticks(3, 10, 2) == std::vector<double>{4, 9, 14});
  // Two million ticks: the powers themselves underflow, their ratios do not.
  const auto late = proposition_2_schedule(1, 0.99, std::vector<double>{2e6, 2e6 + 3});
  CHECK(late[0] == near(1 / 1.99, 1e-9));
}
