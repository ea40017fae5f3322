#include "models/data/synthetic/low_rank_tasks.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "models/algebra/dense.hpp"
#include "models/data/data_options.hpp"

using namespace hearsay;

TEST_CASE("low_rank_tasks: unit ball, split, signs, and tasks that do not depend on their number") {
  models::LowRankTasks options;
  const auto twenty = make_data(options, sim::Streams(9, 0));
  REQUIRE(twenty.owners() == 20);
  Eigen::MatrixXd scores(60, 1);
  for (std::size_t t = 0; t < 20; ++t) {
    CHECK(twenty.train[t].target.size() == 60);
    CHECK(twenty.test[t].target.size() == 140);
    const double largest = std::max(twenty.train[t].features.rowwise().norm().maxCoeff(),
                                    twenty.test[t].features.rowwise().norm().maxCoeff());
    CHECK(largest == Approx(1).epsilon(1e-14));
    CHECK(twenty.train[t].target.cwiseAbs().minCoeff() == 1);
  }
  options.tasks = 3;
  const auto three = make_data(options, sim::Streams(9, 0));
  CHECK(three.train[2].features == twenty.train[2].features);
  CHECK(three.train[2].target == twenty.train[2].target);

  // With targets that are not clipped (tiny records) y = X w_t exactly, and the w_t have rank 3 except for q_t.
  options = {};
  options.target = models::TaskTarget::kRegression;
  options.own_deviation = 0;
  options.features = 6;
  options.tasks = 8;
  const auto linear = make_data(options, sim::Streams(9, 0));
  Eigen::MatrixXd w(6, 8);
  for (std::size_t t = 0; t < 8; ++t) {
    const Eigen::MatrixXd x = linear.train[t].features;
    std::vector<Eigen::Index> inside;
    for (Eigen::Index k = 0; k < x.rows(); ++k) {
      if (std::abs(linear.train[t].target[k]) < 1) inside.push_back(k);
    }
    const Eigen::MatrixXd kept = x(inside, Eigen::all);
    w.col(static_cast<Eigen::Index>(t)) = models::least_squares(kept, linear.train[t].target(inside));
  }
  const Eigen::VectorXd s = models::singular_values(w);
  CHECK(s[2] > 1e-3);
  CHECK(s[3] < 1e-10);
}

TEST_CASE("low_rank_tasks: standardised targets have training mean 0 and variance 1 and declare no bound") {
  models::LowRankTasks options{.tasks = 3, .records = 40, .features = 6};
  options.target = models::TaskTarget::kRegression;
  const auto clipped = make_data(options, sim::Streams(9, 0));
  options.standardise_target = true;
  const auto data = make_data(options, sim::Streams(9, 0));
  for (std::size_t t = 0; t < 3; ++t) {
    const Eigen::VectorXd &y = data.train[t].target, &raw = clipped.train[t].target;
    CHECK(std::abs(y.mean()) < 1e-14);
    CHECK(y.squaredNorm() / 12 == Approx(1).epsilon(1e-12));
    // Test targets get the same shift and scale: (y - y') / (raw - raw') is the same for every pair.
    const Eigen::VectorXd &test = data.test[t].target, &before = clipped.test[t].target;
    REQUIRE(before.cwiseAbs().maxCoeff() < 1);
    CHECK((test[0] - y[0]) / (before[0] - raw[0]) == Approx((y[1] - y[0]) / (raw[1] - raw[0])).epsilon(1e-9));
    CHECK(data.train[t].features == clipped.train[t].features);
  }
  // Validation records are held out before: of 12 training records 3, and 9 are left.
  const auto held = [&](models::Instances instances) {
    return make_data(models::DataOptions(options, {.fraction = 0.25, .instances = instances}),
                     sim::Streams(9, 0));
  };
  const auto kept = held(models::Instances::kTest), chosen = held(models::Instances::kValidation);
  for (std::size_t t = 0; t < 3; ++t) {
    const Eigen::VectorXd& y = kept.train[t].target;
    REQUIRE(y.size() == 9);
    CHECK(std::abs(y.mean()) < 1e-14);
    CHECK(y.squaredNorm() / 9 == Approx(1).epsilon(1e-12));
    // All keep the order and the proportions of what they were.
    CHECK(chosen.train[t].target == y);
    REQUIRE(chosen.test[t].target.size() == 3);
    Eigen::VectorXd all(12);
    all << y, chosen.test[t].target;
    const Eigen::VectorXd& before = data.train[t].target;
    CHECK(
        (all.maxCoeff() - all.minCoeff()) * std::sqrt((before.array() - before.mean()).square().sum()) ==
        Approx((before.maxCoeff() - before.minCoeff()) * std::sqrt((all.array() - all.mean()).square().sum()))
            .epsilon(1e-9));
  }
  CHECK(std::isinf(data.bounds->target));
  CHECK(clipped.bounds->target == 1);
  CHECK(data.fitted_on_private_data.size() == clipped.fitted_on_private_data.size() + 1);
  options.records = 1;
  CHECK_THROWS_WITH(make_data(options, sim::Streams(9, 0)), Catch::Contains("found equal ones"));
}
