#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "models/data/csv/working_set.hpp"

namespace hearsay::models {
namespace {

constexpr std::size_t kMaxClassesFound = 1000;  // more are a target of another kind
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

// Numbers where the fields are; `text` is the row of the first field that is neither a number nor missing, or of the
// first that looks like a number.
struct Numbers {
  Eigen::VectorXd values;
  std::size_t numbers = 0, texts = 0, text = 0;
  NumberLike like = {};
};

Numbers read_numbers(const TextTable& table, std::size_t column, const CsvData& options) {
  Numbers n;
  n.values = entries(table, column, options, [&](std::string_view field, std::size_t row) {
    const auto number = table.number(row, column);
    n.numbers += number.has_value();
    if (number) return *number;
    if (n.texts++ == 0) n.text = row;
    if (!n.like) {
      n.like = number_like(field, table.decimal());
      if (n.like) n.text = row;
    }
    return kMissing;
  });
  return n;
}

[[noreturn]] void refuse_empty(const TextTable& table, std::string_view name) {
  throw DataError(fmt::format("{}: column '{}': expected a value, found only missing ones; drop it",
                              table.file_name(0), name));
}

// The different values of a column, and their names as first written. Keys that are texts lie in the names, or in the table.
struct Levels {
  std::map<ClassKey, std::size_t> number;
  std::vector<std::string> names;
};

Levels find_levels(const TextTable& table, std::size_t column, const CsvData& options) {
  std::map<ClassKey, std::string_view> written;
  entries(table, column, options, [&](std::string_view field, std::size_t) {
    written.emplace(class_key(field, table.decimal()), field);
    return 0;
  });
  Levels found;
  for (const auto& [key, name] : written) {
    found.number.emplace(key, found.names.size());
    found.names.emplace_back(name);
  }
  return found;
}

Levels listed_levels(std::vector<std::string> values, const TextTable& table) {
  Levels all{{}, std::move(values)};
  for (std::size_t k = 0; k < all.names.size(); ++k)
    all.number.emplace(class_key(all.names[k], table.decimal()), k);
  return all;
}

// The level of values that are not listed.
constexpr std::string_view kOther = "other";

// The levels of a category; `other` is the one of values that are not listed.
Levels levels_of(const TextTable& table, std::size_t column, const CsvData& options, std::size_t* other) {
  const Categories* declared = declared_categories(options, table.names()[column]);
  if (declared == nullptr) return find_levels(table, column, options);
  std::vector<std::string> names = declared->values;
  const bool others = declared->unlisted == Unlisted::kOther;
  if (others && std::ranges::count(names, kOther) == 0) names.emplace_back(kOther);
  Levels all = listed_levels(std::move(names), table);
  if (others) *other = all.number.at(kOther);
  return all;
}

Column read_text(const TextTable& table, std::size_t column, const CsvData& options) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t other = kNone;
  Levels levels = levels_of(table, column, options, &other);
  Column c{.name = table.names()[column], .values = {}, .levels = {}};
  if (levels.names.empty()) refuse_empty(table, c.name);
  c.values = entries(table, column, options, [&](std::string_view field, std::size_t row) {
    const auto found = levels.number.find(class_key(field, table.decimal()));
    if (found != levels.number.end()) return static_cast<double>(found->second);
    if (other == kNone) {
      throw DataError(
          fmt::format(
              R"({}expected one of the {} values of categories, found '{}'; add it, or set unlisted to "other")",
              table.at(row, column), levels.names.size(), field),
          "categories");
    }
    return static_cast<double>(other);
  });
  c.levels = std::move(levels.names);
  return c;
}

// `n` has a text. `as_text` says what to do if it is none of the numbers that it looks like.
[[noreturn]] void refuse_text(const TextTable& table, const Numbers& n, std::size_t column,
                              std::string_view as_text) {
  const bool point = table.decimal() == '.';
  std::string hint = n.numbers > 0 ? fmt::format(" among {} numbers", n.numbers) : "";
  if (n.like.other_mark)
    hint += fmt::format(R"(; for numbers with a decimal {} set decimal to "{}")", point ? "comma" : "point",
                        point ? ',' : '.');
  if (n.like.thousands)
    hint += fmt::format("{} remove separators of thousands", n.like.other_mark ? "," : ";");
  if (!as_text.empty()) hint += fmt::format("{}{}", n.like ? ", or " : "; ", as_text);
  throw DataError(fmt::format("{}expected a number, found '{}'{}", table.at(n.text, column),
                              table.field(n.text, column), hint));
}

Levels find_classes(const TextTable& table, std::size_t column, const CsvData& options) {
  if (const auto* listed = std::get_if<ClassesListed>(&*options.classes))
    return listed_levels(listed->values, table);
  Levels c = find_levels(table, column, options);
  if (c.names.size() < 2 || c.names.size() > kMaxClassesFound) {
    throw DataError(fmt::format("{}: column '{}': expected 2 to {} different classes, found {}{}",
                                table.file_name(0), options.target, kMaxClassesFound, c.names.size(),
                                c.names.size() < 2 ? "" : "; list them in classes, or remove classes"));
  }
  return c;
}

Column read_classes(const TextTable& table, std::size_t column, const CsvData& options) {
  Levels classes = find_classes(table, column, options);
  Column c{.name = options.target, .values = {}, .levels = {}};
  c.values = entries(table, column, options, [&](std::string_view field, std::size_t row) {
    const auto found = classes.number.find(class_key(field, table.decimal()));
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

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The field without `separator`, if it separates groups of three digits: 1,234,567.5. Else empty.
std::string without_thousands(std::string_view field, char separator) {
  std::string rest;
  for (std::size_t k = 0; k < field.size(); ++k) {
    if (field[k] != separator) {
      rest += field[k];
      continue;
    }
    std::size_t digits = 0;
    while (k + 1 + digits < field.size() && is_digit(field[k + 1 + digits])) ++digits;
    if (digits != 3 || k == 0 || !is_digit(field[k - 1])) return {};
  }
  return rest.size() < field.size() ? rest : std::string();
}

}  // namespace

ClassKey class_key(std::string_view field, char decimal) {
  if (const auto number = sim::parse_number(field, decimal)) return *number;
  return field;
}

const Categories* declared_categories(const CsvData& options, std::string_view column) {
  const auto found = std::ranges::find(options.categories, column, &Categories::column);
  return found == options.categories.end() ? nullptr : &*found;
}

bool is_missing(std::string_view field, const CsvData& options) {
  return contains(options.missing, field);
}

Column read_levels(const TextTable& table, std::size_t column, const CsvData& options) {
  return read_text(table, column, options);
}

Column read_column(const TextTable& table, std::size_t column, const CsvData& options) {
  const std::string& name = table.names()[column];
  if (contains(options.categorical, name) || declared_categories(options, name) != nullptr)
    return read_text(table, column, options);
  Numbers n = read_numbers(table, column, options);
  if (n.numbers == 0 && n.texts == 0) refuse_empty(table, name);
  if (n.texts == 0) return {.name = name, .values = std::move(n.values), .levels = {}};
  if (contains(options.numeric, name)) refuse_text(table, n, column, "");
  if (n.numbers > 0) refuse_text(table, n, column, "add the column to categorical, or the entry to missing");
  if (n.like) refuse_text(table, n, column, "add the column to categorical");
  return read_text(table, column, options);
}

Column read_target(const TextTable& table, const CsvData& options) {
  const std::size_t column = table.column(options.target, "target");
  if (options.classes) return read_classes(table, column, options);
  if (!options.positive) {
    Numbers n = read_numbers(table, column, options);
    if (n.texts > 0 && n.numbers > 0) refuse_text(table, n, column, "add the entry to missing");
    if (n.texts > 0) {
      refuse_text(table, n, column,
                  R"(for two classes set positive to {"equals": "..."}, for several set classes to "auto")");
    }
    return {.name = options.target, .values = std::move(n.values), .levels = {}};
  }
  bool seen[2] = {false, false};
  Column c{.name = options.target, .values = {}, .levels = {}};
  c.values = entries(table, column, options, [&](std::string_view field, std::size_t row) {
    const auto number = table.parse(field);
    bool positive = false;
    if (const auto* rule = std::get_if<PositiveAbove>(&*options.positive)) {
      if (!number) {
        refuse_text(table, {.values = {}, .text = row, .like = number_like(field, table.decimal())}, column,
                    "for a class by name set positive to {\"equals\": \"...\"}");
      }
      positive = *number > rule->above;
    } else {
      const std::string& equals = std::get<PositiveEquals>(*options.positive).equals;
      const auto other = table.parse(equals);
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

NumberLike number_like(std::string_view field, char decimal) {
  NumberLike like{.other_mark = sim::parse_number(field, decimal == '.' ? ',' : '.').has_value()};
  for (const char separator : {',', '.', ' ', '\''}) {
    const std::string rest = without_thousands(field, separator);
    like.thousands = like.thousands || sim::parse_number(rest, '.') || sim::parse_number(rest, ',');
  }
  return like;
}

}  // namespace hearsay::models
