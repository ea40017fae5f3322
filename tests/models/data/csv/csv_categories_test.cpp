// Categories whose values are declared or found in private data.
#include <catch2/catch.hpp>

#include "models/data/csv/csv_data.hpp"
#include "tests/models/data/text_file.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

using Names = std::vector<std::string>;

CsvData with_categories(const TextFile& file, Categories categories, Encode encode = Encode::kOneHot) {
  CsvData o = test::csv_of_one_owner(file);
  o.categories = {std::move(categories)};
  o.encode = encode;
  return o;
}

// `n` different texts in a column k.
std::string distinct(std::size_t n) {
  std::string text = "k,y\n";
  for (std::size_t i = 0; i < n; ++i) text += "t" + std::to_string(i) + ",1\n";
  return text;
}

}  // namespace

TEST_CASE("csv categories: one record with a rare value adds no parameter where the values are declared") {
  const TextFile common("k,y\nred,1\nblue,-2\nred,3\n"), rare("k,y\nred,1\nblue,-2\nrare,3\n");
  const Categories declared{"k", {"red", "blue"}, Unlisted::kOther};
  const DataSet a = make_data(with_categories(common, declared), kStreams);
  const DataSet b = make_data(with_categories(rare, declared), kStreams);
  CHECK(a.feature_names == Names{"k=red", "k=blue", "k=other"});
  CHECK(a.feature_names == b.feature_names);
  CHECK(a.fitted_on_private_data.empty());
  CHECK(b.fitted_on_private_data.empty());
  CHECK(b.train[0].features == Eigen::Matrix3d::Identity());
  CHECK(a.train[0].features.topRows(2) == b.train[0].features.topRows(2));
  CHECK(a.train[0].features.row(2) == Eigen::RowVector3d(1, 0, 0));
  // Codes are places in the list, not in sorted order.
  const DataSet codes = make_data(with_categories(rare, declared, Encode::kOrdinal), kStreams);
  CHECK(codes.train[0].features == Eigen::Vector3d(0, 1, 2));
  CHECK(codes.fitted_on_private_data.empty());
  CHECK(codes.notes.empty());
}

TEST_CASE("csv categories: of many declared values each is found") {
  std::string text = "k,y\n";
  for (int round = 0; round < 20; ++round) text += "t0,1\nt39,1\nzz,1\n";
  Names values;
  for (int k = 0; k < 40; ++k) values.push_back("t" + std::to_string(k));
  const TextFile file(text);
  const DataSet d =
      make_data(with_categories(file, {"k", values, Unlisted::kOther}, Encode::kOrdinal), kStreams);
  for (Eigen::Index row = 0; row < 60; ++row)
    CHECK(d.train[0].features(row, 0) == (row % 3 == 0 ? 0 : row % 3 == 1 ? 39 : 40));
}

TEST_CASE("csv categories: values that are found in the data are listed as fitted, and noted") {
  const TextFile file("k,a,y\nred,1,1\nblue,2,-2\nred,1,3\n");
  CsvData o = test::csv_of_one_owner(file);
  for (const Encode encode : {Encode::kOrdinal, Encode::kOneHot}) {
    o.encode = encode;
    const DataSet d = make_data(o, kStreams);
    CHECK(d.fitted_on_private_data == Names{"values of 'k' (categories)"});
    REQUIRE(d.notes.size() == 1);
    CHECK_THAT(d.notes[0], Catch::StartsWith("column 'k' is text: its 2 values became "));
  }
  o.categorical = {"a", "k"};  // asked for: no note
  const DataSet d = make_data(o, kStreams);
  CHECK(d.fitted_on_private_data == Names{"values of 'k' (categories)", "values of 'a' (categories)"});
  CHECK(d.notes.empty());
  o.features = {"a"};  // k is not used
  o.categorical.clear();
  CHECK(make_data(o, kStreams).fitted_on_private_data.empty());
}

TEST_CASE("csv categories: codes of three values that are not declared are warned of") {
  const TextFile file("k,y\nred,1\nblue,-2\ngreen,3\n");
  CsvData o = test::csv_of_one_owner(file);
  const DataSet d = make_data(o, kStreams);
  REQUIRE(d.notes.size() == 1);
  CHECK_THAT(d.notes[0],
             Catch::StartsWith("warning: column 'k' is text: its 3 values became codes in sorted order"));
  o.encode = Encode::kOneHot;
  CHECK_THAT(make_data(o, kStreams).notes.at(0), Catch::StartsWith("column 'k' is text"));
  o.encode = Encode::kOrdinal;
  o.categorical = {"k"};
  CHECK(make_data(o, kStreams).notes.empty());
}

TEST_CASE("csv categories: classes that are found in the data are listed, declared ones are not") {
  const TextFile file("x,y\n1,a\n2,b\n");
  CsvData o = csv_data(file);
  o.classes = ClassesFound{};
  CHECK(make_data(o, kStreams).fitted_on_private_data == Names{"values of 'y' (classes)"});
  o.classes = ClassesListed{{"a", "b"}};
  CHECK(make_data(o, kStreams).fitted_on_private_data.empty());
  o.test_split = TestSplit::kStratified;
  o.test_fraction = 0.5;
  CHECK(make_data(o, kStreams).fitted_on_private_data ==
        Names{"choice of test or validation records by class (test_split)"});
}

TEST_CASE("csv categories: a value that is not declared is an error, unless it counts as other") {
  const TextFile file("k,y\n1,1\n2.0,2\n3,3\n");
  CHECK(data_failure(with_categories(file, {"k", {"1", "2"}})) ==
        "data.csv:4: column 'k': expected one of the 2 values of categories, found '3'; add it, or set "
        "unlisted to \"other\"");
  CHECK(data_failure(with_categories(file, {"k", {"1", "2", "3", "4"}})) == "accepted");
  // A listed value "other" is that category.
  const Categories with_other{"k", {"other", "1", "2"}, Unlisted::kOther};
  CHECK(make_data(with_categories(file, with_other, Encode::kOrdinal), kStreams).train[0].features ==
        Eigen::Vector3d(1, 2, 0));
  CHECK_THAT(data_failure(with_categories(file, {"m", {"1"}})), Catch::Contains("there is no column 'm'"));
}

TEST_CASE("csv categories: codes of more values than a scale has are refused, unless they are declared") {
  const TextFile scale(distinct(100)), names(distinct(101));
  CHECK(data_failure(csv_data(scale)) == "accepted");
  CHECK(data_failure(csv_data(names)) ==
        "data.csv: column 'k': expected at most 100 values to encode as 0, 1, ..., found 101: set encode to "
        "one_hot, add the column to drop, or list its values in categories");
  CsvData o = csv_data(names);
  o.encode = Encode::kOneHot;
  CHECK(data_failure(o) == "accepted");
  Categories declared{"k", {}};
  for (std::size_t i = 0; i < 101; ++i) declared.values.push_back("t" + std::to_string(i));
  CHECK(data_failure(with_categories(names, declared, Encode::kOrdinal)) == "accepted");
}

TEST_CASE("csv categories: a file of one owner is noted unless the owner is set") {
  const TextFile file("x,y\n1,2\n3,-4\n");
  CsvData o = csv_data(file);
  CHECK(make_data(o, kStreams).notes ==
        Names{"warning: all records belong to one owner, because data.owner is not set"});
  o.owner = OwnerBlocks{1};
  CHECK(make_data(o, kStreams).notes.empty());
  o.owner.reset();
  o.files = {file.input(), file.input()};
  o.path.reset();
  CHECK(make_data(o, kStreams).notes.empty());
}
