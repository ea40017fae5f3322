#include "models/data/csv/csv_data.hpp"

namespace hearsay::models {

void OwnerColumn::describe(sim::Visitor& v) {
  v(column, {.name = "column", .help = "Column that names the owner of each row.", .required = true});
}

void OwnerBlocks::describe(sim::Visitor& v) {
  v(blocks, {.name = "blocks", .help = "Number of blocks.", .min = 1, .required = true});
}

void PositiveAbove::describe(sim::Visitor& v) {
  v(above, {.name = "above", .help = "Targets above this are +1, others -1.", .required = true});
}

void PositiveEquals::describe(sim::Visitor& v) {
  v(equals, {.name = "equals", .help = "Targets equal to this are +1, others -1.", .required = true});
}

void PcaOptions::describe(sim::Visitor& v) {
  v(components,
    {.name = "components", .help = "Number of principal components kept.", .min = 1, .required = true});
  v(fit_on_last,
    {.name = "fit_on_last", .help = "Fit on the last so many training rows of the file; 0: on all."});
  v(whiten, {.name = "whiten", .help = "Scale the components to variance 1."});
}

void BoundsOptions::describe(sim::Visitor& v) {
  v(features, {.name = "features",
               .help = "Bound of the L1 norm of a record's features, the constant one not counted.",
               .min = 0,
               .open_min = true,
               .required = true});
  v(target, {.name = "target", .help = "Bound of the target's magnitude.", .min = 0, .open_min = true});
  v(enforce, {.name = "enforce", .help = "What happens to a record beyond the bounds."});
}

void CsvData::describe(sim::Visitor& v) {
  v(path, {.name = "path", .help = "The file."});
  v(files, {.name = "files",
            .help = "Several files with the same columns, each an owner unless owner says otherwise."});
  v(delimiter, {.name = "delimiter",
                .help = "One character, or auto: that of , ; tab | which the first line has most of."});
  v(header, {.name = "header", .help = "Whether the first row names the columns."});
  v(columns,
    {.name = "columns", .help = "Names of the columns where there is no header; else they are 1, 2, ..."});
  v(missing, {.name = "missing", .help = "Entries that mean that a value is not known."});
  v(target, {.name = "target", .help = "Column of the target.", .required = true});
  v(positive,
    {.name = "positive", .help = "Makes the target a class: which values are +1; all others are -1."});
  v(owner, {.name = "owner", .help = "Whose a row is; without it every file is one owner."});
  v(features,
    {.name = "features", .help = "Columns of the features; without it all but target, owner and drop."});
  v(drop, {.name = "drop", .help = "Columns left out."});
  v(categorical, {.name = "categorical", .help = "Columns that are categories although they hold numbers."});
  v(numeric, {.name = "numeric", .help = "Columns in which text is an error."});
  v(encode, {.name = "encode", .help = "How categories become numbers."});
  v(impute, {.name = "impute", .help = "What happens to missing values."});
  v(records, {.name = "records", .help = "At most so many records of each owner, the first ones.", .min = 1});
  v(min_records, {.name = "min_records", .help = "Owners with fewer records are left out.", .min = 1});
  v(test_fraction, {.name = "test_fraction",
                    .help = "Share of each owner's records kept for testing.",
                    .min = 0,
                    .max = 1,
                    .open_max = true});
  v(standardise, {.name = "standardise", .help = "Scale features to training mean 0 and variance 1."});
  v(pca, {.name = "pca", .help = "Replace the features by principal components."});
  v(unit_ball, {.name = "unit_ball",
                .help = "Scale all features by one factor so that every record has L2 norm at most 1."});
  v(target_transform, {.name = "target_transform", .help = "What is done to a numeric target."});
  v(bounds,
    {.name = "bounds", .help = "Public bounds, from which the sensitivity of a gradient can be derived."});
  v(similarity, {.name = "similarity", .help = "Which owners are alike, for a network of that topology."});
  v(bias, {.name = "bias", .help = "Append a feature that is always 1."});
  v(draw, kAboutDraw);
  v.check(path.has_value() != !files.empty(), "path", "expected either path or files");
  v.check(delimiter == "auto" || delimiter.size() == 1, "delimiter",
          "expected auto or one character, got '" + delimiter + "'");
  v.check(!positive || target_transform == TargetTransform::kNone, "target_transform",
          "a class can not be transformed: leave out positive or target_transform");
}

}  // namespace hearsay::models
