// Data sets from delimited text, with every option. Names of columns: y is the target, o names owners, p is a profile,
// k a category, d is dropped, a and b are features.
#include <cmath>

#include "models/data/csv/csv_data.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

namespace {

constexpr fuzz::Letter<models::CsvData> kLetters[] = {
    {'h', [](auto& o) { o.header = models::Header::kYes; }},
    {'n', [](auto& o) { o.header = models::Header::kNo; }},
    {'C',
     [](auto& o) {
       o.columns = {"y", "a", "k"};
     }},
    {'t', [](auto& o) { o.delimiter = "\t"; }},
    {' ', [](auto& o) { o.delimiter = " "; }},
    {'o', [](auto& o) { o.owner = models::OwnerColumn{"o"}; }},
    {'2', [](auto& o) { o.owner = models::OwnerBlocks{2}; }},
    {'F',
     [](auto& o) {
       o.features = {"a", "b"};
     }},
    {'d', [](auto& o) { o.drop = {"d"}; }},
    {'k', [](auto& o) { o.categorical = {"k"}; }},
    {'N', [](auto& o) { o.numeric = {"a"}; }},
    {'1', [](auto& o) { o.encode = models::Encode::kOneHot; }},
    {'f', [](auto& o) { o.drop_first = true; }},
    {'i', [](auto& o) { o.impute = models::Impute::kMedian; }},
    {'I', [](auto& o) { o.impute = models::Impute::kMean; }},
    {'r', [](auto& o) { o.impute = models::Impute::kDropRows; }},
    {'R', [](auto& o) { o.records = 2; }},
    {'M', [](auto& o) { o.min_records = 2; }},
    {'T', [](auto& o) { o.test_fraction = 0.5; }},
    {'s', [](auto& o) { o.standardise = true; }},
    {'p', [](auto& o) { o.pca = models::PcaOptions{.components = 1}; }},
    {'P', [](auto& o) { o.pca = models::PcaOptions{.components = 2, .fit_on_last = 2, .whiten = true}; }},
    {'u', [](auto& o) { o.unit_ball = true; }},
    {'z', [](auto& o) { o.target_transform = models::TargetTransform::kCentre; }},
    {'Z', [](auto& o) { o.target_transform = models::TargetTransform::kStandardise; }},
    {'b', [](auto& o) { o.bounds = models::BoundsOptions{.features = 1, .target = 1}; }},
    {'B',
     [](auto& o) {
       o.bounds = models::BoundsOptions{.features = 10, .target = {}, .enforce = models::Enforce::kCheck};
     }},
    {'x', [](auto& o) { o.similarity = models::CsvSimilarity{}; }},
    {'X',
     [](auto& o) {
       o.similarity = models::CsvSimilarity{.from = models::ProfileColumns{{"p"}},
                                            .weights = models::GaussianWeights{.bandwidth = 0.5}};
     }},
    {'>', [](auto& o) { o.positive = models::PositiveAbove{1}; }},
    {'=', [](auto& o) { o.positive = models::PositiveEquals{"1"}; }},
    {'*', [](auto& o) { o.classes = models::ClassesFound{}; }},
    {'{',
     [](auto& o) {
       o.classes = models::ClassesListed{{"1", "2", "c"}};
     }},
    {'5', [](auto& o) { o.owner = models::IidOwners{2}; }},
    {'6',
     [](auto& o) {
       o.owner = models::ClassShards{2, 1};
     }},
    {'7',
     [](auto& o) {
       o.owner = models::DirichletOwners{3, 0.1, 0};
     }},
    {'8',
     [](auto& o) {
       o.owner = models::QuantityOwners{2, 1, 1};
     }},
    {'Y', [](auto& o) { o.test_split = models::TestSplit::kStratified; }},
    {'O', [](auto& o) { o.standardise_by = models::StandardiseBy::kOwner; }},
    {'+', [](auto& o) { o.bias = true; }},
};

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
  fuzz::apply(letters, kLetters, options);
  if (options.classes) {  // as the options' rules demand
    options.target_transform = models::TargetTransform::kNone;
    if (options.bounds) options.bounds->target.reset();
  }
  fuzz::accepted<models::DataError>([&] { check(models::make_data(options, sim::Streams(1, 0))); });
  return 0;
}
