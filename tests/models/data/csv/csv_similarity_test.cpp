#include "models/data/csv/csv_data.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/models/data/text_file.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

CsvData people(const TextFile& file, CsvSimilarity similarity) {
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"who"};
  o.drop = {"age", "home"};
  o.similarity = std::move(similarity);
  return o;
}

constexpr const char* kPeople =
    "who,age,home,x,y\n"
    "ann,20,north,1,0\n"
    "bob,40,south,5,0\n"
    "cid,60,north,9,0\n"
    "bob,40,south,5,0\n"
    "ann,20,north,1,0\n";

std::vector<double> weights(const CsvData& options) {
  return make_data(options, sim::Streams(1, 0)).similarity->weights;
}

}  // namespace

TEST_CASE("csv similarity: a profile is scaled over the owners, each counted once") {
  // Ages of variance 800/3: squared distances 400/(800/3) = 1.5, 6, 1.5, in the order ab, ac, bc.
  const TextFile file(kPeople);
  CsvSimilarity how{.from = ProfileColumns{{"age"}},
                    .weights = GaussianWeights{.weight_threshold = MinWeight{0}}};
  const auto w = weights(people(file, how));
  REQUIRE(w.size() == 3);
  CHECK(w[0] == Approx(std::exp(-0.75)));
  CHECK(w[1] == Approx(std::exp(-3)));
  CHECK(w[2] == Approx(std::exp(-0.75)));
  std::get<GaussianWeights>(how.weights).bandwidth = 2;
  CHECK(weights(people(file, how))[1] == Approx(std::exp(-0.75)));
  std::get<GaussianWeights>(how.weights).weight_threshold = MinWeight{0.5};  // exp(-6/8) = 0.47
  CHECK(weights(people(file, how)).size() == 2);
}

TEST_CASE("csv similarity: a text column counts as a number for each of its values") {
  // home: north 1 0 1 and south 0 1 0, each of variance 2/9: 4.5 where homes differ. With age:
  // d^2 = (1.5 + 4.5 + 4.5)/3, 6/3, and again the first.
  const TextFile file(kPeople);
  const CsvSimilarity how{.from = ProfileColumns{{"age", "home"}},
                          .weights = GaussianWeights{.weight_threshold = MinWeight{0}}};
  const auto w = weights(people(file, how));
  REQUIRE(w.size() == 3);
  CHECK(w[0] == Approx(std::exp(-10.5 / 3 / 2)));
  CHECK(w[1] == Approx(std::exp(-1)));
  CHECK(w[2] == Approx(std::exp(-10.5 / 3 / 2)));
}

TEST_CASE("csv similarity: values that only an owner left out has do not count") {
  // Sizes 1, 2, 4, 8 of variance 115/16: squared distances 16/115, 144/115, 784/115 of owner a. kind u 1 0 1 0 of variance
  // 1/4, t and v of variance 3/16: where kinds u and t or u and v differ 4 + 16/3, and 0 for the same. k = 4.
  const TextFile file(
      "who,size,kind,x,y\na,1,u,1,0\na,1,u,2,0\nb,2,t,1,0\nb,2,t,2,0\nc,4,u,1,0\nc,4,u,2,0\n"
      "d,8,v,1,0\nd,8,v,2,0\nz,9,w,1,0\n");
  CsvData o = people(file, {.from = ProfileColumns{{"size", "kind"}},
                            .weights = GaussianWeights{.weight_threshold = MinWeight{0}}});
  o.drop = {"size", "kind"};
  o.min_records = 2;
  const auto w = weights(o);
  REQUIRE(w.size() == 6);
  CHECK(w[0] == Approx(0.30603434));
  CHECK(w[1] == Approx(0.85511293));
  CHECK(w[2] == Approx(0.13280936));
}

TEST_CASE("csv similarity: from the data, means of training features and target, listed as unaccounted") {
  // x has means 1, 5, 9, of variance 32/3; y is constant and adds 0: squared distances 0.75, 3, 0.75.
  const TextFile file(kPeople);
  const CsvSimilarity how{.from = RecordMeans{},
                          .weights = GaussianWeights{.weight_threshold = MinWeight{0}}};
  CsvData o = people(file, how);
  const auto w = weights(o);
  REQUIRE(w.size() == 3);
  CHECK(w[0] == Approx(std::exp(-0.375)));
  CHECK(w[1] == Approx(std::exp(-1.5)));
  DataSet d = make_data(o, sim::Streams(1, 0));
  CHECK_THAT(d.similarity_from, Catch::StartsWith("means of every owner's features"));
  CHECK(d.fitted_on_private_data.empty());
  // The constant feature adds nothing.
  o.bias = true;
  CHECK(weights(o) == w);
  o = people(file, {.from = ProfileColumns{{"age"}}});
  d = make_data(o, sim::Streams(1, 0));
  CHECK(d.similarity_from.empty());
  REQUIRE(d.notes.size() == 1);
  CHECK_THAT(d.notes[0], Catch::Contains("profiles (age)"));
}

TEST_CASE("csv similarity: test records are not used") {
  std::string text = "who,x,y\n";
  for (int k = 0; k < 10; ++k) text += "ann," + std::to_string(k * k) + ",1\n";
  for (int k = 0; k < 10; ++k) text += "bob," + std::to_string(3 + k) + ",2\ncid,7,3\n";
  const TextFile file(text);
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"who"};
  o.test_fraction = 0.4;
  o.similarity = CsvSimilarity{.weights = GaussianWeights{.weight_threshold = MinWeight{0}}};
  const DataSet d = make_data(o, sim::Streams(1, 0));
  Eigen::Vector3d x, y(1, 2, 3);
  for (std::size_t i = 0; i < 3; ++i) x[static_cast<Eigen::Index>(i)] = d.train[i].features.mean();
  const auto scaled = [](Eigen::Vector3d v) -> Eigen::Vector3d {
    v.array() -= v.mean();
    return v / std::sqrt(v.squaredNorm() / 3);
  };
  const Eigen::Vector3d zx = scaled(x), zy = scaled(y);
  const double square = (std::pow(zx[0] - zx[1], 2) + std::pow(zy[0] - zy[1], 2)) / 2;
  CHECK(d.similarity->weights[0] == Approx(std::exp(-square / 2)));
}

TEST_CASE("csv similarity: nearest neighbours by profile") {
  const TextFile file(kPeople);
  const auto d = make_data(people(file, {.from = ProfileColumns{{"age"}}, .weights = NearestWeights{1}}),
                           sim::Streams(1, 0));
  // bob is as near to ann as to cid; cid's nearest is bob.
  REQUIRE(d.similarity->edges.size() == 2);
  CHECK(d.similarity->edges[0].a == 0);
  CHECK(d.similarity->edges[0].b == 1);
  CHECK(d.similarity->edges[1].a == 1);
  CHECK(d.similarity->edges[1].b == 2);
  CHECK(d.similarity->weights == std::vector<double>{1, 1});
}

TEST_CASE("csv similarity: columns that are not profiles") {
  const auto failure = [](const std::string& text, const std::string& column) {
    const TextFile file(text);
    return data_failure(people(file, {.from = ProfileColumns{{column}}}));
  };
  CHECK(failure(kPeople, "ages") == "data.csv: there is no column 'ages'; the nearest is 'age'");
  CHECK(failure("who,age,home,x,y\nann,20,a,1,0\nann,21,a,1,0\n", "age") ==
        "data.csv:3: column 'age': expected the same profile in all rows of owner 'ann', found others");
  CHECK(failure("who,age,home,x,y\nann,20,a,1,0\nbob,?,a,1,0\n", "age") ==
        "data.csv:3: column 'age': expected a profile without missing values");
}
