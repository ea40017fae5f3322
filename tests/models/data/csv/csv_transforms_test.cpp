#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>

#include "models/data/csv/csv_data.hpp"
#include "tests/models/data/text_file.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

TEST_CASE("csv: standardised features have mean 0 and variance 1, constant ones are 0") {
  const TextFile file("a,b,y\n1,7,0\n3,7,0\n");
  CsvData o = test::csv_of_one_owner(file);
  o.standardise = true;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features.isApprox(Eigen::MatrixXd{{-1, 0}, {1, 0}}, 1e-15));
  CHECK(d.fitted_on_private_data.size() == 1);
  CHECK(d.notes.size() == 1);
}

TEST_CASE("csv: what is constant depends on neither the number of records nor the unit") {
  // The rounding of a sum of 60 000 times 36.6 is more than 1e-12 of it.
  std::string text = "temp,z,y\n";
  for (int k = 0; k < 60'000; ++k) text += k % 2 == 0 ? "36.6,1,0\n" : "36.6,-1,1\n";
  const TextFile many(text), small("a,y\n1e-12,1e-12\n3e-12,3e-12\n");
  CsvData o = test::csv_of_one_owner(many);
  o.standardise = true;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features.col(0).isZero(0));
  CHECK(d.train[0].features.col(1).squaredNorm() == 60'000);
  REQUIRE(d.notes.size() >= 1);
  CHECK(d.notes[0] == "feature 'temp' is constant: 0 after standardising");
  o = test::csv_of_one_owner(small);
  o.standardise = true;
  o.target_transform = TargetTransform::kStandardise;
  const DataSet tiny = make_data(o, kStreams);
  CHECK(tiny.train[0].features.isApprox(Eigen::MatrixXd{{-1}, {1}}, 1e-12));
  CHECK(tiny.train[0].target.isApprox(Eigen::Vector2d(-1, 1), 1e-12));
  CHECK(tiny.notes.empty());
}

TEST_CASE("csv: test records are standardised by training statistics") {
  std::string text = "x,y\n";
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + "," + std::to_string(i) + "\n";
  const TextFile file(text);
  CsvData o = csv_data(file);
  o.test_fraction = 0.4;
  o.standardise = true;
  o.target_transform = TargetTransform::kStandardise;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features.sum() == Approx(0).margin(1e-12));
  CHECK(d.train[0].features.squaredNorm() == Approx(6));
  CHECK(d.train[0].target.squaredNorm() == Approx(6));
  // x and y are the same column: both sets must have had the same transformation.
  CHECK((d.test[0].features.col(0) - d.test[0].target).norm() < 1e-12);
}

TEST_CASE("csv: standardised by owner, every owner has mean 0 and variance 1") {
  const TextFile file("k,a,b,y\np,1,5,0\np,3,5,0\nq,10,1,0\nq,14,2,0\n");
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"k"};
  o.standardise = true;
  o.standardise_by = StandardiseBy::kOwner;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features == Eigen::MatrixXd{{-1, 0}, {1, 0}});
  CHECK(d.train[1].features == Eigen::MatrixXd{{-1, -1}, {1, 1}});
  CHECK(d.notes == std::vector<std::string>{"feature 'b' is constant at 1 owners: 0 after standardising"});
  CHECK(d.fitted_on_private_data ==
        std::vector<std::string>{"mean and variance of every feature at each owner (standardise)"});
}

TEST_CASE("csv: test records are standardised by their owner's training statistics") {
  std::string text = "k,x,y\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("{},{},{}\n", i % 2, i * i, i);
  const TextFile file(text);
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"k"};
  o.test_fraction = 0.3;
  const DataSet raw = make_data(o, kStreams);
  o.standardise = true;
  o.standardise_by = StandardiseBy::kOwner;
  const DataSet d = make_data(o, kStreams);
  for (std::size_t i = 0; i < 2; ++i) {
    const double mean = raw.train[i].features.mean();
    const double deviation = std::sqrt((raw.train[i].features.array() - mean).square().mean());
    REQUIRE(d.test[i].features.rows() == 3);
    CHECK(d.test[i].features.isApprox(((raw.test[i].features.array() - mean) / deviation).matrix(), 1e-12));
    CHECK(d.train[i].features.squaredNorm() == Approx(7));
  }
}

TEST_CASE("csv: principal components of points on a line are the line") {
  // (a, b) = t (3, 4)/5 + (10, 20), t = -2, 0, 2: the first component is t, the second 0; its larger entry,
  // 4/5, positive.
  const TextFile file("a,b,y\n8.8,18.4,0\n10,20,0\n11.2,21.6,0\n");
  CsvData o = csv_data(file);
  o.pca = PcaOptions{.components = 2};
  DataSet d = make_data(o, kStreams);
  CHECK((d.train[0].features - Eigen::MatrixXd{{-2, 0}, {0, 0}, {2, 0}}).norm() < 1e-12);
  o.pca = PcaOptions{.components = 1, .whiten = true};
  d = make_data(o, kStreams);
  CHECK(d.train[0].features.squaredNorm() == Approx(3));
  CHECK(d.feature_names == std::vector<std::string>{"pc1"});
  o.pca = PcaOptions{.components = 1, .fit_on_last = 2};  // centre (10.6, 20.8): t = 1
  CHECK(make_data(o, kStreams).train[0].features(0, 0) == Approx(-3));
  o.pca = PcaOptions{.components = 2, .whiten = true};
  CHECK_THROWS_WITH(make_data(o, kStreams), Catch::Contains("component 2 has no variance"));
  o.pca = PcaOptions{.components = 3};
  CHECK_THROWS_WITH(make_data(o, kStreams), Catch::Contains("at most the 2 features, found 3"));
}

TEST_CASE("csv: unit ball divides by the largest norm") {
  const TextFile file("a,b,y\n3,4,0\n0,1,0\n");
  CsvData o = csv_data(file);
  o.unit_ball = true;
  CHECK(make_data(o, kStreams).train[0].features.isApprox(Eigen::MatrixXd{{0.6, 0.8}, {0, 0.2}}, 1e-15));
}

TEST_CASE("csv: the target can be centred or standardised") {
  const TextFile file("a,y\n0,1\n0,5\n");
  CsvData o = csv_data(file);
  o.target_transform = TargetTransform::kCentre;
  CHECK(make_data(o, kStreams).train[0].target == Eigen::Vector2d(-2, 2));
  o.target_transform = TargetTransform::kStandardise;
  CHECK(make_data(o, kStreams).train[0].target.isApprox(Eigen::Vector2d(-1, 1), 1e-15));
}

TEST_CASE("csv: declared bounds scale features and clamp targets, or refuse records") {
  const TextFile file("a,b,y\n1,3,9\n0.5,-0.5,-1\n");
  CsvData o = test::csv_of_one_owner(file);
  o.bounds = BoundsOptions{.features = 2, .target = 3};
  DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features.isApprox(Eigen::MatrixXd{{0.5, 1.5}, {0.5, -0.5}}, 1e-15));
  CHECK(d.train[0].target == Eigen::Vector2d(3, -1));
  REQUIRE(d.bounds);
  CHECK(d.bounds->features_l1 == 2);
  CHECK(d.bounds->target == 3);
  CHECK(d.notes.size() == 2);
  o.bounds->enforce = Enforce::kCheck;
  CHECK_THROWS_WITH(
      make_data(o, kStreams),
      Catch::Contains("data.csv:2: expected features of L1 norm at most 2") && Catch::Contains("found 4"));
  o.bounds->features = 4;
  CHECK_THROWS_WITH(
      make_data(o, kStreams),
      Catch::Contains("data.csv:2: expected a target of magnitude at most 3") && Catch::Contains("found 9"));
  o.bounds->target = 9;
  CHECK(make_data(o, kStreams).train[0].target[0] == 9);
}

TEST_CASE("csv: the constant feature comes last and counts in the declared norm") {
  const TextFile file("a,y\n4,0\n");
  CsvData o = csv_data(file);
  o.bias = true;
  o.bounds = BoundsOptions{.features = 2, .target = {}};
  const DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features == Records(Eigen::MatrixXd{{2, 1}}));
  CHECK(d.bias);
  CHECK(d.bounds->features_l1 == 3);
  CHECK(std::isinf(d.bounds->target));
}

TEST_CASE("csv: a target whose mean exceeds its standard deviation is warned of without a constant feature") {
  // Mean 3, variance 8/3. The 0/1 columns of k sum to 1: a combination of the features is constant.
  const TextFile file("x,k,y\n-1,a,1\n0,b,3\n1,a,5\n");
  CsvData o = test::csv_of_one_owner(file);
  o.features = {"x"};
  const std::string warning =
      "warning: the target has mean 3 and standard deviation 1.633, and no feature is constant: set "
      "data.bias to "
      "true, or data.target_transform to centre";
  CHECK(make_data(o, kStreams).notes == std::vector<std::string>{warning});
  const auto silent = [&](auto&& change) {
    CsvData changed = o;
    change(changed);
    return make_data(changed, kStreams).notes.empty();
  };
  CHECK(silent([](CsvData& c) { c.bias = true; }));
  CHECK(silent([](CsvData& c) { c.target_transform = TargetTransform::kCentre; }));
  CHECK(silent([](CsvData& c) { c.positive = PositiveAbove{1}; }));
  const auto one_hot = [](CsvData& c) {
    c.features = c.categorical = {"k"};
    c.encode = Encode::kOneHot;
  };
  CHECK(silent(one_hot));
  CHECK_FALSE(silent([&](CsvData& c) {
    one_hot(c);
    c.drop_first = true;
  }));
  // Mean 1, standard deviation 2.16; classes -1 and +1, most of one.
  const TextFile near("x,y\n-1,-2\n0,2\n1,3\n");
  CHECK(make_data(test::csv_of_one_owner(near), kStreams).notes.empty());
  const TextFile classes("x,y\n-1,-1\n0,1\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n");
  CHECK(make_data(test::csv_of_one_owner(classes), kStreams).notes.empty());
}
