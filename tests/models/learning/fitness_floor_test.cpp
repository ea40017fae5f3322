// No model is better than the reference optimum by more than the gap that its solver certifies.
#include <catch2/catch.hpp>

#include <cmath>

#include "models/data/synthetic/lending_like.hpp"
#include "models/protocols/central/central_sync.hpp"
#include "sim/random/random.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/study_fixture.hpp"

using namespace hearsay;

namespace {

models::DataSet overlapping_classes() {
  models::DataSet data =
      make_data(models::LendingLike{.owners = 3, .records = 400, .features = 5}, sim::Streams(3, 0));
  for (models::Shard& s : data.train) {
    s.target = s.target.array().sign();
    s.features.col(4).setOnes();  // the bias, regularised like the others
  }
  data.bounds.reset();
  data.bias = true;
  return data;
}

void check_floor(const models::Loss& loss, double l2, double theta_max) {
  const test::StudyFixture fixture(
      overlapping_classes(), {.loss = loss, .l2 = l2, .l2_half = true, .theta_max = theta_max}, {}, 300);
  const models::Optimum& best = fixture.optimum();
  INFO(loss.name() << ", l2 " << l2 << ", box " << theta_max << (best.box_active ? ", active" : "") << ", f* "
                   << best.value << ", gap " << best.gap);
  CHECK(best.gap >= 0);
  CHECK(best.gap <= 1e-8 * best.value);
  const auto psi = [&](const Eigen::VectorXd& theta) {
    return fixture.problem().objective(theta) / best.value - 1;
  };
  // Sums of 1200 terms are exact to about 1e-14.
  double least = 0;
  const double floor = -best.gap / best.value - 1e-14;
  sim::Stream s = sim::Streams(5, 0)(sim::Purpose::kData, 0);
  for (double width = 1; width > 1e-9; width /= 2) {
    Eigen::VectorXd theta = best.theta;
    for (double& x : theta) x += sim::normal(s, 0, width);
    fixture.problem().project(theta);
    least = std::min(least, psi(theta));
  }
  models::CentralSync::Params params;
  params.c1 = models::GivenStep{0.5};
  double last = 0;
  test::run<models::CentralSync>(fixture, params, fixture.engine(), [&](const models::World& w) {
    last = psi(w.models.col(0));
    least = std::min(least, last);
  });
  CHECK(least >= floor);
  CHECK(last < 0.2);  // the run comes near
}

}  // namespace

TEST_CASE("relative fitness: never below minus the solver's gap, which is at most 1e-8 f*") {
  for (const models::Loss& loss : {models::Loss(models::LogisticLoss{}), models::Loss(models::HingeLoss{}),
                                   models::Loss(models::SmoothedHingeLoss{})}) {
    for (const double l2 : {1e-5, 1.0}) {
      for (const double theta_max : test::cases({20.0, 0.1})) check_floor(loss, l2, theta_max);
    }
  }
}
