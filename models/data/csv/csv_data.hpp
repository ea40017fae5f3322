#pragma once
// Data from delimited text (RFC 4180 quoting), one owner a block of rows, a value of a column, or a file.
//
// Steps, in this order:
//   1. columns: one is numeric when all its entries that are not missing are numbers, text when none is; a number of
//      magnitude above 1e150 is refused, because its square may overflow
//   2. text becomes codes 0, 1, ... in the order of the sorted values (of at most kMaxCodes), or a 0/1 column for each
//      value (drop_first: each but the first); categories that are numbers are equal if the numbers are, and come first,
//      in increasing order. `categories` lists the values instead. A text that looks like a number is refused
//   3. rows with a missing target are dropped (impute = none: an error), drop_rows: those with any gap
//   4. rows are assigned to owners (partition.hpp has the rules that draw); the first `records` of each are kept, under
//      a rule that draws as many at random, from (kData, i, kSize); owners with fewer than `min_records` are dropped
//   5. each owner's records are split into training and test: m = round(test_fraction n) of n at random. Stratified:
//      floor(m n_k/n) of the n_k of class k, and one more of the classes with the largest remainders, the first of
//      equal ones, until there are m. Validation records are drawn in the same way from those for training, and left out
//      of what follows; with `instances` validation they take the place of the test records, which are left out
//   6. imputation by an owner's training median, mean or (text) most frequent value; by the pooled one
//      where it has none
//   7. standardise (or of each owner), pca, unit_ball, target_transform: fitted on pooled training records, applied
//      to all
//   8. declared bounds are enforced; 9. the similarity graph of the owners; 10. the constant feature is
//   appended
// Values of a category and classes that are found in the data (2), a stratified split (5), fits of 6 and 7, and a graph
// from the data in 9 use private data without accounting; DataSet::fitted_on_private_data says so. The owners and the
// numbers of their records are public.
//
// Similarity: every owner i has a vector z_i of k numbers: a profile (columns that are the same in all of its
// rows; a 0/1 number for each value of a text column that an owner has), or the means of its training features and
// target (of several classes, their fractions).
// Each coordinate is scaled to mean 0 and variance 1 over the owners (a constant one to 0), and
//   d_ij^2 = norm_2(z_i - z_j)^2 / k
// Weights: 1 between nearest neighbours, or exp(-d^2/(2 h^2)).
#include "models/data/csv/owner_rule.hpp"
#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "models/data/similarity.hpp"

namespace hearsay::models {

enum class Header { kAuto, kYes, kNo };
constexpr auto choices_of(Header) {
  return std::to_array<sim::Choice>({{"auto", "The first row is a header if none of its fields is a number."},
                                     {"yes", "The first row names the columns."},
                                     {"no", "The first row is a record."}});
}

enum class Decimal { kPoint, kComma };
constexpr auto choices_of(Decimal) {
  return std::to_array<sim::Choice>({{".", "Point: 1.5."}, {",", "Comma: 1,5."}});
}

constexpr char mark_of(Decimal decimal) {
  return decimal == Decimal::kPoint ? '.' : ',';
}
enum class Encode { kOrdinal, kOneHot };
constexpr auto choices_of(Encode) {
  return std::to_array<sim::Choice>({{"ordinal", "Codes 0, 1, ... in the order of the sorted values."},
                                     {"one_hot", "One 0/1 column per value."}});
}

enum class Impute { kNone, kMedian, kMean, kDropRows };
constexpr auto choices_of(Impute) {
  return std::to_array<sim::Choice>(
      {{"none", "A missing value is an error."},
       {"median", "The owner's median of the column (text: most frequent value)."},
       {"mean", "The owner's mean of the column (text: most frequent value)."},
       {"drop_rows", "Rows with a missing value are dropped."}});
}

enum class TargetTransform { kNone, kCentre, kStandardise };
constexpr auto choices_of(TargetTransform) {
  return std::to_array<sim::Choice>({{"none", "As read."},
                                     {"centre", "Training mean 0."},
                                     {"standardise", "Training mean 0 and variance 1."}});
}

enum class Enforce { kClip, kCheck };
constexpr auto choices_of(Enforce) {
  return std::to_array<sim::Choice>(
      {{"clip", "Features are scaled down to the bound, targets clamped to it."},
       {"check", "A record that exceeds a bound is an error."}});
}

enum class TestSplit { kRandom, kStratified };
constexpr auto choices_of(TestSplit) {
  return std::to_array<sim::Choice>(
      {{"random", "All records of an owner are equally likely."},
       {"stratified", "The same fraction of each class of an owner, to within one record."}});
}

enum class StandardiseBy { kPooled, kOwner };
constexpr auto choices_of(StandardiseBy) {
  return std::to_array<sim::Choice>({{"pooled", "Mean and variance of all owners' training records."},
                                     {"owner", "Mean and variance of each owner's own training records."}});
}

/// The class +1: target > above.
struct PositiveAbove {
  static constexpr std::string_view kName = "above";
  static constexpr std::string_view kHelp = "Targets above a number are the positive class.";
  static constexpr sim::Shorthand kShorthand{"above", sim::Shorthand::kNone};
  double above = 0;
  void describe(sim::Visitor& v) {
    v(above, {.name = "above", .help = "Targets above this are +1, others -1.", .required = true});
  }
};

/// The class +1: the target is this text, or this number where both are numbers.
struct PositiveEquals {
  static constexpr std::string_view kName = "equals";
  static constexpr std::string_view kHelp = "Targets equal to a value are the positive class.";
  static constexpr sim::Shorthand kShorthand{"equals", sim::Shorthand::kNone};
  std::string equals;
  void describe(sim::Visitor& v) {
    v(equals, {.name = "equals", .help = "Targets equal to this are +1, others -1.", .required = true});
  }
};
using PositiveRule = std::variant<PositiveAbove, PositiveEquals>;

/// The classes 0, 1, ..., K - 1: the different targets, numbers in increasing order before sorted texts.
struct ClassesFound {
  static constexpr std::string_view kName = "auto";
  static constexpr std::string_view kHelp =
      "One class per distinct target: numbers in increasing order, then texts in sorted order.";
  void describe(sim::Visitor&) {}
};
/// The classes 0, 1, ..., K - 1: these, each a text, or a number where both are numbers.
struct ClassesListed {
  static constexpr std::string_view kName = "values";
  static constexpr std::string_view kHelp =
      "Listed classes, in this order; any other target is an error. Short form: the list.";
  static constexpr sim::Shorthand kShorthand{"values", sim::Shorthand::kList};
  std::vector<std::string> values = {};
  void describe(sim::Visitor& v);
};
using ClassRule = std::variant<ClassesFound, ClassesListed>;

/// The codes of a category whose order is not declared are those of sorted texts. More values than this are hardly a
/// scale (ages in years have about as many): they are names, dates or misread numbers.
inline constexpr std::size_t kMaxCodes = 100;

enum class Unlisted { kRefused, kOther };
constexpr auto choices_of(Unlisted) {
  return std::to_array<sim::Choice>(
      {{"error", "Any other value is an error."},
       {"other", "All other values are one more category, `other`, after the listed ones."}});
}

/// A category whose values are declared, and thus public: codes and 0/1 columns follow the list, not the data.
struct Categories {
  std::string column;
  std::vector<std::string> values;
  Unlisted unlisted = Unlisted::kRefused;
  void describe(sim::Visitor& v);
};

struct PcaOptions {
  std::size_t components = 0;
  std::size_t fit_on_last = 0;  ///< rows, in file order; 0: all training records
  bool whiten = false;
  void describe(sim::Visitor& v);
};

struct BoundsOptions {
  double features = 0;           ///< R1, the L1 norm of the features without the constant one
  std::optional<double> target;  ///< Y
  Enforce enforce = Enforce::kClip;
  void describe(sim::Visitor& v);
};

struct ProfileColumns {
  static constexpr std::string_view kName = "profile";
  static constexpr std::string_view kHelp =
      "Public columns that describe an owner, constant over the owner's rows.";
  static constexpr sim::Shorthand kShorthand{"columns", sim::Shorthand::kList};
  std::vector<std::string> columns = {};
  void describe(sim::Visitor& v);
};
struct RecordMeans {
  static constexpr std::string_view kName = "data";
  static constexpr std::string_view kHelp =
      "Means of an owner's training features and target: private data, used without accounting.";
  void describe(sim::Visitor&) {}
};

struct NearestWeights {
  static constexpr std::string_view kName = "nearest";
  static constexpr std::string_view kHelp =
      "Edge of weight 1 between two owners if one is among the nearest neighbours of the other.";
  std::size_t neighbours = 5;
  void describe(sim::Visitor& v) {
    v(neighbours, {.name = "neighbours", .help = "Number of nearest neighbours.", .min = 1});
  }
};
struct GaussianWeights {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kHelp =
      "Weight exp(-d^2/(2 h^2)) at distance d; edges with a small weight are dropped.";
  double bandwidth = 1;  ///< h
  WeightThreshold weight_threshold = {};
  void describe(sim::Visitor& v);
};

struct CsvSimilarity {
  std::variant<RecordMeans, ProfileColumns> from = {};
  std::variant<NearestWeights, GaussianWeights> weights = {};
  void describe(sim::Visitor& v);
};

struct CsvData {
  static constexpr std::string_view kName = "csv";
  static constexpr std::string_view kHelp = "Records from delimited text files.";

  std::optional<sim::InputFile> path;  ///< one file, or
  /// Several with the same columns: each is one owner, unless `owner` is given.
  std::vector<sim::InputFile> files;
  std::string delimiter = "auto";  ///< "auto" or one character
  Decimal decimal = Decimal::kPoint;
  Header header = Header::kAuto;
  std::vector<std::string> columns;  ///< names where there is no header; else "1", "2", ...
  std::vector<std::string> missing = {"", "?", "NA", "NaN"};

  std::string target;
  std::optional<PositiveRule> positive;
  std::optional<ClassRule> classes;  ///< alternative to `positive`
  std::optional<OwnerRule> owner;
  std::vector<std::string> features;  ///< empty: all but target, owner and `drop`
  std::vector<std::string> drop;
  std::vector<std::string> categorical, numeric;  ///< forced
  std::vector<Categories> categories;             ///< forced, with their values
  Encode encode = Encode::kOrdinal;
  bool drop_first = false;  ///< one_hot: no column for the first value
  Impute impute = Impute::kNone;

  std::optional<std::size_t> records;
  std::size_t min_records = 1;
  double test_fraction = 0;
  TestSplit test_split = TestSplit::kRandom;
  bool standardise = false;
  StandardiseBy standardise_by = StandardiseBy::kPooled;
  std::optional<PcaOptions> pca;
  bool unit_ball = false;
  TargetTransform target_transform = TargetTransform::kNone;
  std::optional<BoundsOptions> bounds;
  std::optional<CsvSimilarity> similarity;
  bool bias = false;
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// Draws the split of owner i from (kData, i, kSplit), with the class as part if stratified. Memory: a small multiple of
/// the files' size. Throws
/// DataError.
DataSet make_data(const CsvData& options, const sim::Streams& streams, double validation_fraction = 0,
                  Instances instances = Instances::kTest);

}  // namespace hearsay::models
