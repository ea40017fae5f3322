// The stability of a central learner's step, on quadratics worked by hand: one feature x = 1, so that every owner's
// Hessian is h = 2, and g = theta^2/2 (sigma = 1).
#include "models/protocols/central/stability.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "models/protocols/central/central_async.hpp"
#include "models/protocols/central/central_sync.hpp"
#include "tests/models/protocols/central_run.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

template <class Params>
double number_of(const Params& params, const Study& study, const std::string& name) {
  for (const auto& [key, value] : params.numbers(study)) {
    if (key == name) return value;
  }
  return std::nan("");
}

// a = rho/T^2.
CentralAsync::Params async_step(double a, double horizon) {
  CentralAsync::Params params;
  params.rho = GivenStep{a * horizon * horizon};
  return params;
}

CentralSync::Params sync_step(SyncAlgorithm algorithm, double value) {
  CentralSync::Params params;
  params.algorithm = algorithm;
  (algorithm == SyncAlgorithm::kAveraged ? params.c1 : params.rho) = GivenStep{value};
  return params;
}

}  // namespace

TEST_CASE("stability: central_async with one owner diverges from a (h + sigma/2) = 4 on") {
  // y = 3: theta_1 <- bar - a (bar/2 + 2 (bar - 3)), theta_L <- bar (c = 0). About 6/2.5 = 2.4 bar is multiplied by
  // 1 - 1.25 a, and after k iterations theta_L is the bar of k - 1.
  constexpr std::uint64_t kHorizon = 40;
  const test::StudyFixture fixture(one_record_each({3}), ridge(1), {}, kHorizon);
  for (const double a : {1.5, 1.6, 1.7}) {
    const auto params = async_step(a, kHorizon);
    CHECK(number_of(params, fixture.study(), "step.a_h_max") == Approx(2.5 * a));
    const auto run = CentralRun<CentralAsync>(fixture, params, fixture.engine());
    const double factor = std::pow(1 - 1.25 * a, kHorizon - 1);
    CHECK(run.learner.back() - 2.4 == Approx(-2.4 * factor).epsilon(1e-9));
  }
}

TEST_CASE("stability: h_max is that of the party with the most curvature") {
  // Of N = 2 with 1 and 3 records: 2 (3/4) 2 + 1/2. As one group: 2 + 1/2. central_sync: 2 + 1.
  const test::StudyFixture fixture(test::equal_records({1, 3}, {1, 3}), ridge(1), {}, 10);
  auto params = async_step(1, 10);
  CHECK(params.used_step(fixture.study()).h_max == Approx(3.5));
  params.groups = {{1, 2}};
  CHECK(params.used_step(fixture.study()).h_max == Approx(2.5));
  CHECK(sync_step(SyncAlgorithm::kAveraged, 1).used_step(fixture.study()).h_max == Approx(3));
  auto logistic = ridge(1);
  logistic.loss = Loss(LogisticLoss{});
  const test::StudyFixture classes(one_record_each({-1, 1}), logistic, {}, 10);
  CHECK_FALSE(params.used_step(classes.study()).h_max);
  CHECK(params.notes(classes.study()).empty());
}

TEST_CASE("stability: a step beyond 2/h_max is warned of, with the largest that is stable") {
  const test::StudyFixture fixture(test::equal_records({1, 3}, {1, 3}), ridge(1), {}, 10);
  CHECK(async_step(2 / 3.5, 10).notes(fixture.study()).empty());
  CHECK(
      async_step(2, 10).notes(fixture.study()) ==
      std::vector<std::string>{
          "warning: protocol.rho is 200: a h_max = 7 exceeds 2, so that the model can oscillate or diverge; "
          "standardise the features or scale them to the unit ball, or reduce protocol.rho to 57.1 or less, "
          "or "
          "set privacy.clip"});
  // auto: 5 (N + 1) T sigma/h_min = 5 3 10/2 = 75, a = 0.75.
  CentralAsync::Params automatic;
  automatic.rho = AutoRho{};
  CHECK(automatic.notes(fixture.study()).at(0) ==
        "protocol.rho \"auto\" is 75: step a = 0.75, a h_max = 2.625");
  CHECK_THAT(automatic.notes(fixture.study()).at(1),
             Catch::StartsWith("warning: protocol.rho \"auto\" is 75: a h_max = 2.625 exceeds 2, so that "));
  CHECK(number_of(automatic, fixture.study(), "step.rho") == Approx(75));
  CHECK(number_of(automatic, fixture.study(), "step.a") == Approx(0.75));
  // With clipping the pooled Hessian counts: 2 + 1/2, so that a h_max = 1.875 and 5.
  auto clipped = laplace(1, 1);
  clipped.gradient_bound.reset();
  clipped.clip = 1;
  const test::StudyFixture boxed(test::equal_records({1, 3}, {1, 3}), ridge(1, 4), clipped, 10);
  CHECK(automatic.notes(boxed.study()).size() == 1);
  CHECK(async_step(2, 10).notes(boxed.study()) ==
        std::vector<std::string>{"warning: protocol.rho is 200: a h_max = 5 exceeds 2, so that the model can "
                                 "oscillate or diverge within "
                                 "the box of theta_max; standardise the features or scale them to the unit "
                                 "ball, or reduce protocol.rho "
                                 "to 80 or less"});
}

TEST_CASE("stability: an update of central_sync moves away from the optimum from a h_max = 2 on") {
  // y = 3, T = 2: theta[2] = 6 a, of f = theta^2/2 + (theta - 3)^2 with f(0) = f(4) = 9, 4 = 6 a at a = 2/3.
  const test::StudyFixture fixture(one_record_each({3}), ridge(1), {}, 2);
  const auto f_after = [&](double a) {
    const auto run =
        CentralRun<CentralSync>(fixture, sync_step(SyncAlgorithm::kStronglyConvex, 4 * a), fixture.engine());
    return fixture.problem().objective(run.world->models.col(0));
  };
  const auto warned = [&](double a) {
    return !sync_step(SyncAlgorithm::kStronglyConvex, 4 * a).notes(fixture.study()).empty();
  };
  CHECK(f_after(0.66) < 9);
  CHECK_FALSE(warned(0.66));
  CHECK(f_after(0.67) > 9);
  CHECK(warned(0.67));
}

TEST_CASE("stability: the rounds of central_sync that overshoot are counted") {
  // h_max = 3. strongly_convex, a = 8/3: 8/k > 2 for k < 4. averaged, a = 4/3: 4/sqrt(k) > 2 for k < 4.
  const test::StudyFixture fixture(one_record_each({3}), ridge(1), {}, 10);
  const std::string effect = "so that the first 3 of 9 updates move the model away from the optimum";
  const auto warning = [&](SyncAlgorithm algorithm, double value) {
    return sync_step(algorithm, value).notes(fixture.study()).at(0);
  };
  CHECK_THAT(warning(SyncAlgorithm::kStronglyConvex, 800.0 / 3),
             Catch::Contains("a h_max = 8 exceeds 2, " + effect));
  CHECK_THAT(warning(SyncAlgorithm::kAveraged, 4.0 / 3), Catch::Contains("a h_max = 4 exceeds 2, " + effect));
  CHECK_THAT(warning(SyncAlgorithm::kAveraged, 100), Catch::Contains("the first 9 of 9 updates"));
  CentralSync::Params automatic;
  automatic.c1 = NewtonStep{};
  CHECK(automatic.notes(fixture.study()) ==
        std::vector<std::string>{"protocol.c1 \"auto\" is 0.333333: step a = 0.3333, a h_max = 1"});
}
