#include "models/data/ratings/ratings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/data/csv/text_table.hpp"

namespace hearsay::models {
namespace {

// The whole numbers of a column that name users or items, by their place in ascending order.
std::map<std::int64_t, std::size_t> numbered(const TextTable& table, std::size_t column,
                                             std::string_view what) {
  std::map<std::int64_t, std::size_t> place;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto id = parse_number(table.field(row, column));
    if (!id || *id != std::floor(*id) || std::abs(*id) > 1e15) {
      throw DataError(fmt::format("{}expected a whole number that names the {}, found '{}'",
                                  table.at(row, column), what, table.field(row, column)));
    }
    place.emplace(static_cast<std::int64_t>(*id), 0);
  }
  std::size_t next = 0;
  for (auto& entry : place) entry.second = next++;
  return place;
}

TextTable table_of(const sim::InputFile& file) {
  CsvData options;
  options.path = file;
  options.delimiter = "\t";
  options.header = Header::kNo;
  TextTable table(options);
  if (table.columns() != 3 && table.columns() != 4) {
    throw DataError(
        fmt::format("{}expected user, item, rating and timestamp, separated by tabs, found {} fields",
                    table.at(0), table.columns()));
  }
  return table;
}

}  // namespace

std::size_t Ratings::count() const {
  std::size_t total = 0;
  for (const auto& ratings : of_user) total += ratings.size();
  return total;
}

Ratings read_ratings(const sim::InputFile& file) {
  const TextTable table = table_of(file);
  const auto users = numbered(table, 0, "user"), items = numbered(table, 1, "item");
  const auto place = [&](const auto& of, std::size_t row, std::size_t column) {
    return of.at(static_cast<std::int64_t>(*parse_number(table.field(row, column))));
  };

  Ratings out;
  out.items = items.size();
  out.of_user.resize(users.size());
  for (const auto& [id, user] : users) out.user_names.push_back(fmt::format("user {}", id));
  std::vector<std::map<std::size_t, double>> by_item(users.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto value = parse_number(table.field(row, 2));
    if (!value)
      throw DataError(fmt::format("{}expected a number, found '{}'", table.at(row, 2), table.field(row, 2)));
    if (!by_item[place(users, row, 0)].emplace(place(items, row, 1), *value).second) {
      throw DataError(fmt::format("{}user {} has rated item {} before", table.at(row), table.field(row, 0),
                                  table.field(row, 1)));
    }
  }
  for (std::size_t i = 0; i < by_item.size(); ++i) {
    for (const auto& [item, value] : by_item[i]) out.of_user[i].push_back({item, value});
  }
  return out;
}

}  // namespace hearsay::models
