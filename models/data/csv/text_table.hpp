#pragma once
// Delimited text as it stands in its files: named columns, rows of fields, and where each row came from.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_data.hpp"
#include "sim/files/csv_feed.hpp"

namespace hearsay::models {

using sim::parse_number;

/// All rows of one or several files with the same columns. 8 bytes a field beside the text itself.
class TextTable {
 public:
  /// Reads the files that the options name. Throws DataError on anything but rectangular text with at least
  /// one record.
  explicit TextTable(const CsvData& options);

  std::size_t rows() const { return lines_.size(); }
  std::size_t columns() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  std::string_view field(std::size_t row, std::size_t column) const;
  /// Which file, in the order given, the row is from.
  std::size_t file_of(std::size_t row) const;
  std::size_t files() const { return files_.size(); }
  const std::string& file_name(std::size_t file) const { return files_[file].name; }

  /// The column of that name; DataError naming `option` and the nearest name there is.
  std::size_t column(std::string_view name, std::string_view option) const;
  /// "file:line: column 'name': " of a field, "file:line: " of a row.
  std::string at(std::size_t row, std::size_t column) const;
  std::string at(std::size_t row) const;

 private:
  struct File {
    std::string name;
    std::size_t first_row;
  };
  struct Reader;

  void read(const sim::InputFile& file, const CsvData& options);
  void take_names(std::vector<std::string> names, const std::string& where);

  std::string text_;
  std::vector<std::size_t> ends_;   ///< end of each field in text_
  std::vector<std::size_t> lines_;  ///< line of each row
  std::vector<std::string> names_;
  std::vector<File> files_;
};

}  // namespace hearsay::models
