#include "models/data/csv/csv_data.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/models/data/text_file.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

Records matrix(std::initializer_list<std::initializer_list<double>> rows) {
  return Eigen::MatrixXd(rows);
}

}  // namespace

TEST_CASE("csv: all columns except the target are features, in file order") {
  const TextFile file("a,y,b\n1,2,3\n4.5,-5e1,+6\n");
  const DataSet d = make_data(test::csv_of_one_owner(file), kStreams);
  REQUIRE(d.owners() == 1);
  CHECK(d.train[0].features == matrix({{1, 3}, {4.5, 6}}));
  CHECK(d.train[0].target == Eigen::Vector2d(2, -50));
  CHECK(d.feature_names == std::vector<std::string>{"a", "b"});
  CHECK(d.test[0].features.rows() == 0);
  CHECK(d.test[0].features.cols() == 2);
  CHECK(d.notes.empty());
  CHECK(d.fitted_on_private_data.empty());
}

TEST_CASE("csv: the delimiter is the most frequent one in the first line, outside quotes") {
  for (const char* text : {"a;y\n1;2\n", "a\ty\n1\t2\n", "a|y\n1|2\n", "\"a,b,c\";y\n1;2\n"}) {
    const TextFile file(text);
    CHECK(make_data(csv_data(file), kStreams).train[0].features(0, 0) == 1);
  }
  const TextFile file("a,b;y\n1;2\n");
  CsvData o = csv_data(file);
  o.delimiter = ";";
  CHECK(make_data(o, kStreams).feature_names[0] == "a,b");
}

TEST_CASE(
    "csv: quoted fields keep delimiters, quotes and line breaks, byte-order mark, CRLF, blank lines are "
    "passed over") {
  const TextFile file("\xEF\xBB\xBF\"na,me\",y,k\r\n1,2,\"x \"\"1\"\"\"\r\n\r\n3,4,\"p\nq\"\r\n");
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"k"};
  const DataSet d = make_data(o, kStreams);
  CHECK(d.feature_names == std::vector<std::string>{"na,me"});
  CHECK(d.owner_names == std::vector<std::string>{"x \"1\"", "p\nq"});
  CHECK(d.train[1].features(0, 0) == 3);
}

TEST_CASE("csv: without a header columns are numbered or named by the options") {
  const TextFile file("1,2,3\n4,5,6\n");
  CHECK(make_data(csv_data(file, "2"), kStreams).feature_names == std::vector<std::string>{"1", "3"});
  CsvData o = csv_data(file);
  o.columns = {"a", "b", "y"};
  const DataSet d = make_data(o, kStreams);
  CHECK(d.feature_names == std::vector<std::string>{"a", "b"});
  CHECK(d.train[0].target == Eigen::Vector2d(3, 6));
  o = csv_data(file, "3");
  o.header = Header::kYes;  // the first row are names although they are numbers
  CHECK(make_data(o, kStreams).train[0].target.size() == 1);
}

TEST_CASE("csv: features selects columns in its order, drop excludes some") {
  const TextFile file("a,b,c,y\n1,2,3,4\n");
  CsvData o = csv_data(file);
  o.features = {"c", "a"};
  CHECK(make_data(o, kStreams).train[0].features == matrix({{3, 1}}));
  o.features.clear();
  o.drop = {"a", "b"};
  CHECK(make_data(o, kStreams).train[0].features == matrix({{3}}));
}

TEST_CASE("csv: text becomes codes in sorted order or a 0/1 column per value") {
  const TextFile file("k,a,y\nred,1,0\nblue,2,0\nred,3,0\ngreen,4,0\n");
  CsvData o = csv_data(file);
  CHECK(make_data(o, kStreams).train[0].features == matrix({{2, 1}, {0, 2}, {2, 3}, {1, 4}}));
  o.encode = Encode::kOneHot;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.feature_names == std::vector<std::string>{"k=blue", "k=green", "k=red", "a"});
  CHECK(d.train[0].features == matrix({{0, 0, 1, 1}, {1, 0, 0, 2}, {0, 0, 1, 3}, {0, 1, 0, 4}}));
  CHECK(d.full_categories == std::vector<std::string>{"k"});
  o.drop_first = true;
  const DataSet dropped = make_data(o, kStreams);
  CHECK(dropped.feature_names == std::vector<std::string>{"k=green", "k=red", "a"});
  CHECK(dropped.train[0].features == matrix({{0, 1, 1}, {0, 0, 2}, {0, 1, 3}, {1, 0, 4}}));
  CHECK(dropped.full_categories.empty());
  o.drop_first = false;
  o.categorical = {"a"};
  CHECK(make_data(o, kStreams).feature_names.back() == "a=4");
}

TEST_CASE("csv: classes are the targets above a number, or equal to a value") {
  const TextFile file("x,y,z\n1,0,good\n2,1,bad\n3,2.0,good\n");
  CsvData o = csv_data(file);
  o.features = {"x"};
  o.positive = PositiveAbove{0};
  CHECK(make_data(o, kStreams).train[0].target == Eigen::Vector3d(-1, 1, 1));
  o.positive = PositiveEquals{"2"};  // as numbers: 2.0 is 2
  CHECK(make_data(o, kStreams).train[0].target == Eigen::Vector3d(-1, -1, 1));
  o.target = "z";
  o.positive = PositiveEquals{"good"};
  CHECK(make_data(o, kStreams).train[0].target == Eigen::Vector3d(1, -1, 1));
}

TEST_CASE("csv: blocks are consecutive, the first ones take the remainder") {
  const TextFile file("x,y\n0,0\n1,0\n2,0\n3,0\n4,0\n5,0\n6,0\n7,0\n");
  CsvData o = csv_data(file);
  o.owner = OwnerBlocks{3};
  const DataSet d = make_data(o, kStreams);
  REQUIRE(d.owners() == 3);
  CHECK(d.train[0].features == matrix({{0}, {1}, {2}}));
  CHECK(d.train[1].features == matrix({{3}, {4}, {5}}));
  CHECK(d.train[2].features == matrix({{6}, {7}}));
}

TEST_CASE(
    "csv: owners by a column come in the order of first appearance, small ones are excluded and noted") {
  const TextFile file("k,x,y\nb,1,0\na,2,0\nb,3,0\nc,4,0\na,5,0\na,6,0\n");
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"k"};
  o.min_records = 2;
  DataSet d = make_data(o, kStreams);
  CHECK(d.owner_names == std::vector<std::string>{"b", "a"});
  CHECK(d.train[0].features == matrix({{1}, {3}}));
  CHECK(d.train[1].features == matrix({{2}, {5}, {6}}));
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes[0] == "left out 1 owners with fewer than 2 records (1 records)");
  o.records = 2;
  d = make_data(o, kStreams);
  CHECK(d.train[1].features == matrix({{2}, {5}}));
}

TEST_CASE("csv: each of several files is an owner") {
  const TextFile a("x,y\n1,2\n", "north.csv"), b("x,y\n3,4\n5,6\n", "south.csv");
  CsvData o;
  o.files = {a.input(), b.input()};
  o.target = "y";
  const DataSet d = make_data(o, kStreams);
  CHECK(d.owner_names == std::vector<std::string>{"north.csv", "south.csv"});
  CHECK(d.train[0].features == matrix({{1}}));
  CHECK(d.train[1].features == matrix({{3}, {5}}));
}

TEST_CASE("csv: missing values take the owner's median or mean, the pooled one if it has none") {
  const TextFile file("k,x,y\na,1,0\na,?,0\na,2,0\na,9,0\nb,NA,0\nb,,0\n");
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"k"};
  o.impute = Impute::kMedian;
  DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features == matrix({{1}, {2}, {2}, {9}}));
  CHECK(d.train[1].features == matrix({{2}, {2}}));
  CHECK(d.notes ==
        std::vector<std::string>{"imputed 3 values of 'x' by the owner's median, 2 of them by that "
                                 "of all owners, as the owner has none"});
  CHECK(d.fitted_on_private_data == std::vector<std::string>{"median of 'x' (imputation)"});
  o.impute = Impute::kMean;
  CHECK(make_data(o, kStreams).train[0].features == matrix({{1}, {4}, {2}, {9}}));
  o.impute = Impute::kDropRows;
  d = make_data(o, kStreams);
  CHECK(d.owners() == 1);  // b has no complete record
  CHECK(d.train[0].features == matrix({{1}, {2}, {9}}));
}

TEST_CASE("csv: missing text takes the most frequent value, an even median is the middle of two") {
  const TextFile file("k,x,y\nred,1,0\nblue,4,0\nred,?,0\n?,2,0\nblue,3,0\nred,0,0\n");
  CsvData o = csv_data(file);
  o.impute = Impute::kMedian;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features(3, 0) == 1);  // red
  CHECK(d.train[0].features(2, 1) == 2);  // of 0 1 2 3 4
  const TextFile even("x,y\n1,0\n4,0\n?,0\n9,0\n6,0\n");
  o = csv_data(even);
  o.impute = Impute::kMedian;
  CHECK(make_data(o, kStreams).train[0].features(2, 0) == 5);
}

TEST_CASE("csv: the test fraction is drawn per owner, disjoint from training, and keyed by owner") {
  std::string text = "k,x,y\n";
  for (int i = 0; i < 40; ++i) text += (i % 2 ? "a," : "b,") + std::to_string(i) + ",0\n";
  const TextFile file(text);
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"k"};
  o.test_fraction = 0.3;
  const DataSet d = make_data(o, kStreams);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(d.train[i].target.size() == 14);
    CHECK(d.test[i].target.size() == 6);
    CHECK(d.train[i].features.sum() + d.test[i].features.sum() ==
          (i == 0 ? 380 : 400));  // 0+2+..+38, 1+3+..+39
  }
  CHECK(make_data(o, kStreams).test[0].features == d.test[0].features);
  CHECK(make_data(o, sim::Streams(1, 1)).test[0].features !=
        d.test[0].features);  // equal with probability 1/38760
  const TextFile longer(text + "c,99,0\nc,98,0\n");
  CsvData more = o;
  more.path = longer.input();
  CHECK(make_data(more, kStreams).test[1].features == d.test[1].features);
}

TEST_CASE(
    "csv: validation records are neither for training nor for testing, and take the place of test records") {
  std::string text = "k,x,y\n";
  for (int i = 0; i < 40; ++i) text += (i % 2 ? "a," : "b,") + std::to_string(i) + ",0\n";
  const TextFile file(text);
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"k"};
  o.test_fraction = 0.3;
  const DataSet plain = make_data(o, kStreams), d = make_data(o, kStreams, 0.2),
                chosen = make_data(o, kStreams, 0.2, Instances::kValidation);
  for (std::size_t i = 0; i < 2; ++i) {
    // 6 of 20, and round(0.2 * 14) = 3 of the others.
    CHECK(d.test[i].features == plain.test[i].features);
    CHECK(d.train[i].target.size() == 11);
    CHECK(chosen.train[i].features == d.train[i].features);
    CHECK(chosen.test[i].target.size() == 3);
    CHECK(chosen.test[i].features.sum() + d.test[i].features.sum() + d.train[i].features.sum() ==
          (i == 0 ? 380 : 400));
  }
  // Whatever is fitted is fitted on what is left for training.
  o.standardise = true;
  const DataSet scaled = make_data(o, kStreams, 0.2);
  CHECK(scaled.train[0].features.sum() + scaled.train[1].features.sum() == Approx(0).margin(1e-12));
  const DataSet other = make_data(o, kStreams, 0.2, Instances::kValidation);
  CHECK(other.train[0].features == scaled.train[0].features);
  // Of two classes as many as of the rows: 2 of 10 and 2 of 10 for testing, and 2 + 2 of the other 8 + 8.
  std::string classes = "x,y\n";
  for (int i = 0; i < 20; ++i) classes += std::to_string(i) + (i % 2 ? ",yes\n" : ",no\n");
  const TextFile labelled(classes);
  CsvData c = csv_data(labelled);
  c.classes = ClassesFound{};
  c.test_split = TestSplit::kStratified;
  c.test_fraction = 0.2;
  const DataSet split = make_data(c, kStreams, 0.25, Instances::kValidation);
  CHECK(split.test[0].target.sum() == 2);
  CHECK(split.test[0].target.size() == 4);
  CHECK(split.train[0].target.sum() == 6);
  CHECK(split.train[0].target.size() == 12);
  // Which records they are depends on their classes.
  c.test_fraction = 0;
  const std::string by_class = "choice of test or validation records by class (test_split)";
  CHECK(std::ranges::count(make_data(c, kStreams, 0.25).fitted_on_private_data, by_class) == 1);
  CHECK(std::ranges::count(make_data(c, kStreams).fitted_on_private_data, by_class) == 0);
}

TEST_CASE("csv: an index that pandas wrote is warned of where it is a feature") {
  const TextFile file(",x,y\n0,5,1\n1,6,-2\n"), again("Unnamed: 0,x,y\n0,5,1\n1,6,-2\n");
  CsvData o = test::csv_of_one_owner(file);
  const DataSet d = make_data(o, kStreams);
  REQUIRE(d.notes.size() == 1);
  CHECK_THAT(d.notes[0], Catch::StartsWith("warning: data.csv: column 1, '', has no name") &&
                             Catch::Contains("index=False") && Catch::Contains("add \"\" to data.drop"));
  o.drop = {""};
  CHECK(make_data(o, kStreams).notes.empty());
  CHECK_THAT(make_data(test::csv_of_one_owner(again), kStreams).notes.at(0),
             Catch::Contains("column 1, 'Unnamed: 0'"));
}

TEST_CASE("csv: owners whose names differ in case or surrounding space only are warned of") {
  const TextFile file("c,x,y\nEast,5,1\nWest,6,-2\n\"east \",7,3\n");
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"c"};
  const DataSet d = make_data(o, kStreams);
  CHECK(d.owners() == 3);
  REQUIRE(d.notes.size() == 1);
  CHECK_THAT(d.notes[0], Catch::StartsWith("warning: the owners 'East' and 'east ' differ"));
}
