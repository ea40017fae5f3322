#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "models/data/csv/working_set.hpp"

namespace hearsay::models {
namespace {

constexpr std::size_t kMostClassesFound = 1000;  // more are a target of another kind
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The entries of a column by `number` of each field and its row; NaN where missing.
template <class F>
Eigen::VectorXd entries(const TextTable& table, std::size_t column, const CsvData& options, const F& number) {
  Eigen::VectorXd values = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(table.rows()), kMissing);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view field = table.field(row, column);
    if (!is_missing(field, options)) values[static_cast<Eigen::Index>(row)] = number(field, row);
  }
  return values;
}

// Numbers where the fields are; `first_text` is the first row whose field is neither a number nor missing.
struct Numbers {
  Eigen::VectorXd values;
  std::size_t numbers = 0, texts = 0, first_text = 0;
};

Numbers read_numbers(const TextTable& table, std::size_t column, const CsvData& options) {
  Numbers n;
  n.values = entries(table, column, options, [&](std::string_view, std::size_t row) {
    const auto number = table.number(row, column);
    if (!number && n.texts++ == 0) n.first_text = row;
    n.numbers += number.has_value();
    return number.value_or(kMissing);
  });
  return n;
}

[[noreturn]] void refuse_empty(const TextTable& table, std::string_view name) {
  throw DataError(fmt::format("{}: column '{}': expected a value, found only missing ones; drop it",
                              table.file_name(0), name));
}

// The different values of a column, and their names as first written.
struct Levels {
  std::map<ClassKey, std::size_t> number;
  std::vector<std::string> names;
};

Levels find_levels(const TextTable& table, std::size_t column, const CsvData& options) {
  std::map<ClassKey, std::string_view> written;
  entries(table, column, options, [&](std::string_view field, std::size_t) {
    written.emplace(class_key(field), field);
    return 0;
  });
  Levels found;
  for (const auto& [key, name] : written) {
    found.number.emplace(key, found.names.size());
    found.names.emplace_back(name);
  }
  return found;
}

Column read_text(const TextTable& table, std::size_t column, const CsvData& options) {
  Levels found = find_levels(table, column, options);
  Column c{.name = table.names()[column], .values = {}, .levels = {}};
  if (found.names.empty()) refuse_empty(table, c.name);
  c.values = entries(table, column, options, [&](std::string_view field, std::size_t) {
    return static_cast<double>(found.number.at(class_key(field)));
  });
  c.levels = std::move(found.names);
  return c;
}

[[noreturn]] void refuse_text(const TextTable& table, std::size_t row, std::size_t column,
                              std::string_view hint) {
  throw DataError(fmt::format("{}expected a number, found '{}'{}", table.at(row, column),
                              table.field(row, column), hint));
}

Levels find_classes(const TextTable& table, std::size_t column, const CsvData& options) {
  if (const auto* listed = std::get_if<ClassesListed>(&*options.classes)) {
    Levels c{{}, listed->values};
    for (std::size_t k = 0; k < c.names.size(); ++k) c.number.emplace(class_key(c.names[k]), k);
    return c;
  }
  Levels c = find_levels(table, column, options);
  if (c.names.size() < 2 || c.names.size() > kMostClassesFound) {
    throw DataError(fmt::format("{}: column '{}': expected 2 to {} different classes, found {}{}",
                                table.file_name(0), options.target, kMostClassesFound, c.names.size(),
                                c.names.size() < 2 ? "" : "; list them in classes, or remove classes"));
  }
  return c;
}

Column read_classes(const TextTable& table, std::size_t column, const CsvData& options) {
  Levels classes = find_classes(table, column, options);
  Column c{.name = options.target, .values = {}, .levels = {}};
  c.values = entries(table, column, options, [&](std::string_view field, std::size_t row) {
    const auto found = classes.number.find(class_key(field));
    if (found == classes.number.end()) {
      throw DataError(fmt::format("{}expected one of the classes {}, found '{}'", table.at(row, column),
                                  fmt::join(classes.names, ", "), field),
                      "classes");
    }
    return static_cast<double>(found->second);
  });
  c.levels = std::move(classes.names);
  return c;
}

}  // namespace

ClassKey class_key(std::string_view field) {
  if (const auto number = parse_number(field)) return *number;
  return field;
}

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
                  fmt::format(" beside {} numbers; add the column to categorical, or the entry to missing",
                              n.numbers));
    }
    if (n.texts == 0) return {.name = name, .values = std::move(n.values), .levels = {}};
  }
  return read_text(table, column, options);
}

Column read_target(const TextTable& table, const CsvData& options) {
  const std::size_t column = table.column(options.target, "target");
  if (options.classes) return read_classes(table, column, options);
  if (!options.positive) {
    Numbers n = read_numbers(table, column, options);
    if (n.texts > 0) {
      refuse_text(table, n.first_text, column,
                  R"(; for two classes set positive: {"equals": ...}, for several classes: "auto")");
    }
    return {.name = options.target, .values = std::move(n.values), .levels = {}};
  }
  bool seen[2] = {false, false};
  Column c{.name = options.target, .values = {}, .levels = {}};
  c.values = entries(table, column, options, [&](std::string_view field, std::size_t row) {
    const auto number = parse_number(field);
    bool positive = false;
    if (const auto* rule = std::get_if<PositiveAbove>(&*options.positive)) {
      if (!number) refuse_text(table, row, column, "; for a class by name set positive: {equals: ...}");
      positive = *number > rule->above;
    } else {
      const std::string& equals = std::get<PositiveEquals>(*options.positive).equals;
      const auto other = parse_number(equals);
      positive = number && other ? *number == *other : field == equals;
    }
    seen[positive] = true;
    return positive ? 1 : -1;
  });
  if (!seen[0] || !seen[1]) {
    throw DataError(fmt::format("{}: column '{}': expected two classes, found {}", table.file_name(0),
                                options.target, seen[1] ? "only the positive one" : "only the negative one"));
  }
  return c;
}

}  // namespace hearsay::models
