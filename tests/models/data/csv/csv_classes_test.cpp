// Targets that are one of several classes.
#include <catch2/catch.hpp>

#include <numeric>

#include "models/data/csv/csv_data.hpp"
#include "models/learning/problem.hpp"
#include "tests/models/data/text_file.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

using Names = std::vector<std::string>;

CsvData with_classes(const TextFile& file, const ClassRule& rule) {
  CsvData o = csv_data(file);
  o.classes = rule;
  return o;
}

// The targets of the only owner.
std::vector<double> targets(const DataSet& d) {
  const Eigen::VectorXd& y = d.train.at(0).target;
  return {y.begin(), y.end()};
}

}  // namespace

TEST_CASE("csv classes: found ones are numbered by value, numbers before texts") {
  // As texts 10 would come before 9; 9.0 is the number 9.
  const TextFile numbers("x,y\n1,10\n2,9\n3,-1\n4,9.0\n");
  DataSet d = make_data(with_classes(numbers, ClassesFound{}), kStreams);
  CHECK(d.classes == Names{"-1", "9", "10"});
  CHECK(targets(d) == std::vector<double>{2, 1, 0, 1});

  const TextFile texts("x,y\n1,wolf\n2,cat\n3,7\n4,wolf\n");
  d = make_data(with_classes(texts, ClassesFound{}), kStreams);
  CHECK(d.classes == Names{"7", "cat", "wolf"});
  CHECK(targets(d) == std::vector<double>{2, 1, 0, 2});
}

TEST_CASE("csv classes: listed ones keep their order, also those without a record") {
  const TextFile file("x,y\n1,low\n2,high\n3,low\n");
  const DataSet d = make_data(with_classes(file, ClassesListed{{"low", "middle", "high"}}), kStreams);
  CHECK(d.classes == Names{"low", "middle", "high"});
  CHECK(targets(d) == std::vector<double>{0, 2, 0});
  const TextFile numbers("x,y\n1,3\n2,1.0\n");
  CHECK(targets(make_data(with_classes(numbers, ClassesListed{{"3", "1"}}), kStreams)) ==
        std::vector<double>{0, 1});
}

TEST_CASE("csv classes: other targets have none, and a missing target drops its row") {
  const TextFile file("x,y\n1,4\n2,5\n3,?\n");
  CsvData o = csv_data(file);
  o.impute = Impute::kDropRows;
  CHECK(make_data(o, kStreams).classes.empty());
  o.positive = PositiveAbove{4};
  CHECK(make_data(o, kStreams).classes.empty());
  o.positive.reset();
  o.classes = ClassesFound{};
  const DataSet d = make_data(o, kStreams);
  CHECK(d.classes == Names{"4", "5"});
  CHECK(targets(d) == std::vector<double>{0, 1});
}

TEST_CASE(
    "csv classes: targets that are numbers have as many as the whole file says, also of rows that are not used") {
  const TextFile file("x,y\n1,0\n2,1\n3,?\n4,2\n");
  CsvData o = csv_data(file);
  o.impute = Impute::kDropRows;
  o.records = 2;
  DataSet d = make_data(o, kStreams);
  REQUIRE(d.train[0].target == Eigen::Vector2d(0, 1));
  name_classes(d, {.loss = SoftmaxLoss{}});
  CHECK(d.classes == Names{"0", "1", "2"});
  CHECK(d.fitted_on_private_data == Names{"number of classes: the largest target"});
  o.target_transform = TargetTransform::kCentre;
  CHECK_FALSE(make_data(o, kStreams).largest_target);
}

TEST_CASE("csv classes: similarity from the data compares the fractions of the classes") {
  // Owners p and q have the same features and mean class number 1, by different classes; q and r are the same.
  const TextFile file("k,x,y\np,0,0\np,1,2\nq,0,1\nq,1,1\nr,0,1\nr,1,1\n");
  CsvData o = with_classes(file, ClassesFound{});
  o.owner = OwnerColumn{"k"};
  o.similarity = CsvSimilarity{.from = RecordMeans{}, .weights = NearestWeights{1}};
  const auto graph = make_data(o, kStreams).similarity.value();
  // q and r are nearest; p is equally far from both, and takes the first.
  CHECK(graph.edges.size() == 2);
  CHECK(std::ranges::count(graph.edges, sim::Edge{1, 2}) == 1);
}

TEST_CASE("csv classes: errors") {
  const auto failure = [](std::string_view text, std::optional<ClassRule> rule) {
    const TextFile file(text);
    CsvData o = csv_data(file);
    o.classes = std::move(rule);
    return data_failure(o);
  };
  CHECK(failure("x,y\n1,a\n2,b\n", std::nullopt) ==
        "data.csv:2: column 'y': expected a number, found 'a'; for two classes set positive to {\"equals\": "
        "\"...\"}, for several set classes to \"auto\"");
  CHECK(failure("x,y\n1,2.5\n2,inf\n", std::nullopt) ==
        "data.csv:3: column 'y': expected a number, found 'inf' among 1 numbers; add the entry to missing");
  CHECK(failure("x,y\n1,a\n2,c\n", ClassesListed{{"a", "b"}}) ==
        "data.csv:3: column 'y': expected one of the classes a, b, found 'c'");
  CHECK(failure("x,y\n1,a\n2,a\n", ClassesFound{}) ==
        "data.csv: column 'y': expected 2 to 1000 different classes, found 1");
  std::string many = "x,y\n";
  for (int k = 0; k <= 1000; ++k) many += "0," + std::to_string(k) + "\n";
  CHECK(failure(many, ClassesFound{}) ==
        "data.csv: column 'y': expected 2 to 1000 different classes, found 1001; list them in classes, or "
        "remove classes");
}

TEST_CASE("csv: stratified test records are the same fraction of each class") {
  // Of 10 records 4 are for testing: 4 (5, 3, 2)/10 = 2, 1.2, 0.8 of the classes, so 2, 1 and 1.
  const TextFile file("x,y\n0,a\n1,a\n2,a\n3,a\n4,a\n5,b\n6,b\n7,b\n8,c\n9,c\n");
  CsvData o = with_classes(file, ClassesFound{});
  o.test_fraction = 0.4;
  o.test_split = TestSplit::kStratified;
  constexpr std::uint64_t kDraws = 4000;
  std::vector<std::uint64_t> tested(10, 0);
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const DataSet d = make_data(o, sim::Streams(seed, 0));
    REQUIRE(d.test[0].target.size() == 4);
    CHECK(d.test[0].target == Eigen::Vector4d(0, 0, 1, 2));
    for (const double x : d.test[0].features.col(0)) ++tested[static_cast<std::size_t>(x)];
  }
  const std::vector<double> expected{.4, .4, .4, .4, .4, 1. / 3, 1. / 3, 1. / 3, .5, .5};
  for (std::size_t k = 0; k < 10; ++k) CHECK(test::binomial_plausible(tested[k], kDraws, expected[k]));

  // Equal remainders, 1.5 and 1.5: the first class has one more.
  const TextFile even("x,y\n0,1\n0,0\n0,1\n0,0\n0,1\n0,0\n");
  o = csv_data(even);
  o.positive = PositiveEquals{"1"};
  o.test_fraction = 0.5;
  o.test_split = TestSplit::kStratified;
  CHECK(make_data(o, kStreams).test[0].target.sum() == -1);
  o.test_fraction = 0.99;  // one record is left for training
  CHECK(make_data(o, kStreams).test[0].target.size() == 5);
}

TEST_CASE("csv: categories that are the same number are one") {
  const TextFile file("k,y\n2.0,0\n10,0\n2,0\nx,0\n10.0,0\n");
  CsvData o = csv_data(file);
  o.categorical = {"k"};
  o.encode = Encode::kOneHot;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.feature_names == Names{"k=2.0", "k=10", "k=x"});
  CHECK(d.train[0].features.col(0).sum() == 2);
  CHECK(d.train[0].features.col(1).sum() == 2);
}
