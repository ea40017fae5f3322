#include "models/data/ratings/ratings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "models/algebra/dense.hpp"
#include "models/data/csv/text_table.hpp"
#include "sim/random/random.hpp"

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

constexpr std::size_t kRank = 5;
using Factors = std::array<double, kRank>;

struct Item {
  double weight, bias;
  Factors factors;
};

std::vector<Item> draw_items(std::size_t count, const sim::Streams& streams) {
  std::vector<Item> items(count);
  for (std::size_t j = 0; j < count; ++j) {
    auto stream = data_stream(streams, kWholeStudy, DataDraw::kParameters, Instances::kTest, j);
    items[j].weight = std::exp(sim::normal(stream, 0, 1.5));
    items[j].bias = sim::normal(stream, 0, 0.5);
    for (double& f : items[j].factors) f = sim::normal(stream);
  }
  return items;
}

// Whole numbers in [least, most] of the given total, near least + c z with one c for all.
std::vector<std::size_t> scale_to_total(const std::vector<double>& z, std::size_t least, std::size_t most,
                                        std::size_t total) {
  const auto counts = [&](double c) {
    std::vector<std::size_t> n(z.size());
    std::transform(z.begin(), z.end(), n.begin(), [&](double v) {
      return least + static_cast<std::size_t>(std::min(std::floor(c * v), static_cast<double>(most - least)));
    });
    return n;
  };
  const auto sum = [](const auto& n) { return std::accumulate(n.begin(), n.end(), std::size_t{0}); };
  double low = 0, high = 1;
  while (sum(counts(high)) < total && high < 1e12) high *= 2;
  for (int k = 0; k < 100; ++k) {
    const double middle = (low + high) / 2;
    (sum(counts(middle)) <= total ? low : high) = middle;
  }
  std::vector<std::size_t> n = counts(low);
  std::size_t missing = total - sum(n);
  for (std::size_t i = 0; missing > 0; i = (i + 1) % n.size()) {
    if (n[i] == most) continue;
    ++n[i];
    --missing;
  }
  return n;
}

// `count` items without replacement, in proportion to their weights at each draw: those whose exponential
// times of rate `weight` come first (Efraimidis and Spirakis, 2006).
std::vector<std::size_t> pick(const std::vector<Item>& items, std::size_t count, sim::Stream stream) {
  std::vector<std::pair<double, std::size_t>> times;
  for (std::size_t j = 0; j < items.size(); ++j)
    times.emplace_back(sim::exponential(stream) / items[j].weight, j);
  std::partial_sort(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count), times.end());
  std::vector<std::size_t> picked;
  for (std::size_t k = 0; k < count; ++k) picked.push_back(times[k].second);
  std::sort(picked.begin(), picked.end());
  return picked;
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

Ratings generate_ratings(const RatingsShape& shape, const sim::Streams& streams) {
  const std::vector<Item> items = draw_items(shape.items, streams);
  std::vector<double> size;
  for (std::size_t i = 0; i < shape.users; ++i) {
    auto stream = data_stream(streams, i, DataDraw::kSize);
    size.push_back(std::exp(sim::normal(stream, 0, 0.925)));
  }
  const auto count =
      scale_to_total(size, RatingsShape::kLeast, std::min(RatingsShape::kMost, shape.items), shape.ratings);

  Ratings out{.of_user = {}, .items = shape.items, .user_names = numbered("user ", shape.users)};
  for (std::size_t i = 0; i < shape.users; ++i) {
    auto own = data_stream(streams, i, DataDraw::kParameters);
    const double mean = sim::normal(own, 3.53, 0.45);
    Factors taste;
    for (double& f : taste) f = sim::normal(own);
    auto noise = data_stream(streams, i, DataDraw::kTargetNoise);
    std::vector<Rating>& ratings = out.of_user.emplace_back();
    for (const std::size_t j : pick(items, count[i], data_stream(streams, i, DataDraw::kFeatures))) {
      const double liking = std::inner_product(taste.begin(), taste.end(), items[j].factors.begin(), 0.0);
      const double score = mean + items[j].bias + 0.2 * liking + sim::normal(noise, 0, 0.75);
      ratings.push_back({j, std::clamp(std::round(score), 1.0, 5.0)});
    }
  }
  return out;
}

}  // namespace hearsay::models
