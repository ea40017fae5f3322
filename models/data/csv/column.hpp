#pragma once
// A column of a text table as numbers.
#include <Eigen/Core>

#include <string>
#include <vector>

#include "models/data/csv/text_table.hpp"

namespace hearsay::models {

struct Column {
  std::string name;
  Eigen::VectorXd values;           ///< one a row; NaN where missing; of text, codes into `levels`
  std::vector<std::string> levels;  ///< of text: its values, sorted; empty for numbers
  bool text() const { return !levels.empty(); }
};

/// Whether a field stands for "not known".
bool is_missing(std::string_view field, const CsvData& options);

/// The column's entries: numbers, unless options.categorical names it or no entry is one. Throws DataError
/// where some are numbers and some are not (and it is not said to be categorical), or where all are missing.
Column read_column(const TextTable& table, std::size_t column, const CsvData& options);

/// The target: a column of numbers, or by options.positive -1 and +1.
Column read_target(const TextTable& table, const CsvData& options);

}  // namespace hearsay::models
