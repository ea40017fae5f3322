#include <catch2/catch.hpp>
#include <type_traits>

#include "models/privacy/budget/ledger.hpp"
#include "models/privacy/mechanisms/mechanism.hpp"
#include "models/run/context.hpp"
#include "models/run/privacy.hpp"
#include "tests/support/study_fixture.hpp"

using namespace hearsay;

namespace {

models::DataSet two_owners() {
  models::DataSet data;
  data.feature_names = {"a", "b"};
  for (const int records : {2, 4}) {
    data.train.push_back({models::Records::Ones(records, 2), Eigen::VectorXd::Ones(records)});
    data.test.push_back({models::Records(0, 2), Eigen::VectorXd(0)});
    data.owner_names.push_back("owner");
  }
  return data;
}

models::ModelOptions box_of_10() {
  models::ModelOptions m;
  m.theta_max = 10;
  return m;
}

// Equal parts of a budget under basic.
std::shared_ptr<const models::ReleaseSchedule> equal_steps(double budget, std::uint64_t releases) {
  return models::plan_releases(models::Laplace{}, 2, {}, budget, {.releases = releases});
}

models::PrivacyOptions only_laplace() {
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Laplace{};
  return privacy;
}

}  // namespace

TEST_CASE("ledger: charges up to the limit, refuses beyond, and counts the accounts with releases left") {
  models::Ledger ledger(3);
  CHECK_FALSE(ledger.affords(1));  // no account, no release
  ledger.open(1, equal_steps(1, 4));
  ledger.open(2, equal_steps(1, 1));
  CHECK_FALSE(ledger.all_spent());
  for (int k = 0; k < 4; ++k) {
    CHECK(ledger.account(1).spent().epsilon == 0.25 * k);
    CHECK(ledger.affords(1));
    ledger.charge(1);
  }
  CHECK_FALSE(ledger.affords(1));
  CHECK_THROWS_AS(ledger.charge(1), sim::InvariantError);
  CHECK_THROWS_AS(ledger.open(1, equal_steps(1, 4)), sim::InvariantError);
  CHECK(ledger.account(1).spent().epsilon == 1);
  CHECK(ledger.account(1).releases == 4);
  CHECK_FALSE(ledger.all_spent());
  ledger.charge(2);
  CHECK(ledger.all_spent());
  CHECK_NOTHROW(ledger.verify());
}

TEST_CASE("release schedule: the same question is composed once, and a watch sees how often") {
  struct Count final : models::AccountantWatch {
    void begin() override { ++begun; }
    void end() override { ++ended; }
    int begun = 0, ended = 0;
  } count;
  models::Budget budget{
      .mechanism = models::Gaussian{}, .accountant = models::Accountant::kPld, .delta = 1e-5};
  budget.epsilon = {1};
  budget.schedules = std::make_shared<const models::ReleaseCache>(&count);
  const auto planned = budget.releases_of(0, {.releases = 10});
  CHECK(count.begun > 1);
  const int before = count.begun;
  CHECK(budget.releases_of(0, {.releases = 10, .total_ticks = 9, .own_rate = 2}) == planned);
  CHECK(count.begun == before);
  const double spent = planned->after(4).epsilon;
  CHECK(count.begun == before + 1);
  CHECK(planned->after(4).epsilon == spent);
  CHECK(count.begun == before + 1);
  CHECK(count.ended == count.begun);
  // A check of the budget composes nothing.
  models::Ledger ledger(1);
  ledger.open(0, planned);
  ledger.charge(0);
  ledger.verify();
  CHECK(count.begun == before + 1);
}

TEST_CASE("ledger: an account without a limit that has made releases allows no more") {
  models::Ledger ledger(1);
  auto of_another_run = [](auto& number) { number = 1; };  // in which the account was open
  ledger.serialize(of_another_run);
  CHECK_FALSE(ledger.affords(0));
  CHECK_THROWS_AS(ledger.verify(), sim::InvariantError);
}

TEST_CASE("open_account: takes as many releases as privacy.steps, where it is given") {
  models::PrivacyOptions options = only_laplace();
  options.gradient_bound = 1;
  options.steps = models::Steps(3);
  const test::StudyFixture fixture(two_owners(), box_of_10(), options, 1);
  const auto world = fixture.world(fixture.engine());
  models::Context context(*world);
  CHECK_THROWS_WITH(context.open_account(1, 2),
                    "privacy.steps has no effect: it is 3 for agent 1, and this protocol plans the agent's "
                    "budget for 2 releases; leave it out");
  context.open_account(1, 3);
  CHECK(world->ledger.account(1).release_limit == 3);
}

TEST_CASE("release schedule: steps that together exceed the budget are refused") {
  const models::AccountantOptions basic;
  CHECK_NOTHROW(models::ReleaseSchedule(1, {models::pure_step(0.25)}, 4, basic));
  CHECK_THROWS_AS(models::ReleaseSchedule(1, {models::pure_step(0.25)}, 5, basic), sim::InvariantError);
  CHECK_THROWS_AS(models::ReleaseSchedule(1, {}, 1, basic), sim::InvariantError);
}

TEST_CASE("release schedule: ten million equal steps stay within the budget to rounding") {
  const auto schedule = equal_steps(0.3, 10'000'000);
  CHECK(schedule->after(10'000'000).epsilon == Approx(0.3).epsilon(1e-15));
  CHECK(schedule->after(5'000'000).epsilon == Approx(0.15).epsilon(1e-15));
  CHECK(schedule->after(0).epsilon == 0);
}

TEST_CASE("release schedule: unequal steps keep their order, and parts cost their composition") {
  std::vector<models::Step> steps;
  for (const double epsilon : {0.5, 0.5, 0.25, 0.125}) steps.push_back(models::pure_step(epsilon));
  const models::ReleaseSchedule schedule(1.375, steps, 1, {});
  const std::vector<double> expected{0.5, 0.5, 0.25, 0.125};
  double sum = 0;
  for (std::uint64_t n = 0; n < 4; ++n) {
    CHECK(schedule.step(n).epsilon == expected[n]);
    CHECK(schedule.after(n).epsilon == sum);
    sum += expected[n];
  }
  CHECK(schedule.after(4).epsilon == sum);
}

TEST_CASE("release schedule: the inverse problem is solved once for a budget and a number of releases") {
  models::Budget budget{
      .mechanism = models::Laplace{}, .accountant = models::Accountant::kKairouz, .delta = std::exp(-5)};
  budget.epsilon = {1};
  budget.schedules = std::make_shared<const models::ReleaseCache>();
  const auto schedule = budget.releases_of(0, {.releases = 10});
  CHECK(schedule == budget.releases_of(0, {.releases = 10}));
  CHECK(schedule != budget.releases_of(0, {.releases = 11}));
  // Kairouz, Oh, Viswanath 2015, Theorem 3.5, solved by an independent program.
  CHECK(schedule->step(0).epsilon == Approx(0.106046).margin(5e-7));
}

TEST_CASE("sensitivity: 2 bound/n when a record is replaced, bound/n when one is added or removed") {
  models::Budget privacy;
  privacy.bound = 3;
  CHECK(privacy.sensitivity(4) == 1.5);
  privacy.adjacency = models::Adjacency::kAddRemove;
  CHECK(privacy.sensitivity(4) == 0.75);
}

TEST_CASE("gradient bound: given, enforced, declared, from the data, or refused") {
  const test::StudyFixture fixture(two_owners(), box_of_10(), {}, 1);
  const auto resolved = [&](const models::PrivacyOptions& options) {
    return models::resolve_budget(options, fixture.problem(), fixture.reference(), 1, sim::Streams(1, 0));
  };
  models::PrivacyOptions options = only_laplace();
  CHECK_THROWS_WITH(resolved(options), Catch::Contains("requires a bound on a record's gradient"));
  options.gradient_bound = 7;
  CHECK(resolved(options).bound == 7);
  CHECK(resolved(options).source == models::BoundSource::kGiven);
  options = only_laplace();
  options.clip = 5;
  CHECK(resolved(options).clips());
  options = only_laplace();
  options.bound_from_data = true;
  // All records are x = (1, 1), y = 1: at 0 the gradient is 2 (0 - 1) (1, 1), L1 norm 4; at the optimum it is
  // about 0.
  CHECK(resolved(options).bound == Approx(4));
  CHECK(resolved(options).source == models::BoundSource::kFromData);

  models::DataSet declared = two_owners();
  declared.bounds = models::DeclaredBounds{.features_l1 = 2, .target = 1};
  const models::Problem problem(declared, box_of_10());
  const auto privacy =
      models::resolve_budget(only_laplace(), problem, models::LazyOptimum(problem), 1, sim::Streams(1, 0));
  // 2 (theta_max R1 + Y) R1 = 2 (10 * 2 + 1) 2.
  CHECK(privacy.bound == 84);
  CHECK(privacy.source == models::BoundSource::kDerived);
}

TEST_CASE("laplace: the sign is fair, independent of the magnitude, and zero scale adds nothing") {
  std::vector<double> x(100, 1.0);
  sim::Stream s({1, 2}, 0, 0, 0);
  models::Laplace::add_noise(x, 0, s);
  CHECK(x == std::vector<double>(100, 1.0));

  // 1e5 draws: positive ones are Binomial(n, 1/2); Hoeffding: P(|share - 1/2| > t) <= 2 exp(-2 n t^2) = 1e-9
  // at t = 0.01035. E x = 0 and Var x = 2 b^2: six standard deviations of the mean, sqrt(2/n) b each, fail
  // with probability 2e-9.
  constexpr int kDraws = 100'000;
  std::vector<double> draws(kDraws, 0.0);
  sim::Stream t({3, 4}, 0, 0, 0);
  models::Laplace::add_noise(draws, 2, t);
  int positive = 0;
  double sum = 0;
  for (const double d : draws) {
    positive += d > 0 ? 1 : 0;
    sum += d;
  }
  CHECK(std::abs(positive / double{kDraws} - 0.5) < 0.01035);
  CHECK(std::abs(sum / kDraws) < 6 * 2 * std::sqrt(2.0 / kDraws));
}

TEST_CASE("sensitive vectors cannot be copied, read or turned into plain ones by themselves") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<models::Sensitive>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<models::Sensitive, Eigen::VectorXd>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<models::Sensitive, Eigen::VectorXd, double>);
}

TEST_CASE("release: refused releases draw nothing and charge nothing") {
  models::PrivacyOptions options = only_laplace();
  options.gradient_bound = 1;
  const test::StudyFixture fixture(two_owners(), box_of_10(), options, 1);
  const auto world = fixture.world(fixture.engine());
  models::Context context(*world);
  context.open_account(1, 2);
  CHECK(world->ledger.account(1).epsilon_step() == 0.5);
  const Eigen::VectorXd theta = Eigen::VectorXd::Zero(2);
  const auto first = context.release(1, context.gradient(1, theta));
  REQUIRE(first);
  const Eigen::VectorXd one = *first;
  const auto second = context.release(1, context.gradient(1, theta));
  REQUIRE(second);
  CHECK(one != *second);  // fresh noise
  CHECK_FALSE(context.release(1, context.gradient(1, theta)));
  CHECK(world->ledger.account(1).releases == 2);
  CHECK(world->ledger.account(1).spent().epsilon == 1);
  CHECK_FALSE(context.may_release(1));
}

TEST_CASE("release: without privacy the gradient is unchanged and nothing is spent") {
  const test::StudyFixture fixture(two_owners(), box_of_10(), {}, 1);
  const auto world = fixture.world(fixture.engine());
  models::Context context(*world);
  context.open_account(1, 1);
  for (int k = 0; k < 3; ++k) {
    const auto out = context.release(1, context.gradient(1, Eigen::VectorXd::Zero(2)));
    REQUIRE(out);
    // Mean of 2 (0 - 1) (1, 1).
    CHECK((*out)[0] == Approx(-2));
    CHECK((*out)[1] == Approx(-2));
  }
  CHECK(world->ledger.account(1).spent().epsilon == 0);
  CHECK_FALSE(context.all_spent());
}
