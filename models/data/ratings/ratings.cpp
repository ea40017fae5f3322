#include "models/data/ratings/ratings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/algebra/dense.hpp"
#include "models/data/csv/text_table.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

// The places in ascending order of the whole numbers of a column, which name users or items.
std::map<std::int64_t, std::size_t> places_of(const TextTable& table, std::size_t column,
                                              std::string_view what) {
  std::map<std::int64_t, std::size_t> place;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto id = table.parse(table.field(row, column));
    if (!id || *id != std::floor(*id) || std::abs(*id) > 1e15) {
      throw DataError(fmt::format("{}expected the whole number of the {}, found '{}'", table.at(row, column),
                                  what, table.field(row, column)));
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

// Every column of `out` by ridge regression of its ratings on the columns of `given`.
void regress(const RatingLists& lists, double ridge, const Eigen::MatrixXd& given, Eigen::MatrixXd& out) {
  const Index p = given.rows();
  Eigen::MatrixXd moments(p, p);
  Eigen::VectorXd target(p);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    auto column = out.col(static_cast<Index>(i));
    column.setZero();
    if (lists[i].empty()) continue;
    moments.setZero();
    moments.diagonal().setConstant(ridge * static_cast<double>(lists[i].size()));
    target.setZero();
    for (const Rating& r : lists[i]) {
      const auto v = given.col(static_cast<Index>(r.item));
      moments.selfadjointView<Eigen::Lower>().rankUpdate(v);
      target += r.value * v;
    }
    column = solve_symmetric(moments, target);
  }
}

}  // namespace

std::size_t Ratings::count() const {
  std::size_t total = 0;
  for (const auto& ratings : of_user) total += ratings.size();
  return total;
}

RatingLists Ratings::of_item() const {
  RatingLists lists(items);
  for (std::size_t i = 0; i < users(); ++i) {
    for (const Rating& r : of_user[i]) lists[r.item].push_back({i, r.value});
  }
  return lists;
}

Ratings read_ratings(const sim::InputFile& file) {
  const TextTable table = table_of(file);
  const auto users = places_of(table, 0, "user"), items = places_of(table, 1, "item");
  const auto place = [&](const auto& of, std::size_t row, std::size_t column) {
    return of.at(static_cast<std::int64_t>(*table.parse(table.field(row, column))));
  };

  Ratings out;
  out.items = items.size();
  out.of_user.resize(users.size());
  for (const auto& [id, user] : users) out.user_names.push_back(fmt::format("user {}", id));
  std::vector<std::map<std::size_t, double>> by_item(users.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto value = table.number(row, 2);
    if (!value)
      throw DataError(fmt::format("{}expected a number, found '{}'", table.at(row, 2), table.field(row, 2)));
    if (!by_item[place(users, row, 0)].emplace(place(items, row, 1), *value).second) {
      throw DataError(fmt::format("{}user {} has already rated item {}; remove one of the ratings",
                                  table.at(row), table.field(row, 0), table.field(row, 1)));
    }
  }
  for (std::size_t i = 0; i < by_item.size(); ++i) {
    for (const auto& [item, value] : by_item[i]) out.of_user[i].push_back({item, value});
  }
  return out;
}

void alternate_least_squares(const Ratings& ratings, double ridge, std::size_t sweeps,
                             Eigen::MatrixXd& items) {
  const RatingLists of_item = ratings.of_item();
  Eigen::MatrixXd users(items.rows(), static_cast<Index>(ratings.users()));
  for (std::size_t s = 0; s < sweeps; ++s) {
    regress(ratings.of_user, ridge, items, users);
    regress(of_item, ridge, users, items);
  }
}

}  // namespace hearsay::models
