#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "models/data/csv/working_set.hpp"

namespace hearsay::models {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Numbers where the fields are; `first_text` is the first row whose field is neither a number nor missing.
struct Numbers {
  Eigen::VectorXd values;
  std::size_t numbers = 0, texts = 0, first_text = 0;
};

Numbers read_numbers(const TextTable& table, std::size_t column, const CsvData& options) {
  Numbers n;
  n.values.resize(static_cast<Eigen::Index>(table.rows()));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view field = table.field(row, column);
    double& value = n.values[static_cast<Eigen::Index>(row)];
    value = kMissing;
    if (is_missing(field, options)) continue;
    if (const auto number = parse_number(field)) {
      value = *number;
      ++n.numbers;
    } else if (n.texts++ == 0) {
      n.first_text = row;
    }
  }
  return n;
}

[[noreturn]] void refuse_empty(const TextTable& table, std::string_view name) {
  throw DataError(
      fmt::format("{}: column '{}' has no entry that is not missing; drop it", table.file_name(0), name));
}

Column read_text(const TextTable& table, std::size_t column, const CsvData& options) {
  std::map<std::string_view, double> code;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!is_missing(table.field(row, column), options)) code.emplace(table.field(row, column), 0);
  }
  Column c{.name = table.names()[column], .values = {}, .levels = {}};
  for (auto& [level, number] : code) {
    number = static_cast<double>(c.levels.size());
    c.levels.emplace_back(level);
  }
  if (c.levels.empty()) refuse_empty(table, c.name);
  c.values.resize(static_cast<Eigen::Index>(table.rows()));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto found = code.find(table.field(row, column));
    c.values[static_cast<Eigen::Index>(row)] = found == code.end() ? kMissing : found->second;
  }
  return c;
}

[[noreturn]] void refuse_text(const TextTable& table, std::size_t row, std::size_t column,
                              std::string_view hint) {
  throw DataError(fmt::format("{}expected a number, found '{}'{}", table.at(row, column),
                              table.field(row, column), hint));
}

struct IsPositive {
  std::string_view field;
  const TextTable& table;
  std::size_t row, column;

  bool operator()(const PositiveAbove& rule) const {
    const auto number = parse_number(field);
    if (!number) refuse_text(table, row, column, "; for a class by name say positive: {equals: ...}");
    return *number > rule.above;
  }
  bool operator()(const PositiveEquals& rule) const {
    const auto a = parse_number(field), b = parse_number(rule.equals);
    return a && b ? *a == *b : field == rule.equals;
  }
};

}  // namespace

bool is_missing(std::string_view field, const CsvData& options) {
  return contains(options.missing, field);
}

Column read_column(const TextTable& table, std::size_t column, const CsvData& options) {
  const std::string& name = table.names()[column];
  if (!contains(options.categorical, name)) {
    Numbers n = read_numbers(table, column, options);
    if (n.numbers == 0 && n.texts == 0) refuse_empty(table, name);
    if (n.texts > 0 && contains(options.numeric, name)) refuse_text(table, n.first_text, column, "");
    if (n.texts > 0 && n.numbers > 0) {
      refuse_text(table, n.first_text, column,
                  fmt::format(" beside {} numbers; name the column in categorical, or the entry in missing",
                              n.numbers));
    }
    if (n.texts == 0) return {.name = name, .values = std::move(n.values), .levels = {}};
  }
  return read_text(table, column, options);
}

Column read_target(const TextTable& table, const CsvData& options) {
  const std::size_t column = table.column(options.target, "target");
  if (!options.positive) {
    Numbers n = read_numbers(table, column, options);
    if (n.texts > 0) refuse_text(table, n.first_text, column, "; for classes say positive: {equals: ...}");
    return {.name = options.target, .values = std::move(n.values), .levels = {}};
  }
  Column c{.name = options.target,
           .values = Eigen::VectorXd(static_cast<Eigen::Index>(table.rows())),
           .levels = {}};
  bool seen[2] = {false, false};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view field = table.field(row, column);
    double& value = c.values[static_cast<Eigen::Index>(row)];
    value = kMissing;
    if (is_missing(field, options)) continue;
    const bool positive = std::visit(IsPositive{field, table, row, column}, *options.positive);
    value = positive ? 1 : -1;
    seen[positive] = true;
  }
  if (!seen[0] || !seen[1]) {
    throw DataError(fmt::format("{}: column '{}': expected two classes, found {}", table.file_name(0),
                                options.target, seen[1] ? "only the positive one" : "only the negative one"));
  }
  return c;
}

}  // namespace hearsay::models
