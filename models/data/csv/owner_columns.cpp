#include "models/data/csv/owner_columns.hpp"

#include <optional>

#include "models/data/csv/text_table.hpp"
#include "models/data/csv/working_set.hpp"

namespace hearsay::models {

namespace {

// Nothing if the column is not one number for each owner.
std::optional<std::vector<double>> values_of(const TextTable& table, const Assignment& rows,
                                             std::size_t column) {
  std::vector<double> values(rows.owner_names.size());
  std::vector<std::string_view> seen(values.size());  // the field as it was written, empty before the first
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::string_view field = table.field(rows.row[k], column);
    std::string_view& first = seen[rows.owner[k]];
    if (field == first && !field.empty()) continue;
    const std::optional<double> number = parse_number(field);
    if (!number) return std::nullopt;
    if (!first.empty() && *number != values[rows.owner[k]]) return std::nullopt;
    values[rows.owner[k]] = *number;
    first = field;
  }
  return values;
}

}  // namespace

std::map<std::string, std::vector<double>> owner_columns(const TextTable& table, const Assignment& rows) {
  std::map<std::string, std::vector<double>> all;
  for (std::size_t c = 0; c < table.columns(); ++c) {
    if (auto values = values_of(table, rows, c)) all.emplace(table.names()[c], std::move(*values));
  }
  return all;
}

}  // namespace hearsay::models
