#include <catch2/catch.hpp>

#include "models/data/csv/csv_data.hpp"
#include "tests/models/data/text_file.hpp"

using namespace hearsay;
using namespace hearsay::models;
using namespace hearsay::test;

namespace {

// The message with which loading `text` fails; it must be one line.
template <class Change>
std::string csv_failure(std::string_view text, Change&& change) {
  const TextFile file(text);
  CsvData o = csv_data(file);
  change(o);
  const std::string message = data_failure(o);
  CHECK(message.find('\n') == std::string::npos);
  return message;
}
std::string csv_failure(std::string_view text) {
  return csv_failure(text, [](CsvData&) {});
}

}  // namespace

TEST_CASE("csv errors: files without records") {
  CHECK(csv_failure("") == "data.csv: expected rows, found an empty file");
  CHECK(csv_failure("\n\n") == "data.csv: expected rows, found an empty file");
  CHECK(csv_failure("x,y\n") == "data.csv: expected rows, found only a header");
}

TEST_CASE("csv errors: paths other than regular files") {
  CHECK(csv_failure("", [](CsvData& o) {
          o.path = sim::InputFile{"dir", "/tmp"};
        }) == "dir: not a regular file");
  CHECK(csv_failure("", [](CsvData& o) {
          o.path = sim::InputFile{"gone", "/no/such"};
        }) == "gone: not a regular file");
  CHECK(csv_failure("", [](CsvData& o) { o.path.reset(); }) ==
        "csv: expected a file in path or files, found none");
}

TEST_CASE("csv errors: a ragged row is reported with its line, counting line breaks in quotes") {
  CHECK(csv_failure("x,y\n1,2\n3\n") == "data.csv:3: expected 2 fields, found 1");
  CHECK(csv_failure("x,y\r\n1,2\r\n\r\n3,4,5\r\n") == "data.csv:4: expected 2 fields, found 3");
  CHECK(csv_failure("x,k,y\n1,\"a\nb\",2\n3,4\n") == "data.csv:4: expected 3 fields, found 2");
  CHECK(csv_failure("1,2\n1,2\n", [](CsvData& o) { o.columns = {"y"}; }) ==
        "data.csv:1: expected 1 fields, as many as /columns names, found 2");
}

TEST_CASE("csv errors: quotes that are not closed or inside a field") {
  CHECK_THAT(csv_failure("x,y\n1,2\n\"3,4\n"), Catch::Contains("quote that is not closed"));
  CHECK_THAT(csv_failure("x,y\n1,2\n3\"4,5\n"),
             Catch::StartsWith("data.csv:3: ") && Catch::Contains("quote"));
}

TEST_CASE("csv errors: an unknown column is refused with the nearest name") {
  CHECK(csv_failure("int_rate,term\n1,2\n", [](CsvData& o) { o.target = "intrate"; }) ==
        "data.csv: there is no column 'intrate'; the nearest is 'int_rate'");
  CHECK_THAT(csv_failure("x,y\n1,2\n", [](CsvData& o) { o.drop = {"z"}; }),
             Catch::Contains("there is no column 'z'"));
  CHECK_THAT(csv_failure("x,y\n1,2\n", [](CsvData& o) { o.owner = OwnerColumn{"z"}; }),
             Catch::Contains("there is no column 'z'"));
  CHECK_THAT(csv_failure("x,y\n1,2\n", [](CsvData& o) { o.drop = {"x"}; }),
             Catch::Contains("every column is excluded"));
  CHECK_THAT(csv_failure("x,x,y\n1,2,3\n"), Catch::Contains("two columns have the same name"));
}

TEST_CASE("csv errors: an unknown column is an error of the option that names it") {
  const auto option = [](auto&& change) {
    const TextFile file("h,x,y\n1,2,3\n2,3,4\n");
    CsvData o = csv_data(file);
    change(o);
    const std::string error = error_at<DataError>([&] { make_data(o, kStreams); });
    return error.substr(0, error.find(": "));
  };
  CHECK(option([](CsvData& o) { o.target = "z"; }) == "target");
  CHECK(option([](CsvData& o) { o.owner = OwnerColumn{"z"}; }) == "owner/column");
  CHECK(option([](CsvData& o) { o.drop = {"x", "z"}; }) == "drop/1");
  CHECK(option([](CsvData& o) { o.features = {"z"}; }) == "features/0");
  CHECK(option([](CsvData& o) { o.features = {"x", "y"}; }) == "features/1");
  CHECK(option([](CsvData& o) { o.categorical = {"z"}; }) == "categorical/0");
  CHECK(option([](CsvData& o) { o.numeric = {"x", "z"}; }) == "numeric/1");
}

TEST_CASE("csv errors: the target, the owner and a column in drop are no features") {
  const auto with = [](std::vector<std::string> features) {
    return csv_failure("h,x,y\n1,2,3\n2,3,4\n", [&](CsvData& o) {
      o.features = std::move(features);
      o.owner = OwnerColumn{"h"};
    });
  };
  CHECK(with({"x"}) == "accepted");
  CHECK(with({"x", "y"}) == "data.csv: column 'y' is the target; remove it from features");
  CHECK(with({"h", "x"}) == "data.csv: column 'h' names the owner; remove it from features");
  CHECK(with({"x", "x"}) == "data.csv: column 'x' is listed twice; remove it from features");
  CHECK(csv_failure("a,x,y\n1,2,3\n", [](CsvData& o) {
          o.features = {"x", "a"};
          o.drop = {"a"};
        }) == "data.csv: column 'a' is in drop; remove it from features");
}

TEST_CASE("csv errors: drop_first leaves no feature of a category with one value") {
  CHECK_THAT(csv_failure("k,y\nred,1\nred,2\n",
                         [](CsvData& o) {
                           o.encode = Encode::kOneHot;
                           o.drop_first = true;
                         }),
             Catch::Contains("expected a category of two values"));
}

TEST_CASE("csv errors: text among numbers") {
  CHECK(csv_failure("age,y\n50,1\n> 89,2\n61,2\n") ==
        "data.csv:3: column 'age': expected a number, found '> 89' among 2 numbers; add the column to "
        "categorical, or the entry to missing");
  CHECK(csv_failure("k,y\nred,1\n", [](CsvData& o) { o.numeric = {"k"}; }) ==
        "data.csv:2: column 'k': expected a number, found 'red'");
  CHECK_THAT(csv_failure("x,y\n1,good\n"),
             Catch::StartsWith("data.csv:2: column 'y': expected a number, found 'good'"));
  CHECK_THAT(csv_failure("x,y\n1,inf\n"), Catch::Contains("found 'inf'"));
  CHECK_THAT(csv_failure("x,y\n1,1e999\n"), Catch::Contains("found '1e999'"));
}

TEST_CASE("csv errors: a missing value is refused with the options that allow it") {
  CHECK(csv_failure("x,y\n1,1\n?,2\n") ==
        "data.csv:3: column 'x': expected a value, found none; set impute to median, mean or drop_rows, "
        "or drop the column");
  CHECK_THAT(csv_failure("x,y\n1,\n"),
             Catch::StartsWith("data.csv:2: column 'y': expected a value, found none"));
  CHECK_THAT(csv_failure("x,z,y\n1,?,2\n"),
             Catch::Contains("column 'z': expected a value, found only missing ones"));
  CHECK_THAT(csv_failure("x,y\n1,?\n", [](CsvData& o) { o.impute = Impute::kMedian; }),
             Catch::Contains("expected a complete record, found none"));
  CHECK_THAT(csv_failure("k,x,y\n?,1,2\n",
                         [](CsvData& o) {
                           o.owner = OwnerColumn{"k"};
                           o.categorical = {"k"};
                         }),
             Catch::Contains("data.csv:2: column 'k': expected an owner, found none"));
}

TEST_CASE("csv errors: one class, too many owners, no owner") {
  CHECK(csv_failure("x,y\n1,0\n2,0\n", [](CsvData& o) { o.positive = PositiveAbove{0}; }) ==
        "data.csv: column 'y': expected two classes, found only the negative one");
  CHECK(csv_failure("x,y\n1,0\n2,0\n", [](CsvData& o) { o.owner = OwnerBlocks{3}; }) ==
        "data.csv: expected at most as many owners as records (2), found 3 blocks");
  CHECK(csv_failure("x,y\n1,0\n2,0\n", [](CsvData& o) { o.min_records = 3; }) ==
        "data.csv: expected an owner with at least 3 records (min_records), found none");
}

TEST_CASE("csv errors: files of different columns") {
  const TextFile a("x,y\n1,2\n", "a.csv"), b("y,x\n1,2\n", "b.csv");
  CsvData o;
  o.files = {a.input(), b.input()};
  o.target = "y";
  CHECK_THROWS_WITH(make_data(o, sim::Streams(1, 0)),
                    "b.csv:1: expected the columns of a.csv (x, y), found other ones (y, x)");
}

TEST_CASE("csv errors: a number whose square would overflow") {
  // The variance of 1e308 and -1e308 is 1e616: standardised, the column was not a number.
  const auto standardise = [](CsvData& o) { o.standardise = true; };
  CHECK(csv_failure("x,y\n1e308,1\n-1e308,2\n", standardise) ==
        "data.csv:2: column 'x': expected a number of magnitude at most 1e+150, found 1e+308");
  CHECK(csv_failure("x,y\n1,-2e150\n3,2\n") ==
        "data.csv:2: column 'y': expected a number of magnitude at most 1e+150, found -2e+150");
  CHECK(csv_failure("x,y\n1e150,-1e150\n-1e150,1e150\n", standardise) == "accepted");
}
