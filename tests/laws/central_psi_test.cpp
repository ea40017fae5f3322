// The asynchronous central learner against the exact expectation of its relative fitness.
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/theory/central_moments.hpp"
#include "models/data/synthetic/lending_like.hpp"
#include "models/protocols/central/central_async.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/study_fixture.hpp"

using namespace hearsay;
using test::Mean;

namespace {

void check_case(int owners, double epsilon, std::size_t records,
                models::BudgetFor budget_for = models::BudgetFor::kHorizon) {
  constexpr std::uint64_t kHorizon = 1000;
  constexpr double kBound = 50;
  models::LendingLike data;
  data.owners = static_cast<std::size_t>(owners);
  data.records = records;
  data.whiten = true;
  models::ModelOptions model;
  model.theta_max = 10;
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Laplace{};
  privacy.epsilon = epsilon;
  privacy.gradient_bound = kBound;
  const test::StudyFixture fixture(make_data(data, sim::Streams(1, 0)), model, privacy, kHorizon);
  sim::NetworkOptions network;
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  models::CentralAsync::Params params;
  params.rho = models::AutoRho{};
  params.budget_for = budget_for;

  const Eigen::Index p = fixture.problem().p();
  const models::CentralAsync probe(params, fixture.study());
  const auto parties = static_cast<std::size_t>(owners);
  // Each of T_i answers has epsilon/T_i: the noise of T answers at T/T_i times the budget.
  const double budget = epsilon * kHorizon / static_cast<double>(params.planned_answers(kHorizon, parties));
  const double hessian = fixture.problem().hessian_extremes().first;
  const analysis::CentralSetting setting{
      .epsilon = std::vector<double>(parties, budget),
      .records = static_cast<double>(parties * records),
      .dimension = static_cast<double>(p),
      .horizon = kHorizon,
      .rho = probe.step() * kHorizon * kHorizon * fixture.problem().sigma(),
      .sigma = fixture.problem().sigma(),
      .bound = kBound,
      .hessian_min = hessian,
      .hessian_max = hessian,
      .f_star = fixture.optimum().value,
      .psi_start = fixture.problem().objective(Eigen::VectorXd::Zero(p)) / fixture.optimum().value - 1};
  const double psi_20 = expected_psi(setting, 20), psi_end = expected_psi(setting, kHorizon);
  Mean early, late;
  for (std::uint32_t repetition = 0; repetition < 100; ++repetition) {
    const auto look = [&](const models::World& w) {
      const double psi = w.problem().objective(w.models.col(0)) / fixture.optimum().value - 1;
      if (w.iterations == 20) early.add(psi);
      if (w.iterations == kHorizon) late.add(psi);
    };
    test::run<models::CentralAsync>(fixture, params, fixture.engine(network),
                                    {.repetition = repetition, .every = 20}, look);
  }
  REQUIRE(late.count == 100);
  INFO("epsilon " << epsilon << ", n_i " << records << ": psi(20) " << early.mean() << " theory " << psi_20
                  << ", psi(T) " << late.mean() << " theory " << psi_end);
  // Six standard errors of a mean of 100: below 1e-8 for the normal law, below 1e-6 with the tails of a sum
  // of squares. What the theory neglects, the owners' different minimisers, is of relative order p/(n_i psi)
  // and far smaller here.
  CHECK(std::abs(early.mean() - psi_20) < 6 * early.standard_error());
  CHECK(std::abs(late.mean() - psi_end) < 6 * late.standard_error());
  // The sampling error is small enough for a meaningful comparison.
  CHECK(late.standard_error() < 0.15 * psi_end);
}

}  // namespace

TEST_CASE("central_async: mean relative fitness follows its exact moments, epsilon 1, n_i 50 000") {
  check_case(3, 1, 50'000);
}
TEST_CASE("central_async: mean relative fitness follows its exact moments, epsilon 1, n_i 100 000") {
  check_case(3, 1, 100'000);
}
TEST_CASE("central_async: mean relative fitness follows its exact moments, epsilon 10, n_i 100 000") {
  check_case(3, 10, 100'000);
}
// T_i = 389 of 1000 answers. An owner has more than 389 visits with probability below 1e-3 (they are
// binomial), and then the last of them are missing: of no weight here.
TEST_CASE("central_async: a budget for the expected share equals T/T_i times the budget") {
  check_case(3, 1, 50'000, models::BudgetFor::kExpectedShare);
}
