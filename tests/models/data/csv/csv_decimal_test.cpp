// Decimal commas, and texts that look like numbers.
#include <catch2/catch.hpp>

#include "models/data/csv/csv_data.hpp"
#include "tests/models/data/text_file.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

using Names = std::vector<std::string>;

// The message with which the file is refused.
std::string failure(const std::string& text, Decimal decimal = Decimal::kPoint, Names categorical = {}) {
  const TextFile file(text);
  CsvData o = csv_data(file);
  o.decimal = decimal;
  o.categorical = std::move(categorical);
  return data_failure(o);
}

}  // namespace

TEST_CASE("csv decimal: a comma") {
  const TextFile file("a;y;o\n1,5;3;p\n10,5;-4,25e1;q\n");
  CsvData o = csv_data(file);
  o.owner = OwnerColumn{"o"};
  o.decimal = Decimal::kComma;
  const DataSet d = make_data(o, kStreams);
  CHECK(d.train[0].features(0, 0) == 1.5);
  CHECK(d.train[1].features(0, 0) == 10.5);
  CHECK(d.train[1].target[0] == -42.5);
  CHECK(d.fitted_on_private_data.empty());
  // Without a header the first line is a record. The comma is quoted where it also separates.
  const TextFile bare("\"1,5\",\"2,5\"\n3,\"4,5\"\n");
  CsvData headless = csv_data(bare, "2");
  headless.decimal = Decimal::kComma;
  const DataSet quoted = make_data(headless, kStreams);
  CHECK(quoted.train[0].features == Eigen::Vector2d(1.5, 3));
  CHECK(quoted.train[0].target == Eigen::Vector2d(2.5, 4.5));
  // A name in the header may have what separates elsewhere.
  const TextFile odd("o,x,price|kg,y\n1,\"0,1\",\"1,1\",\"0,3\"\n");
  CsvData names = csv_data(odd);
  names.decimal = Decimal::kComma;
  CHECK(make_data(names, kStreams).train[0].features == Eigen::RowVector3d(1, 0.1, 1.1));
  // Where something else separates it does not, however many there are.
  const TextFile many("1,5;2,5;3,5\n4,5;5,5;6,5\n");
  headless.path = many.input();
  const DataSet records = make_data(headless, kStreams);
  CHECK(records.train[0].features == Eigen::Matrix2d{{1.5, 3.5}, {4.5, 6.5}});
}

TEST_CASE("csv decimal: classes, positive targets and columns of owners are numbers too") {
  const TextFile file("x;y\n1;0,5\n2;0,50\n3;2\n");
  CsvData o = csv_data(file);
  o.decimal = Decimal::kComma;
  o.classes = ClassesListed{{"2", "0,5"}};
  CHECK(make_data(o, kStreams).train[0].target == Eigen::Vector3d(1, 1, 0));
  o.classes.reset();
  o.positive = PositiveAbove{1};
  CHECK(make_data(o, kStreams).train[0].target == Eigen::Vector3d(-1, -1, 1));
  const TextFile weights("x;y;w\n1;2;1,5\n2;3;1,50\n");
  o = csv_data(weights);
  o.decimal = Decimal::kComma;
  CHECK(make_data(o, kStreams).owner_columns.at("w") == std::vector<double>{1.5});
}

TEST_CASE("csv decimal: a text that looks like a number is no category") {
  CHECK(failure("a;y\n1,5;3\n10,5;4\n") ==
        "data.csv:2: column 'a': expected a number, found '1,5'; for numbers with a decimal comma set "
        "decimal to \",\", or add the column to categorical");
  CHECK(failure("a;y\n1;3\n10,5;4\n") ==
        "data.csv:3: column 'a': expected a number, found '10,5' among 1 numbers; for numbers with a "
        "decimal comma set decimal to \",\", or add the column to categorical, or the entry to missing");
  CHECK(failure("a;y\n1.5;3\n2;4\n", Decimal::kComma) ==
        "data.csv:2: column 'a': expected a number, found '1.5' among 1 numbers; for numbers with a decimal "
        "point set decimal to \".\", or add the column to categorical, or the entry to missing");
  CHECK(failure("a;y\n1;3\n2;4,5\n") ==
        "data.csv:3: column 'y': expected a number, found '4,5' among 1 numbers; for numbers with a decimal "
        "comma set decimal to \",\", or add the entry to missing");
  for (const char* thousands : {"1 234", "1'234.5", "1.234,5", "1,234,567", "-12,345.6"}) {
    CHECK_THAT(failure(std::string("a;y\nred;3\n") + thousands + ";4\n"),
               Catch::Contains("remove separators of thousands"));
  }
  CHECK(failure("a;y\n1,5;3\n10,5;4\n", Decimal::kPoint, {"a"}) == "accepted");
  // Dates, versions and lists are texts.
  for (const char* text : {"12.03.2024", "1.2.3", "1,2,3", "2024-01-05", "1 2", "12,5 kg", ",", "-"})
    CHECK(failure(std::string("a;y\nred;3\n") + text + ";4\n") == "accepted");
}
