#pragma once
// The text of a data set: named columns, rows of fields, and the origin of each row.
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_data.hpp"
#include "sim/files/csv_table.hpp"

namespace hearsay::models {

/// Of a number in a data set: variances, norms and covariances of such numbers do not overflow.
inline constexpr double kMaxMagnitude = 1e150;

/// All rows of one or several files with the same columns.
class TextTable {
 public:
  /// Reads the files of the options. Throws DataError unless they are rectangular text with a record or more.
  explicit TextTable(const CsvData& options);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  std::string_view field(std::size_t row, std::size_t column) const;
  /// The number that a field is; nothing for other text. Throws DataError for a magnitude above kMaxMagnitude.
  std::optional<double> number(std::size_t row, std::size_t column) const;
  /// The number that a text is by the options' decimal mark.
  std::optional<double> parse(std::string_view text) const { return sim::parse_number(text, decimal_); }
  char decimal() const { return decimal_; }
  /// The number of the file, in the order given, that the row is from. O(log files).
  std::size_t file_of(std::size_t row) const;
  std::size_t files() const { return files_.size(); }
  const std::string& file_name(std::size_t file) const { return files_[file].table.file(); }

  /// The column of that name; DataError of `option` (a path) with the nearest name.
  std::size_t column(std::string_view name, std::string_view option) const;
  /// "file:line: column 'name': " of a field, "file:line: " of a row.
  std::string at(std::size_t row, std::size_t column) const;
  std::string at(std::size_t row) const;

 private:
  struct File {
    sim::CsvTable table;
    std::size_t first_row;
  };

  void add(const sim::InputFile& file, const CsvData& options);

  std::vector<std::string> names_;
  std::vector<File> files_;
  std::size_t rows_ = 0;
  char decimal_ = '.';
};

}  // namespace hearsay::models
