#include "models/data/csv/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/files/text.hpp"

namespace hearsay::models {
namespace {

sim::CsvTable read_table(const sim::InputFile& file, const CsvData& options) {
  sim::CsvFormat format{.fallback = ',', .header = sim::HeaderRow::kIfNoNumber};
  if (options.delimiter != "auto") format.delimiter = options.delimiter.at(0);
  format.decimal = mark_of(options.decimal);
  if (options.header != Header::kAuto)
    format.header = options.header == Header::kYes ? sim::HeaderRow::kYes : sim::HeaderRow::kNo;
  try {
    return sim::CsvTable(file, format);
  } catch (const sim::FileError& error) {
    throw DataError(error.what());
  }
}

// The header's names, else those of options.columns, else 1, 2, ...
std::vector<std::string> column_names(const sim::CsvTable& table, const CsvData& options) {
  if (!table.names().empty()) return table.names();
  const std::size_t fields = table.columns(0);
  auto names = options.columns.empty() ? numbered("", fields) : options.columns;
  if (names.size() == fields) return names;
  throw DataError(fmt::format("{}expected {} fields, as many as /columns names, found {}", table.at_top(),
                              names.size(), fields));
}

}  // namespace

TextTable::TextTable(const CsvData& options) : decimal_(mark_of(options.decimal)) {
  if (options.path) add(*options.path, options);
  for (const auto& file : options.files) add(file, options);
  if (files_.empty()) throw DataError("csv: expected a file in path or files, found none");
}

void TextTable::add(const sim::InputFile& input, const CsvData& options) {
  files_.push_back({read_table(input, options), rows_});
  const sim::CsvTable& table = files_.back().table;
  std::vector<std::string> names = column_names(table, options);
  if (files_.size() > 1 && names != names_) {
    throw DataError(fmt::format("{}expected the columns of {} ({}), found other ones ({})", table.at_top(),
                                file_name(0), fmt::join(names_, ", "), fmt::join(names, ", ")));
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
    throw DataError(table.at_top() + "two columns have the same name");
  names_ = std::move(names);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.columns(row) == columns()) continue;
    throw DataError(
        fmt::format("{}expected {} fields, found {}", table.at(row), columns(), table.columns(row)));
  }
  rows_ += table.rows();
}

std::string_view TextTable::field(std::size_t row, std::size_t column) const {
  const File& file = files_[file_of(row)];
  return file.table.field(row - file.first_row, column);
}

std::optional<double> TextTable::number(std::size_t row, std::size_t column) const {
  const auto value = parse(field(row, column));
  if (value && std::abs(*value) > kMaxMagnitude)
    throw DataError(fmt::format("{}expected a number of magnitude at most {:g}, found {:g}", at(row, column),
                                kMaxMagnitude, *value));
  return value;
}

std::size_t TextTable::file_of(std::size_t row) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), row,
                                      [](std::size_t r, const File& f) { return r < f.first_row; });
  return static_cast<std::size_t>(after - files_.begin()) - 1;
}

std::size_t TextTable::column(std::string_view name, std::string_view option) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  const auto nearest = std::min_element(names_.begin(), names_.end(), [&](const auto& a, const auto& b) {
    return sim::edit_distance(a, name) < sim::edit_distance(b, name);
  });
  throw DataError(
      fmt::format("{}: there is no column '{}'; the nearest is '{}'", file_name(0), name, *nearest),
      std::string(option));
}

std::string TextTable::at(std::size_t row) const {
  const File& file = files_[file_of(row)];
  return file.table.at(row - file.first_row);
}
std::string TextTable::at(std::size_t row, std::size_t column) const {
  return fmt::format("{}column '{}': ", at(row), names_[column]);
}

}  // namespace hearsay::models
