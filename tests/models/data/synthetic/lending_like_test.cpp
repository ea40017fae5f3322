#include "models/data/synthetic/lending_like.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "models/algebra/dense.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using test::kStreams;

TEST_CASE("lending_like: adding owners or records does not change an owner's data") {
  LendingLike o{.owners = 2, .records = 50, .heterogeneity = 0.3, .test_records = 5};
  const DataSet few = make_data(o, kStreams);
  o.owners = 3;
  o.records = 80;
  const DataSet more = make_data(o, kStreams);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(more.train[i].features.topRows(50) == few.train[i].features);
    CHECK(more.train[i].target.head(50) == few.train[i].target);
    CHECK(more.test[i].features == few.test[i].features);
    CHECK(more.test[i].target == few.test[i].target);
  }
  CHECK(few.train[0].features != few.train[1].features);
  CHECK(few.train[0].features.topRows(5) != few.test[0].features);
  CHECK(make_data(o, sim::Streams(8, 0)).train[0].features != more.train[0].features);
}

TEST_CASE("lending_like: features are bounded, of mean 0, variance 1 and uncorrelated") {
  const LendingLike o{.owners = 1, .records = 100000, .features = 4};
  const DataSet d = make_data(o, kStreams);
  const Records& x = d.train[0].features;
  CHECK(x.cwiseAbs().maxCoeff() <= std::sqrt(3.0));
  CHECK(x.cwiseAbs().maxCoeff() > 1.73);
  // Means have deviation 1/sqrt(n), second moments at most 1/sqrt(n) (E x^4 = 9/5): 6 deviations fail once in
  // 5e8, for each of 14 numbers.
  const double margin = 6 / std::sqrt(1e5);
  CHECK(x.colwise().mean().cwiseAbs().maxCoeff() < margin);
  const Eigen::MatrixXd second = x.transpose() * x / 1e5;
  CHECK((second - Eigen::MatrixXd::Identity(4, 4)).cwiseAbs().maxCoeff() < margin);
}

TEST_CASE("lending_like: declared bounds hold, and the target is linear plus noise of the given deviation") {
  const LendingLike o{.owners = 3, .records = 20000, .features = 3, .noise = 0.5, .heterogeneity = 0.2};
  const DataSet d = make_data(o, kStreams);
  REQUIRE(d.bounds);
  CHECK(d.bounds->features_l1 == Approx(3 * std::sqrt(3.0)));
  for (const Shard& s : d.train) {
    CHECK(s.features.rowwise().lpNorm<1>().maxCoeff() <= d.bounds->features_l1);
    CHECK(s.target.cwiseAbs().maxCoeff() <= d.bounds->target);
    // The residual of least squares: sum of squares (n - p) noise^2, of deviation noise^2 sqrt(0.8/n); 6
    // deviations.
    const Eigen::VectorXd theta = least_squares(s.features, s.target);
    const double variance = (s.target - s.features * theta).squaredNorm() / (20000 - 3);
    CHECK(variance == Approx(0.25).margin(6 * 0.25 * std::sqrt(0.8 / 20000)));
  }
  CHECK(d.fitted_on_private_data.empty());
}

TEST_CASE("lending_like: whitening makes every owner's second moment the identity") {
  const LendingLike o{
      .owners = 2, .records = 30, .features = 5, .noise = 0, .test_records = 3, .whiten = true};
  LendingLike unwhitened = o;
  unwhitened.whiten = false;
  const DataSet d = make_data(o, kStreams), raw = make_data(unwhitened, kStreams);
  for (std::size_t i = 0; i < 2; ++i) {
    const Eigen::MatrixXd second = d.train[i].features.transpose() * d.train[i].features / 30;
    CHECK((second - Eigen::MatrixXd::Identity(5, 5)).norm() < 1e-12);
    // Without noise the target is linear in the whitened features, of training and test records.
    const Eigen::VectorXd theta = d.train[i].features.transpose() * d.train[i].target / 30;
    CHECK((d.test[i].features * theta - d.test[i].target).norm() < 1e-12);
    // Test features get the training matrix W: with raw second moment M, W M W = I.
    const Eigen::MatrixXd moment = raw.train[i].features.transpose() * raw.train[i].features / 30;
    const Records &whitened = d.test[i].features, &plain = raw.test[i].features;
    CHECK((whitened * moment * whitened.transpose() - plain * plain.transpose()).norm() < 1e-12);
  }
  CHECK_FALSE(d.bounds);
  CHECK(d.fitted_on_private_data.size() == 1);
  const LendingLike few{.owners = 1, .records = 4, .features = 5, .whiten = true};
  CHECK_THROWS_WITH(make_data(few, kStreams),
                    Catch::Contains("owner 0 has 4 records, too few for 5 features"));
}

TEST_CASE("owner sizes: a list, or a distribution drawn per owner and rounded to at least 1") {
  LendingLike o{.owners = 2, .records = OwnerSizes(OwnerSizes::Law(SizeList{{3, 5}}))};
  CHECK(make_data(o, kStreams).train[1].target.size() == 5);
  o.owners = 3;
  CHECK_THROWS_WITH(make_data(o, kStreams), Catch::Contains("expected a value for each owner, found 2"));
  const OwnerSizes law(OwnerSizes::Law(sim::Uniform{.min = 10, .max = 20}));
  bool differ = false;
  for (std::size_t i = 0; i < 50; ++i) {
    CHECK(law.size(i, kStreams) >= 10);
    CHECK(law.size(i, kStreams) <= 20);
    differ = differ || law.size(i, kStreams) != law.size(0, kStreams);
  }
  CHECK(differ);
  CHECK(OwnerSizes(OwnerSizes::Law(sim::Uniform{.min = 0, .max = 0.1})).size(0, kStreams) == 1);
  CHECK(OwnerSizes(1e5).size(0, kStreams) == 100000);
}
