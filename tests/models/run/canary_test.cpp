// Records that an audit plants: their gradients have the length that the budget states, and neighbours the distance.
#include "models/run/canary.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace hearsay;
using namespace hearsay::models;
using Eigen::VectorXd;

namespace {

DataSet two_records(double y = 0.5) {
  DataSet data;
  Shard shard{Records(2, 2), VectorXd(2)};
  shard.features << 0.3, -0.2, 0.1, 0.4;
  shard.target << y, -y;
  data.train = {shard, shard};
  data.test = {{Records(0, 2), VectorXd(0)}, {Records(0, 2), VectorXd(0)}};
  data.feature_names = {"a", "b"};
  data.owner_names = {"one", "two"};
  return data;
}

Budget stated(double bound, BoundSource source, Adjacency adjacency = Adjacency::kReplaceOne) {
  Budget budget;
  budget.mechanism = Gaussian{};
  budget.bound = bound;
  budget.source = source;
  budget.adjacency = adjacency;
  return budget;
}

// The gradient of the first owner's first record, cut as the budget says.
VectorXd gradient_of(DataSet data, const ModelOptions& model, const Budget& budget, bool in,
                     const VectorXd& theta, std::optional<VectorXd> direction) {
  plant(data, model, budget, {.owner = 0, .record = 0, .direction = std::move(direction)}, in);
  const Problem problem(std::move(data), model);
  const Eigen::Index record = 0;
  VectorXd out(2);
  const double bound = budget.clips() ? budget.bound : std::numeric_limits<double>::infinity();
  problem.gradient_of_records(0, {&record, 1}, theta, 1, bound, budget.norm(), out);
  return out;
}

const VectorXd kAxis = VectorXd::Unit(2, 1);

}  // namespace

TEST_CASE("canary: clipped, its gradient is the bound along its direction, and the opposite one without it") {
  for (const double bound : {0.01, 1.0, 40.0}) {
    const Budget budget = stated(bound, BoundSource::kClip);
    for (const VectorXd& theta : {VectorXd(VectorXd::Zero(2)), VectorXd(VectorXd::Constant(2, -30))}) {
      const VectorXd in = gradient_of(two_records(), {}, budget, true, theta, kAxis),
                     out = gradient_of(two_records(), {}, budget, false, theta, kAxis);
      CHECK((in + bound * kAxis).norm() <= 1e-12 * bound);
      CHECK((out - bound * kAxis).norm() <= 1e-12 * bound);
    }
    const ModelOptions logistic{.loss = LogisticLoss{}};
    CHECK((gradient_of(two_records(1), logistic, budget, true, VectorXd::Zero(2), kAxis) + bound * kAxis)
              .norm() <= 1e-12 * bound);
  }
}

TEST_CASE("canary: absent, it has no gradient, and the number of records is the same") {
  const Budget budget = stated(2, BoundSource::kClip, Adjacency::kAddRemove);
  CHECK(gradient_of(two_records(), {}, budget, false, VectorXd::Constant(2, 5), kAxis).isZero(0));
  DataSet data = two_records();
  plant(data, {}, budget, {.owner = 1, .record = 1, .direction = kAxis}, false);
  CHECK(data.train[1].target.size() == 2);
  CHECK(data.train[0].features == two_records().train[0].features);
  CHECK(data.train[1].features.row(0) == two_records().train[1].features.row(0));
}

TEST_CASE("canary: a changed label changes the gradient by twice the given bound, wherever the model is") {
  const Budget budget = stated(3, BoundSource::kGiven);
  for (const double at : {0.0, 7.0}) {
    const VectorXd theta = VectorXd::Constant(2, at),
                   change = gradient_of(two_records(), {}, budget, true, theta, kAxis) -
                            gradient_of(two_records(), {}, budget, false, theta, kAxis);
    CHECK((change + 6 * kAxis).norm() <= 1e-12);
  }
}

// norm_1(x) = b/2 and y = 1 or -1: the gradient 2 (theta . x - y) x changes by 4 x.
TEST_CASE("canary: with Laplace noise gradients are bounded in L1") {
  const VectorXd diagonal = VectorXd::Constant(2, std::sqrt(0.5));
  Budget budget = stated(1, BoundSource::kGiven);
  budget.mechanism = Laplace{};
  const VectorXd theta = VectorXd::Constant(2, 7),
                 change = gradient_of(two_records(), {}, budget, true, theta, diagonal) -
                          gradient_of(two_records(), {}, budget, false, theta, diagonal);
  CHECK(change.lpNorm<1>() == Approx(2));
  DataSet data = two_records(1);
  plant(data, {.loss = LogisticLoss{}}, budget, {.owner = 0, .record = 0, .direction = diagonal}, true);
  CHECK(data.train[0].features.row(0).lpNorm<1>() == Approx(1));  // slopes are at most 1
  DataSet declared = two_records();
  declared.bounds = DeclaredBounds{.features_l1 = 10, .features_l2 = 10, .target = 0.8};
  plant(declared, {}, budget, {.owner = 0, .record = 0, .direction = diagonal}, true);
  CHECK(declared.train[0].features.row(0).lpNorm<1>() == Approx(10));
  CHECK(declared.train[0].target[0] == Approx(0.05));
}

TEST_CASE("canary: declared bounds hold, for features and target") {
  DataSet data = two_records();
  data.bounds = DeclaredBounds{.features_l1 = 0.5, .features_l2 = 0.45, .target = 0.8};
  // 2 (theta_max 0.5 + 0.8) 0.5 with theta_max 1.
  const Budget budget = stated(1.3, BoundSource::kDerived);
  const VectorXd diagonal = VectorXd::Constant(2, std::sqrt(0.5));
  plant(data, {}, budget, {.owner = 0, .record = 0, .direction = kAxis}, true);
  CHECK(data.train[0].features.row(0).norm() == Approx(0.45));
  CHECK(data.train[0].target[0] == 0.8);
  plant(data, {}, budget, {.owner = 0, .record = 0, .direction = diagonal}, false);
  CHECK(data.train[0].features.row(0).lpNorm<1>() == Approx(0.5));
  CHECK(data.train[0].target[0] == -0.8);
}

TEST_CASE(
    "canary: a record of the data is there, or has no features, or where gradients are clipped another target") {
  DataSet data = two_records();
  const Canary own{.owner = 0, .record = 1};
  plant(data, {}, stated(1, BoundSource::kGiven), own, true);
  CHECK(data.train[0].features == two_records().train[0].features);
  plant(data, {}, stated(1, BoundSource::kGiven), own, false);
  CHECK(data.train[0].features.row(1).isZero(0));
  DataSet clipped = two_records();
  plant(clipped, {}, stated(1, BoundSource::kClip), own, false);
  CHECK(clipped.train[0].target[1] == 0.5);
  CHECK(clipped.train[0].features == two_records().train[0].features);
}

TEST_CASE("canary: with the unit owner all records are canaries") {
  DataSet data = two_records();
  Budget budget = stated(1, BoundSource::kUpdateClip, Adjacency::kAddRemove);
  budget.unit = PrivacyUnit::kOwner;
  plant(data, {}, budget, {.owner = 1, .record = 0, .direction = kAxis}, true);
  CHECK(data.train[1].features.col(1) == VectorXd::Ones(2));
  plant(data, {}, budget, {.owner = 1, .record = 0, .direction = kAxis}, false);
  CHECK(data.train[1].features.isZero(0));
}

TEST_CASE("canary: refused where absent records or planted ones could exceed what is stated") {
  ModelOptions hidden;
  hidden.network = Mlp{};
  CHECK_THROWS_WITH(
      require_plantable(hidden, stated(1, BoundSource::kClip, Adjacency::kAddRemove), false),
      "with privacy.adjacency add_remove a record of a model with a hidden layer cannot be made absent: use "
      "replace_one");
  const Budget given = stated(1, BoundSource::kGiven, Adjacency::kAddRemove);
  CHECK_THROWS_WITH(require_plantable({}, given, true),
                    Catch::Contains("privacy.gradient_bound is not enforced"));
  CHECK_NOTHROW(require_plantable({}, given, false));
  CHECK_NOTHROW(require_plantable({}, stated(1, BoundSource::kGiven), true));
}

TEST_CASE("canary: the loss of a record") {
  const Problem problem(two_records(), {});
  const VectorXd theta = VectorXd::Constant(2, 2);
  CHECK(loss_of(problem, 1, 0, theta) == Approx((0.2 - 0.5) * (0.2 - 0.5)));
}
