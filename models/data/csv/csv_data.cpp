#include "models/data/csv/csv_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/data/csv/working_set.hpp"
#include "models/data/data_facts.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

// The rows that may be used: those with a target and, under drop_rows, with nothing missing.
std::vector<std::size_t> usable_rows(const TextTable& table, const Column& target,
                                     const std::vector<Column>& features, Impute impute,
                                     std::vector<std::string>& notes) {
  std::vector<std::size_t> rows;
  std::size_t without_target = 0, incomplete = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto k = static_cast<Index>(row);
    const auto lacking =
        std::ranges::find_if(features, [k](const auto& c) { return std::isnan(c.values[k]); });
    const bool no_target = std::isnan(target.values[k]), gap = lacking != features.end();
    if (impute == Impute::kNone && (no_target || gap)) {
      throw DataError(fmt::format(
          "{}expected a value, found none; set impute to median, mean or drop_rows, or drop the column",
          table.at(row, table.column(no_target ? target.name : lacking->name, "features"))));
    }
    if (no_target) {
      ++without_target;
    } else if (impute == Impute::kDropRows && gap) {
      ++incomplete;
    } else {
      rows.push_back(row);
    }
  }
  if (rows.empty())
    throw DataError(fmt::format("{}: expected a complete record, found none: all have missing values",
                                table.file_name(0)));
  if (without_target > 0)
    notes.push_back(fmt::format("left out {} records without a target", without_target));
  if (incomplete > 0) notes.push_back(fmt::format("left out {} records with missing values", incomplete));
  return rows;
}

double largest(const Eigen::VectorXd& values) {
  double most = 0;
  for (const double v : values) most = std::fmax(most, v);  // which passes over missing ones
  return most;
}

// Says which values became codes or 0/1 columns, and which of them are found in private data.
void state_categories(WorkingSet& set, const std::vector<Column>& features, const CsvData& options,
                      const TextTable& table, double validation_fraction) {
  const bool codes = options.encode == Encode::kOrdinal;
  for (const Column& c : features) {
    if (!c.text() || declared_categories(options, c.name) != nullptr) continue;
    if (codes && c.levels.size() > kMaxCodes) {
      throw DataError(
          fmt::format("{}: column '{}': expected at most {} values to encode as 0, 1, ..., found {}: set "
                      "encode to one_hot, "
                      "add the column to drop, or list its values in categories",
                      table.file_name(0), c.name, kMaxCodes, c.levels.size()));
    }
    set.out.fitted_on_private_data.push_back(fmt::format("values of '{}' (categories)", c.name));
    if (std::ranges::count(options.categorical, c.name) > 0) continue;
    std::string note = fmt::format("column '{}' is text: its {} values became {}", c.name, c.levels.size(),
                                   codes ? "codes in sorted order" : "0/1 columns");
    // Codes of two values are the 0/1 column of one of them.
    if (codes && c.levels.size() > 2) {
      note = fmt::format(
          "warning: {}, as if they were a scale: set data.encode to one_hot, or list the values in order in "
          "data.categories",
          note);
    }
    set.out.notes.push_back(std::move(note));
  }
  if (options.classes && std::holds_alternative<ClassesFound>(*options.classes))
    set.out.fitted_on_private_data.push_back(fmt::format("values of '{}' (classes)", options.target));
  if (options.test_split == TestSplit::kStratified && (options.test_fraction > 0 || validation_fraction > 0))
    set.out.fitted_on_private_data.emplace_back("choice of test or validation records by class (test_split)");
}

// The features of the used rows as a matrix; text as codes or as a 0/1 column a level.
void fill_features(WorkingSet& set, const std::vector<Column>& features, const CsvData& options,
                   const TextTable& table) {
  const auto one_hot = [&](const Column& c) { return options.encode == Encode::kOneHot && c.text(); };
  const std::size_t dropped = options.drop_first ? 1 : 0;
  for (const auto& column : features) {
    if (!one_hot(column)) {
      set.out.feature_names.push_back(column.name);
      continue;
    }
    if (dropped == 0) set.out.full_categories.push_back(column.name);
    for (std::size_t l = dropped; l < column.levels.size(); ++l) {
      set.out.feature_names.push_back(fmt::format("{}={}", column.name, column.levels[l]));
    }
  }
  if (set.out.p() == 0) {
    throw DataError(fmt::format(
        "{}: drop_first: expected a category of two values, found only one value in every feature",
        table.file_name(0)));
  }
  set.x.setZero(static_cast<Index>(set.rows.size()), set.out.p());
  for (std::size_t k = 0; k < set.rows.size(); ++k) {
    Index j = 0;
    for (const auto& column : features) {
      const double value = column.values[static_cast<Index>(set.rows.row[k])];
      if (!one_hot(column)) {
        set.x(static_cast<Index>(k), j++) = value;
        continue;
      }
      const auto level = static_cast<std::size_t>(value);
      if (level >= dropped) set.x(static_cast<Index>(k), j + static_cast<Index>(level - dropped)) = 1;
      j += static_cast<Index>(column.levels.size() - dropped);
    }
  }
}

// Warns of what pandas' to_csv writes before the columns, the numbers of rows.
void warn_of_index(WorkingSet& set, const std::vector<Column>& features, const TextTable& table) {
  for (const Column& c : features) {
    if (!c.name.empty() && !c.name.starts_with("Unnamed: ")) continue;
    set.out.notes.push_back(
        fmt::format("warning: {}: column {}, '{}', has no name and is a feature: an index that pandas wrote? "
                    "Write the file with index=False, or add \"{}\" to data.drop",
                    table.file_name(0), table.column(c.name, "features") + 1, c.name, c.name));
  }
}

}  // namespace

std::vector<std::size_t> feature_columns(const TextTable& table, const CsvData& options) {
  std::vector<const char*> why_not(table.columns(), nullptr);
  const auto columns = [&](const std::vector<std::string>& names, const char* option) {
    std::vector<std::size_t> all;
    all.reserve(names.size());
    for (const std::string& name : names)
      all.push_back(table.column(name, fmt::format("{}/{}", option, all.size())));
    return all;
  };
  for (const std::size_t c : columns(options.drop, "drop")) why_not[c] = "is in drop";
  const auto* by_column = options.owner ? std::get_if<OwnerColumn>(&*options.owner) : nullptr;
  if (by_column) why_not[table.column(by_column->column, "owner/column")] = "names the owner";
  why_not[table.column(options.target, "target")] = "is the target";
  columns(options.categorical, "categorical");
  columns(options.numeric, "numeric");
  for (std::size_t k = 0; k < options.categories.size(); ++k)
    table.column(options.categories[k].column, fmt::format("categories/{}/column", k));

  std::vector<std::size_t> features;
  for (const std::size_t c : columns(options.features, "features")) {
    if (why_not[c]) {
      throw DataError(fmt::format("{}: column '{}' {}; remove it from features", table.file_name(0),
                                  table.names()[c], why_not[c]),
                      fmt::format("features/{}", features.size()));
    }
    why_not[c] = "is listed twice";
    features.push_back(c);
  }
  for (std::size_t c = 0; options.features.empty() && c < table.columns(); ++c) {
    if (!why_not[c]) features.push_back(c);
  }
  if (features.empty())
    throw DataError(
        fmt::format("{}: expected a feature, found none: every column is excluded", table.file_name(0)));
  return features;
}

DataSet make_data(const CsvData& options, const sim::Streams& streams, double validation_fraction,
                  Instances instances) {
  const TextTable table(options);
  Column target = read_target(table, options);
  std::vector<Column> features;
  for (const std::size_t c : feature_columns(table, options))
    features.push_back(read_column(table, c, options));

  WorkingSet set;
  if (!options.owner && table.files() == 1)
    set.out.notes.emplace_back("warning: all records belong to one owner, because data.owner is not set");
  set.rows = assign_rows(table, usable_rows(table, target, features, options.impute, set.out.notes), target,
                         options, streams, validation_fraction, instances, set.out.notes);
  set.out.owner_columns = owner_columns(table, set.rows);
  warn_of_index(set, features, table);
  state_categories(set, features, options, table, validation_fraction);
  impute(features, options.impute, set);
  fill_features(set, features, options, table);
  set.y = target.values(set.rows.row);
  set.out.classes = std::move(target.levels);
  if (options.target_transform == TargetTransform::kNone) set.out.largest_target = largest(target.values);

  if (options.standardise) standardise(set, options.standardise_by);
  if (options.pca) project_on_components(set, *options.pca);
  if (options.unit_ball) scale_into_unit_ball(set);
  transform_target(set, options.target_transform);
  if (options.bounds) enforce_bounds(set, *options.bounds, table);
  if (options.similarity) link_similar(set, table, options);
  if (options.bias)
    append_bias(set);
  else if (!options.positive && !options.classes)
    warn_of_offset(set);
  set.out.bounds = bounds_of(options);
  return scatter(std::move(set));
}

}  // namespace hearsay::models
