// Data sets from delimited text, with every option. Names of columns: y is the target, o names owners, p is a profile,
// k a category, d is dropped, a and b are features.
#include <cmath>

#include "models/data/csv/csv_data.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace hearsay;

namespace {

void apply(char letter, models::CsvData& o) {
  switch (letter) {
    case 'h':
      o.header = models::Header::kYes;
      break;
    case 'n':
      o.header = models::Header::kNo;
      break;
    case 'C':
      o.columns = {"y", "a", "k"};
      break;
    case 't':
      o.delimiter = "\t";
      break;
    case ' ':
      o.delimiter = " ";
      break;
    case 'o':
      o.owner = models::OwnerColumn{"o"};
      break;
    case '2':
      o.owner = models::OwnerBlocks{2};
      break;
    case 'F':
      o.features = {"a", "b"};
      break;
    case 'd':
      o.drop = {"d"};
      break;
    case 'k':
      o.categorical = {"k"};
      break;
    case 'N':
      o.numeric = {"a"};
      break;
    case '1':
      o.encode = models::Encode::kOneHot;
      break;
    case 'f':
      o.drop_first = true;
      break;
    case 'i':
      o.impute = models::Impute::kMedian;
      break;
    case 'I':
      o.impute = models::Impute::kMean;
      break;
    case 'r':
      o.impute = models::Impute::kDropRows;
      break;
    case 'R':
      o.records = 2;
      break;
    case 'M':
      o.min_records = 2;
      break;
    case 'T':
      o.test_fraction = 0.5;
      break;
    case 's':
      o.standardise = true;
      break;
    case 'p':
      o.pca = models::PcaOptions{.components = 1};
      break;
    case 'P':
      o.pca = models::PcaOptions{.components = 2, .fit_on_last = 2, .whiten = true};
      break;
    case 'u':
      o.unit_ball = true;
      break;
    case 'z':
      o.target_transform = models::TargetTransform::kCentre;
      break;
    case 'Z':
      o.target_transform = models::TargetTransform::kStandardise;
      break;
    case 'b':
      o.bounds = models::BoundsOptions{.features = 1, .target = 1};
      break;
    case 'B':
      o.bounds = models::BoundsOptions{.features = 10, .target = {}, .enforce = models::Enforce::kCheck};
      break;
    case 'x':
      o.similarity = models::CsvSimilarity{};
      break;
    case 'X':
      o.similarity = models::CsvSimilarity{.from = models::ProfileColumns{{"p"}},
                                           .weights = models::GaussianWeights{.bandwidth = 0.5}};
      break;
    case '>':
      o.positive = models::PositiveAbove{1};
      break;
    case '=':
      o.positive = models::PositiveEquals{"1"};
      break;
    case '*':
      o.classes = models::ClassesFound{};
      break;
    case '{':
      o.classes = models::ClassesListed{{"1", "2", "c"}};
      break;
    case '5':
      o.owner = models::IidOwners{2};
      break;
    case '6':
      o.owner = models::ClassShards{2, 1};
      break;
    case '7':
      o.owner = models::DirichletOwners{3, 0.1, 0};
      break;
    case '8':
      o.owner = models::QuantityOwners{2, 1, 1};
      break;
    case 'Y':
      o.test_split = models::TestSplit::kStratified;
      break;
    case 'O':
      o.standardise_by = models::StandardiseBy::kOwner;
      break;
    case '+':
      o.bias = true;
      break;
    default:
      break;
  }
}

void check(const models::DataSet& data) {
  fuzz::require(!data.train.empty() && data.test.size() == data.train.size() &&
                    data.owner_names.size() == data.train.size(),
                "every owner has a name and records");
  for (const auto* part : {&data.train, &data.test}) {
    for (const models::Shard& shard : *part) {
      fuzz::require(shard.features.cols() == data.p() && shard.features.rows() == shard.target.size(),
                    "records have all features and a target");
      fuzz::require(shard.features.allFinite() && shard.target.allFinite(), "data are finite");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [letters, text] = fuzz::split(fuzz::text_of(data, size), "\n");
  models::CsvData options;
  options.path = fuzz::memory_file(text, "data");
  options.target = "y";
  for (const char letter : letters) apply(letter, options);
  if (options.classes) {  // as the options' rules demand
    options.target_transform = models::TargetTransform::kNone;
    if (options.bounds) options.bounds->target.reset();
  }
  fuzz::accepted<models::DataError>([&] { check(models::make_data(options, sim::Streams(1, 0))); });
  return 0;
}
