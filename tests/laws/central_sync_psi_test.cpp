// The synchronous central learner against the exact expectation of its relative fitness.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/theory/central_bounds.hpp"
#include "models/data/synthetic/lending_like.hpp"
#include "models/protocols/central/central_sync.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/study_fixture.hpp"

using namespace hearsay;
using test::Mean;

TEST_CASE("central_sync: mean relative fitness is its closed form at every iteration, whitened data") {
  // Owners of different sizes and budgets; each one's Hessian is 2 I exactly, so f's is (2 + sigma) I.
  constexpr std::uint64_t kHorizon = 8;
  constexpr std::uint32_t kRuns = 4000;
  constexpr double kBound = 5;
  models::LendingLike data;
  data.records = models::OwnerSizes(models::SizeList{{500, 1000, 2500}});
  data.whiten = true;
  models::ModelOptions model;
  model.l2 = 0.05;
  models::PrivacyOptions privacy;
  privacy.mechanism = models::Laplace{};
  privacy.epsilon = sim::ValueList{{1, 3, 0.5}};
  privacy.gradient_bound = kBound;
  const test::StudyFixture fixture(make_data(data, sim::Streams(1, 0)), model, privacy, kHorizon);
  models::CentralSync::Params params;
  params.algorithm = models::SyncAlgorithm::kStronglyConvex;
  params.rho = models::NewtonStep{};

  const analysis::CentralSetting setting{.epsilon = {1, 3, 0.5},
                                         .records = 4000,
                                         .dimension = static_cast<double>(fixture.problem().p()),
                                         .horizon = kHorizon,
                                         .sigma = fixture.problem().sigma(),
                                         .bound = kBound,
                                         .hessian_max = 2};
  const auto bound = std::ranges::find(analysis::bounds(), "synchronous_closed_form", &analysis::Bound::name);
  std::array<double, 1> excess{};  // at k = T; in proportion to 1/(k - 1)
  bound->terms(setting, false, excess);
  const double psi_end = excess[0] / fixture.optimum().value, psi_3 = psi_end * (kHorizon - 1) / 2;
  Mean early, late;
  for (std::uint32_t repetition = 0; repetition < kRuns; ++repetition) {
    const auto look = [&](const models::World& w) {
      if (w.iterations != 3 && w.iterations != kHorizon) return;
      const double psi = w.problem().objective(w.models.col(0)) / fixture.optimum().value - 1;
      (w.iterations == 3 ? early : late).add(psi);
    };
    test::run<models::CentralSync>(fixture, params, fixture.engine(), {.repetition = repetition}, look);
  }
  REQUIRE(late.count == kRuns);
  INFO("psi(3) " << early.mean() << " theory " << psi_3 << ", psi(T) " << late.mean() << " theory "
                 << psi_end);
  // Seven standard errors of a mean of 4000 sums of ten squares: below 1e-9.
  CHECK(std::abs(early.mean() - psi_3) < 7 * early.standard_error());
  CHECK(std::abs(late.mean() - psi_end) < 7 * late.standard_error());
  // The sampling error is small enough to detect a wrong power of T, or 1/T for 1/(T - 1).
  CHECK(7 * late.standard_error() < 0.08 * late.mean());
}
