// Releases of a random part of an owner's records: which the accountants make cheaper, with how much noise, and how
// far neighbours' batch sums can be apart.
#include "models/privacy/budget/release_schedule.hpp"
#include "models/run/privacy.hpp"
#include "tests/models/privacy/accountants/support.hpp"
#include "tests/support/error_of.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

constexpr Accountant kAccountants[] = {Accountant::kBasic, Accountant::kKairouz, Accountant::kKairouzExact,
                                       Accountant::kZcdp,  Accountant::kRdp,     Accountant::kPld};

// A release of the mechanism that every accountant takes when it is of all records.
Step some_step(const Mechanism& mechanism, double q) {
  Step step = shape_of(mechanism, 1);
  step.epsilon = 0.1;
  step.sampling_rate = q;
  if (step.kind == StepKind::kGaussian) {
    step.delta = 1e-7;
    step.noise_multiplier = 1;
  }
  return step;
}

bool covered(const Step& step, Accountant accountant, Adjacency adjacency) {
  return test::error_of<std::invalid_argument>([&] {
           total_guarantee(Releases(step, 1), {accountant, 1e-5, adjacency});
         }) == "accepted";
}

}  // namespace

TEST_CASE("sampling: noise multipliers of DP-SGD as independent programs give them") {
  // Google's dp_accounting 0.6.0, Poisson-sampled Gaussian releases under add_remove: epsilon of `steps` releases
  // with that noise multiplier; rdp at its default orders, pld rounded up.
  struct Setting {
    double noise, q;
    std::uint64_t steps;
    double delta, rdp, pld;
  };
  for (const Setting& s : {Setting{2, 0.01, 1000, 1e-5, 0.686185336394316, 0.622048525082207},
                           Setting{2, 0.01, 1000, 1e-6, 0.782796423597605, 0.720936492786941},
                           Setting{1, 0.1, 100, 1e-5, 7.90385022357823, 7.04660287720079},
                           Setting{2, 0.1, 100, 1e-5, 2.58057095050459, 2.33740019243057}}) {
    INFO("noise " << s.noise << ", q " << s.q << ", delta " << s.delta);
    const auto noise = [&](Accountant accountant, double budget) {
      const auto schedule = plan_releases(Gaussian{}, 7, {accountant, s.delta, Adjacency::kAddRemove}, budget,
                                          {.releases = s.steps, .sampling_rate = s.q});
      CHECK(schedule->after(s.steps).epsilon == near(budget, 1e-6));
      CHECK(schedule->step(0).sampling_rate == s.q);
      return schedule->step(0).noise_multiplier;
    };
    CHECK(noise(Accountant::kRdp, s.rdp) == near(s.noise, 1e-6));
    // The reference is known to 1e-4.
    CHECK(noise(Accountant::kPld, s.pld) == near(s.noise, 3e-4));
  }
}

TEST_CASE("sampling: a pure release of a part uses up the budget after amplification") {
  // ln(1 + q (e^epsilon0 - 1)) by hand, as in Balle, Barthe, Gaboardi 2018, Theorem 8.
  const auto planned = [](double budget, std::uint64_t releases, double q) {
    return plan_releases(Laplace{}, 3, {}, budget, {.releases = releases, .sampling_rate = q});
  };
  const auto one = planned(0.158565078740429, 1, 0.1);
  CHECK(one->step(0).epsilon == near(1, 1e-12));
  CHECK(one->after(1).epsilon == near(0.158565078740429, 1e-12));
  const auto ten = planned(1, 10, 0.5);
  CHECK(ten->step(0).epsilon == near(std::log1p(std::expm1(0.1) / 0.5), 1e-12));
  CHECK(epsilon_alone(ten->step(0)) == near(0.1, 1e-12));
  CHECK(ten->after(4).epsilon == near(0.4, 1e-12));
  CHECK(planned(1, 10, 1)->step(0).epsilon == 0.1);
}

TEST_CASE("sampling: unequal releases of a part use up the budget as well") {
  // C^(t/3) = 1/4, 1/2, 1.
  const auto planned = [](double q) {
    const Timetable timetable{.releases = 3, .contraction = 0.125, .ticks = {2, 1, 0}, .sampling_rate = q};
    return plan_releases(Gaussian{}, 3, {Accountant::kRdp, 1e-5, Adjacency::kAddRemove}, 1, timetable,
                         Schedule::kProposition2);
  };
  const auto schedule = planned(0.1);
  CHECK(schedule->after(3).epsilon == near(1, 1e-9));
  CHECK(schedule->step(0).noise_multiplier == near(4 * schedule->step(2).noise_multiplier, 1e-12));
  CHECK(schedule->step(0).noise_multiplier < planned(1)->step(0).noise_multiplier);
}

TEST_CASE("sampling: Poisson sampling makes releases cheaper exactly where the accountant composes them") {
  for (const Accountant accountant : kAccountants) {
    for (const Adjacency adjacency : {Adjacency::kReplaceOne, Adjacency::kAddRemove}) {
      for (const Mechanism& mechanism :
           {Mechanism(Laplace{}), Mechanism(Gaussian{}), Mechanism(ExponentialNorm{})}) {
        const Budget privacy{.mechanism = mechanism, .accountant = accountant, .adjacency = adjacency};
        INFO(name_of(accountant) << ", " << name_of(mechanism) << ", " << static_cast<int>(adjacency));
        if (!covered(some_step(mechanism, 1), accountant, adjacency)) continue;
        CHECK(privacy.amplifies(Sampling::kPoisson) ==
              covered(some_step(mechanism, 0.5), accountant, adjacency));
        const bool pure = !std::holds_alternative<Gaussian>(mechanism);
        CHECK(privacy.amplifies(Sampling::kWithoutReplacement) ==
              (pure && adjacency == Adjacency::kReplaceOne));
        CHECK_FALSE(privacy.amplifies(Sampling::kShuffled));
        CHECK_FALSE(privacy.amplifies(Sampling::kAll));
      }
    }
  }
  CHECK_FALSE(Budget{}.amplifies(Sampling::kPoisson));  // no mechanism
  const Budget dp_sgd{
      .mechanism = Gaussian{}, .accountant = Accountant::kRdp, .adjacency = Adjacency::kAddRemove};
  CHECK(dp_sgd.accounted_rate(Sampling::kPoisson, 0.25) == 0.25);
  CHECK(dp_sgd.accounted_rate(Sampling::kShuffled, 0.25) == 1);
}

TEST_CASE("sampling: a warning where a random part is charged as the whole") {
  Budget privacy;
  privacy.mechanism = Gaussian{};
  privacy.accountant = Accountant::kRdp;
  privacy.adjacency = Adjacency::kReplaceOne;
  const auto notes = full_charge_note("protocol.batch: steps", Sampling::kPoisson, privacy);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0],
             Catch::StartsWith("warning: protocol.batch: steps are charged as if they used everything") &&
                 Catch::Contains("adjacency add_remove and accountant rdp or pld"));
  CHECK(full_charge_note("", Sampling::kAll, privacy).empty());
  CHECK(full_charge_note("", Sampling::kShuffled, privacy).empty());
  privacy.adjacency = Adjacency::kAddRemove;
  CHECK(full_charge_note("", Sampling::kPoisson, privacy).empty());
  CHECK(full_charge_note("", Sampling::kPoisson, Budget{}).empty());  // no mechanism
}

TEST_CASE("sampling: a rate that the accountant does not cover is refused") {
  const auto plan = [](const Mechanism& mechanism, const AccountantOptions& accountant, double q) {
    return plan_releases(mechanism, 2, accountant, 1, {.releases = 10, .sampling_rate = q});
  };
  CHECK_THROWS_WITH(plan(Gaussian{}, {Accountant::kRdp, 1e-5, Adjacency::kReplaceOne}, 0.1),
                    Catch::Contains("expected adjacency add_remove"));
  CHECK_THROWS_WITH(plan(Gaussian{}, {Accountant::kZcdp, 1e-5, Adjacency::kAddRemove}, 0.1),
                    Catch::Contains("use rdp or pld"));
  CHECK_THROWS_WITH(plan(Laplace{}, {}, 1.5), Catch::Contains("expected a number in (0, 1]"));
}

TEST_CASE("sampling: sensitivity of a batch sum divided by a public number") {
  Budget privacy{.bound = 3};
  for (const Sampling sampling :
       {Sampling::kAll, Sampling::kPoisson, Sampling::kWithoutReplacement, Sampling::kShuffled})
    CHECK(privacy.sensitivity_of_sum(12, sampling) == 0.5);
  privacy.adjacency = Adjacency::kAddRemove;
  CHECK(privacy.sensitivity_of_sum(12, Sampling::kAll) == 0.25);
  CHECK(privacy.sensitivity_of_sum(12, Sampling::kPoisson) == 0.25);
  // Gradients 3, 3, -3 against 3, 3: a batch of two can sum to 0 with the first, and is 6 with the second.
  CHECK(privacy.sensitivity_of_sum(1, Sampling::kWithoutReplacement) == 6);
  CHECK(privacy.sensitivity_of_sum(1, Sampling::kShuffled) == 6);
}
