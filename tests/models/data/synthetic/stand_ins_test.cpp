#include <catch2/catch.hpp>

#include <cmath>
#include <set>

#include "models/data/synthetic/fraud_like.hpp"
#include "models/data/synthetic/lending_like.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using test::kStreams;

TEST_CASE("hospital_like: 86 owners of 10 000 to 80 000 records, with different sizes") {
  HospitalLike o;
  CHECK(o.owners == 86);
  std::set<std::size_t> sizes;
  double sum = 0;
  for (std::size_t i = 0; i < o.owners; ++i) {
    const std::size_t size = o.records.size(i, kStreams);
    CHECK((size >= 10000 && size <= 80000));
    sizes.insert(size);
    sum += static_cast<double>(size);
  }
  CHECK(sizes.size() > 80);
  // Hoeffding: the mean of 86 draws from an interval of 70 000 is within t of 45 000 except with probability 2 exp(-2 86
  // (t/70000)^2); 1e-9 at t = 24 430.
  CHECK(std::abs(sum / 86 - 45000) < 24430);
}

TEST_CASE("hospital_like: records are those of lending_like with the same options") {
  const DataSet hospitals = make_data(
      HospitalLike{.owners = 3, .records = 40, .features = 4, .heterogeneity = 0.2, .test_records = 2},
      kStreams);
  const DataSet owners = make_data(
      LendingLike{.owners = 3, .records = 40, .features = 4, .heterogeneity = 0.2, .test_records = 2},
      kStreams);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(hospitals.train[i].features == owners.train[i].features);
    CHECK(hospitals.train[i].target == owners.train[i].target);
    CHECK(hospitals.test[i].target == owners.test[i].target);
  }
  CHECK(hospitals.owner_names[2] == "hospital 3");
  CHECK(hospitals.bounds->target == owners.bounds->target);
}

TEST_CASE("fraud_like: adding owners or records does not change an owner's data") {
  FraudLike o{.owners = 2, .records = 900, .test_records = 600};
  const DataSet few = make_data(o, kStreams);
  o.owners = 3;
  o.records = 1500;
  const DataSet more = make_data(o, kStreams);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(more.train[i].features.topRows(900) == few.train[i].features);
    CHECK(more.train[i].target.head(900) == few.train[i].target);
    CHECK(more.test[i].features == few.test[i].features);
    CHECK(more.test[i].target == few.test[i].target);
  }
  CHECK(few.train[0].features != few.train[1].features);
  CHECK(few.train[0].features.topRows(5) != few.test[0].features.topRows(5));
  CHECK(make_data(o, sim::Streams(8, 0)).train[0].features != more.train[0].features);
}

TEST_CASE("fraud_like: of n records n positives are +1, to within one, evenly spread") {
  const FraudLike o{.owners = 5, .records = 30000, .test_records = 1000};
  const DataSet d = make_data(o, kStreams);
  std::set<Eigen::Index> first;
  for (std::size_t i = 0; i < 5; ++i) {
    const Eigen::VectorXd& y = d.train[i].target;
    CHECK(((y.array() == 1) || (y.array() == -1)).all());
    CHECK(std::abs(static_cast<double>((y.array() == 1).count()) - 60) <= 1);
    for (Eigen::Index k = 0; k + 1000 <= y.size(); k += 1000)
      CHECK(std::abs(static_cast<double>((y.segment(k, 1000).array() == 1).count()) - 2) <= 1);
    CHECK((d.test[i].target.array() == 1).any());
    Eigen::Index at = 0;
    y.maxCoeff(&at);
    first.insert(at);
  }
  CHECK(first.size() > 1);  // their positions differ between owners
}

TEST_CASE("fraud_like: the class means are `separation` apart, with deviation 1 along every axis") {
  const FraudLike o{.owners = 1, .records = 200000, .features = 4, .positives = 0.5, .separation = 3};
  const DataSet d = make_data(o, kStreams);
  const Shard& s = d.train[0];
  Eigen::VectorXd plus = Eigen::VectorXd::Zero(5), minus = plus, square = plus;
  for (Eigen::Index k = 0; k < s.target.size(); ++k) {
    (s.target[k] > 0 ? plus : minus) += s.features.row(k).transpose() / 1e5;
    if (s.target[k] < 0) square += s.features.row(k).transpose().cwiseAbs2() / 1e5;
  }
  // Each mean of 1e5 draws has deviation 1/sqrt(1e5) a coordinate, the mean square less: 7 deviations of a
  // difference fail once in 1e11.
  const double margin = 7 * std::sqrt(2 / 1e5);
  for (Eigen::Index j = 0; j < 4; ++j) {
    CHECK(std::abs(std::abs(plus[j] - minus[j]) - 1.5) < margin);
    CHECK(std::abs(minus[j]) < margin);
    CHECK(std::abs(square[j] - 1) < margin);
  }
  CHECK((s.features.col(4).array() == 1).all());
  CHECK(d.bias);
  CHECK(d.p() == 5);
  REQUIRE(d.bounds);
  CHECK(d.bounds->features_l1 == Approx(4 * std::sqrt(3.0) + 2 * 3 + 1));
  CHECK(s.features.rowwise().lpNorm<1>().maxCoeff() <= d.bounds->features_l1);
  CHECK(d.bounds->target == 1);
}

TEST_CASE("stand-ins: the declared bound of norm_2 is that of the corners of the support") {
  // sqrt(3 p) of uniform coordinates; a positive record is at most `separation` farther, and has a constant feature.
  const DataSet lending = make_data(LendingLike{.owners = 2, .records = 500, .features = 10}, kStreams);
  const DataSet hospitals = make_data(HospitalLike{.owners = 2, .records = 500, .features = 10}, kStreams);
  const DataSet fraud = make_data(
      FraudLike{.owners = 2, .records = 500, .features = 10, .positives = 0.5, .separation = 6}, kStreams);
  CHECK(lending.bounds->features_l2 == Approx(5.477225575));
  CHECK(hospitals.bounds->features_l2 == Approx(5.477225575));
  CHECK(fraud.bounds->features_l2 == Approx(11.520708));
  for (const DataSet* d : {&lending, &hospitals, &fraud}) {
    for (const Shard& s : d->train) CHECK(s.features.rowwise().norm().maxCoeff() <= d->bounds->features_l2);
  }
}
