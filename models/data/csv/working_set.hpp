#pragma once
// The records of a csv data set while they are being prepared: one matrix in file order, each row knowing its
// owner. The steps are those of csv_data.hpp; each notes what it did.
#include <Eigen/Core>

#include <string>
#include <vector>

#include "models/data/csv/column.hpp"
#include "models/data/csv/csv_data.hpp"
#include "models/data/data_set.hpp"
#include "models/data/csv/text_table.hpp"

namespace hearsay::models {

/// Which rows of the table are used, by whom and for what; all vectors have one entry a used row, in file
/// order.
struct Assignment {
  std::vector<std::size_t> row;    ///< in the table
  std::vector<std::size_t> owner;  ///< 0, 1, ...
  std::vector<char> test;
  std::vector<std::string> owner_names;

  std::size_t size() const { return row.size(); }
};

/// Gives `rows` of the table to owners, keeps the first options.records of each, drops owners with fewer than
/// options.min_records, and draws the test records of owner i from (kData, i, kSplit).
Assignment assign_rows(const TextTable& table, std::vector<std::size_t> rows, const CsvData& options,
                       const sim::Streams& streams, std::vector<std::string>& notes);

/// Fills the missing entries of a column at the assigned rows; returns how many.
std::size_t impute(Column& column, const Assignment& assignment, Impute how);

struct WorkingSet {
  Assignment rows;
  Records x;
  Eigen::VectorXd y;
  DataSet out;  ///< names, bounds, notes; its shards are filled at the end
};

/// Features to training mean 0 and variance 1; a constant one to 0.
void standardise(WorkingSet& set);
/// Features to principal components: eigenvectors of the covariance, largest eigenvalue first, each with its
/// entry of largest magnitude positive.
void project_on_components(WorkingSet& set, const PcaOptions& options);
/// Divides features by the largest L2 norm of a training record; test records beyond 1 are scaled down to it.
void scale_into_unit_ball(WorkingSet& set);
void transform_target(WorkingSet& set, TargetTransform how);
void enforce_bounds(WorkingSet& set, const BoundsOptions& options, const TextTable& table);
/// The similarity graph that options.similarity asks for.
void link_similar(WorkingSet& set, const TextTable& table, const CsvData& options);
void append_bias(WorkingSet& set);
/// Moves the rows to their owners.
DataSet scatter(WorkingSet&& set);

}  // namespace hearsay::models
