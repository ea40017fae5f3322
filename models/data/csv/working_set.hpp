#pragma once
// The records of a csv data set during preparation: one matrix in file order, with the owner of each row. The
// steps are those of csv_data.hpp; each adds a note of what it did.
#include "models/data/csv/text_table.hpp"
#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"

namespace hearsay::models {

/// A column of a text table as numbers.
struct Column {
  std::string name;
  Eigen::VectorXd values;           ///< one a row; NaN where missing; of text, codes into `levels`
  std::vector<std::string> levels;  ///< of text: its values, sorted; empty for numbers
  bool text() const { return !levels.empty(); }
};

/// Whether a field means a missing value.
bool is_missing(std::string_view field, const CsvData& options);

/// The column's entries: numbers, unless options.categorical or options.categories names it or no entry is a number.
/// Throws DataError where only some are numbers or a text looks like one (and the column is not named there), where all
/// are missing, and for a value that is not declared.
Column read_column(const TextTable& table, std::size_t column, const CsvData& options);

/// The column's entries as text, whatever they are: codes into its values.
Column read_levels(const TextTable& table, std::size_t column, const CsvData& options);

/// What makes two targets the same class: their number, or for other text the text. Numbers come first.
using ClassKey = std::variant<double, std::string_view>;
ClassKey class_key(std::string_view field, char decimal);

/// How a text that is no number looks like one, if it does.
struct NumberLike {
  bool other_mark = false;  ///< 1,5 where the decimal mark is a point
  bool thousands = false;   ///< 1,234,567.5 or 1 234: groups of three digits
  explicit operator bool() const { return other_mark || thousands; }
};
NumberLike number_like(std::string_view field, char decimal);

/// The declared values of a column; null if there are none.
const Categories* declared_categories(const CsvData& options, std::string_view column);

/// The target: a column of numbers; by options.positive -1 and +1; by options.classes 0, 1, ..., with `levels` their
/// names.
Column read_target(const TextTable& table, const CsvData& options);

/// Columns that serve as features, in file order or in that of options.features. Throws DataError.
std::vector<std::size_t> feature_columns(const TextTable& table, const CsvData& options);

/// The rows of the table that are used; all vectors have one entry for each, in file order.
struct Assignment {
  std::vector<std::size_t> row;    ///< in the table
  std::vector<std::size_t> owner;  ///< 0, 1, ...
  std::vector<char> test;
  std::vector<std::string> owner_names;

  std::size_t size() const { return row.size(); }
};

/// Assigns `rows` of the table to owners, keeps options.records of each (csv_data.hpp, step 4), drops owners with fewer
/// than options.min_records, and draws the test records of owner i from (kData, i, kSplit), and from the others, in the
/// same way, validation records. These are left out; with `instances` validation they are the test records, which are then
/// left out. Partitions and stratified tests look at the classes of the target.
Assignment assign_rows(const TextTable& table, const std::vector<std::size_t>& rows, const Column& target,
                       const CsvData& options, const sim::Streams& streams, double validation_fraction,
                       Instances instances, std::vector<std::string>& notes);

/// By name, the columns that hold one number for all used records of an owner: a number for each owner.
std::map<std::string, std::vector<double>> owner_columns(const TextTable& table, const Assignment& rows);

struct WorkingSet {
  Assignment rows;
  Records x;
  Eigen::VectorXd y;
  DataSet out;  ///< names, bounds, notes; its shards are filled at the end
};

/// Whether values of this mean and variance, in whatever unit, are all the same: rounding leaves a tiny variance.
inline bool is_constant(double mean, double variance) {
  return variance <= 1e-24 * mean * mean;
}

/// Fills the missing entries of the columns at the used rows.
void impute(std::vector<Column>& features, Impute how, WorkingSet& set);
/// Features to training mean 0 and variance 1, pooled or of each owner; a constant one to 0.
void standardise(WorkingSet& set, StandardiseBy by);
/// Features to principal components: eigenvectors of the covariance, largest eigenvalue first, each with its
/// entry of largest magnitude positive.
void project_on_components(WorkingSet& set, const PcaOptions& options);
/// Divides features by the largest L2 norm of a training record; test records beyond 1 are scaled down to it.
void scale_into_unit_ball(WorkingSet& set);
void transform_target(WorkingSet& set, TargetTransform how);
void enforce_bounds(WorkingSet& set, const BoundsOptions& options, const TextTable& table);
void link_similar(WorkingSet& set, const TextTable& table, const CsvData& options);
void append_bias(WorkingSet& set);
/// Adds a warning if the target's training mean exceeds its standard deviation in magnitude, no linear combination
/// of the features is constant, and the targets are not classes. O(n p^2) if the mean does.
void warn_of_offset(WorkingSet& set);
/// Moves the rows into their owners' shards.
DataSet scatter(WorkingSet&& set);

}  // namespace hearsay::models
