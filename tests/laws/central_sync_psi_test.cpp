// The synchronous central learner against the exact expectation of its relative fitness.
#include <catch2/catch.hpp>

#include <cmath>

#include "analysis/theory/central_moments.hpp"
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

  const analysis::SyncMoments theory{.p = static_cast<int>(fixture.problem().p()),
                                     .horizon = kHorizon,
                                     .hessian = 2 + fixture.problem().sigma(),
                                     .bound = kBound,
                                     .records = 4000,
                                     .epsilon = {1, 3, 0.5},
                                     .f_star = fixture.optimum().value};
  Mean early, late;
  for (std::uint32_t repetition = 0; repetition < kRuns; ++repetition) {
    const auto world = fixture.world(fixture.engine(), repetition);
    models::CentralSync protocol(params, fixture.study());
    test::Watch watch([&](const models::World& w) {
      if (w.iterations != 3 && w.iterations != kHorizon) return;
      const double psi = w.problem().objective(w.models.col(0)) / fixture.optimum().value - 1;
      (w.iterations == 3 ? early : late).add(psi);
    });
    models::Driver<models::CentralSync>(protocol, *world, watch).run();
  }
  REQUIRE(late.count == kRuns);
  INFO("psi(3) " << early.mean() << " theory " << theory.psi(3) << ", psi(T) " << late.mean() << " theory "
                 << theory.psi(kHorizon));
  // Seven standard errors of a mean of 4000 sums of ten squares: below 1e-9.
  CHECK(std::abs(early.mean() - theory.psi(3)) < 7 * early.standard_error());
  CHECK(std::abs(late.mean() - theory.psi(kHorizon)) < 7 * late.standard_error());
  // The sampling error is small enough to detect a wrong power of T, or 1/T for 1/(T - 1).
  CHECK(7 * late.standard_error() < 0.08 * late.mean());
}
