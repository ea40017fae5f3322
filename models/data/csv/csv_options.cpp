#include "models/data/csv/csv_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/data/csv/working_set.hpp"

namespace hearsay::models {

namespace {

// Which texts are one number depends on the decimal mark of the data.
void check_different(sim::Visitor& v, std::string_view option, const std::vector<std::string>& values,
                     std::string_view noun, Decimal decimal) {
  std::map<ClassKey, std::size_t> seen;
  for (std::size_t k = 0; k < values.size(); ++k) {
    v.check(seen.emplace(class_key(values[k], mark_of(decimal)), k).second,
            fmt::format("{}/values/{}", option, k), "expected different {}, found '{}' twice", noun,
            values[k]);
  }
}

}  // namespace

void ClassesListed::describe(sim::Visitor& v) {
  v(values, {.name = "values",
             .help = "The classes, each a text that the target column contains.",
             .required = true});
  v.check(values.size() >= 2, "values", "expected at least two classes, found {}", values.size());
}

void Categories::describe(sim::Visitor& v) {
  v(column, {.name = "column", .help = "Column of the category.", .required = true});
  v(values, {.name = "values",
             .help = "The values, each a text; the order is that of codes and 0/1 columns.",
             .required = true});
  v(unlisted, {.name = "unlisted", .help = "Treatment of other values."});
  v.check(!values.empty(), "values", "expected at least one value");
}

void PcaOptions::describe(sim::Visitor& v) {
  v(components,
    {.name = "components", .help = "Number of principal components kept.", .min = 1, .required = true});
  v(fit_on_last,
    {.name = "fit_on_last", .help = "Number of training rows, counted from the end, to fit on; 0: all."});
  v(whiten, {.name = "whiten", .help = "Scale the components to variance 1."});
}

void BoundsOptions::describe(sim::Visitor& v) {
  v(features, {.name = "features",
               .help = "Bound on the L1 norm of a record's features, excluding the constant one.",
               .min = 0,
               .open_min = true,
               .required = true});
  v(target, sim::positive("target", "Bound on the absolute value of the target; by default none."));
  v(enforce, {.name = "enforce", .help = "Treatment of records that exceed the bounds."});
}

void ProfileColumns::describe(sim::Visitor& v) {
  v(columns,
    {.name = "columns", .help = "Names of the columns; columns in `drop` are allowed.", .required = true});
  v.check(!columns.empty(), "columns", "expected at least one column");
}

void GaussianWeights::describe(sim::Visitor& v) {
  v(bandwidth, sim::positive("bandwidth", "Bandwidth h."));
  v(weight_threshold, {.name = "weight_threshold", .help = "Weight below which an edge is dropped."});
}

void CsvSimilarity::describe(sim::Visitor& v) {
  v(from, {.name = "from", .help = "Attributes by which owners are compared.", .required = true});
  v(weights, {.name = "weights", .help = "Rule for edges and their weights."});
}

void CsvData::describe(sim::Visitor& v) {
  v(path, {.name = "path", .help = "Path of the file; alternative to `files`."});
  v(files,
    {.name = "files",
     .help =
         "Paths of several files with the same columns; each file is one owner unless `owner` is given."});
  v(delimiter,
    {.name = "delimiter",
     .help = "Field separator: one character, or auto: the most frequent of comma, semicolon, tab and | in "
             "the first line."});
  v(decimal, {.name = "decimal", .help = "Decimal mark of numbers."});
  v(header, {.name = "header", .help = "Whether the first row names the columns."});
  v(columns, {.name = "columns", .help = "Column names for files without a header; by default 1, 2, ..."});
  v(missing, {.name = "missing", .help = "Field values treated as missing."});
  v(target, {.name = "target", .help = "Column of the target.", .required = true});
  v(positive, {.name = "positive",
               .help = "Convert the target to a class: the selected values become +1, all others -1."});
  v(classes, {.name = "classes",
              .help = "Convert the target to one of several classes 0, 1, ...; alternative to `positive`. "
                      "Listed classes can be public; with auto the data determine them."});
  v(owner, {.name = "owner", .help = "How rows are assigned to owners; by default every file is one owner."});
  v(features, {.name = "features", .help = "Feature columns; by default all except target, owner and drop."});
  v(drop, {.name = "drop", .help = "Columns to ignore."});
  v(categorical, {.name = "categorical",
                  .help = "Numeric columns to treat as categories, whose values are found in the data."});
  v(categories,
    {.name = "categories",
     .help = "Columns to treat as categories with declared, and thus public, values; the values of other "
             "categories are found in private data."});
  v(numeric, {.name = "numeric", .help = "Columns in which text is an error."});
  v(encode, {.name = "encode", .help = "Encoding of categories as numbers."});
  v(drop_first,
    {.name = "drop_first",
     .help =
         "With one_hot, omit the column of each category's first value: all columns of a category sum to 1 "
         "and are linearly dependent on a constant or on another category."});
  v(impute, {.name = "impute", .help = "Treatment of missing values."});
  v(records,
    {.name = "records",
     .help =
         "Maximum number of records per owner; the first ones are kept, of a partition that is drawn random "
         "ones.",
     .min = 1});
  v(min_records, {.name = "min_records",
                  .help = "Minimum number of records per owner; owners with fewer are excluded.",
                  .min = 1});
  v(test_fraction, {.name = "test_fraction",
                    .help = "Fraction of each owner's records held out for testing.",
                    .min = 0,
                    .max = 1,
                    .open_max = true});
  v(test_split, {.name = "test_split", .help = "How test records are drawn; stratified requires classes."});
  v(standardise, {.name = "standardise", .help = "Scale features to training mean 0 and variance 1."});
  v(standardise_by,
    {.name = "standardise_by", .help = "Records whose mean and variance `standardise` uses."});
  v(pca, {.name = "pca", .help = "Replace the features by principal components."});
  v(unit_ball, {.name = "unit_ball",
                .help = "Scale all features by one factor so that every record has L2 norm at most 1."});
  v(target_transform, {.name = "target_transform", .help = "Transformation of a numeric target."});
  v(bounds,
    {.name = "bounds",
     .help = "Public bounds on the records, used to derive the sensitivity of a gradient; by default none."});
  v(similarity, {.name = "similarity",
                 .help = "Similarity graph of the owners, for topology `similarity`; by default none."});
  v(bias, {.name = "bias", .help = "Append a feature that is always 1."});
  v(draw, kAboutDraw);
  v.check(path.has_value() != !files.empty(), "path", "expected either path or files");
  v.check(delimiter == "auto" || delimiter.size() == 1, "delimiter",
          "expected auto or one character, found '" + delimiter + "'");
  const auto* by_column = owner ? std::get_if<OwnerColumn>(&*owner) : nullptr;
  for (std::size_t k = 0; k < drop.size(); ++k) {
    const bool is_owner = by_column != nullptr && by_column->column == drop[k];
    v.check(!is_owner && drop[k] != target, fmt::format("drop/{}", k),
            "'{}' {}, and thus no feature: remove it from drop", drop[k],
            is_owner ? "names the owner" : "is the target");
  }
  v.check(!drop_first || encode == Encode::kOneHot, "drop_first", "requires encode one_hot");
  v.check(!positive || target_transform == TargetTransform::kNone, "target_transform",
          "a class cannot be transformed: remove positive or target_transform");
  for (std::size_t k = 0; k < categories.size(); ++k) {
    const std::string& name = categories[k].column;
    const bool again = std::ranges::count(categories, name, &Categories::column) > 1;
    v.check(!again, fmt::format("categories/{}/column", k),
            "expected one entry for each column, found '{}' twice", name);
    for (const auto* list : {&categorical, &numeric}) {
      v.check(std::ranges::count(*list, name) == 0, fmt::format("categories/{}/column", k),
              "'{}' is also in {}: remove it there", name, list == &numeric ? "numeric" : "categorical");
    }
    check_different(v, fmt::format("categories/{}", k), categories[k].values, "values", decimal);
  }
  if (const auto* listed = classes ? std::get_if<ClassesListed>(&*classes) : nullptr)
    check_different(v, "classes", listed->values, "classes", decimal);
  const bool has_classes = positive || classes;
  const auto partition = owner ? partition_of(*owner) : std::nullopt;
  v.check(!partition || !needs_classes(*partition) || has_classes, "owner",
          "class_shards and dirichlet divide by class: set positive or classes, or by, the name of a column");
  v.check(test_split == TestSplit::kRandom || has_classes, "test_split",
          "stratified divides by class: set positive or classes");
  v.check(standardise_by == StandardiseBy::kPooled || standardise, "standardise_by",
          "requires standardise to be true");
  v.check(!positive || !classes, "classes", "expected either positive (two classes) or classes, found both");
  v.check(!classes || target_transform == TargetTransform::kNone, "target_transform",
          "a class cannot be transformed: remove classes or target_transform");
  v.check(!classes || !bounds || !bounds->target, "bounds/target",
          "a class has no bound: remove it, or remove classes");
  v.check(!positive || !bounds || !bounds->target || *bounds->target >= 1, "bounds/target",
          "expected at least 1 with positive, whose classes are -1 and +1");
}

}  // namespace hearsay::models
