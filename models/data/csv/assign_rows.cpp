#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "models/data/csv/working_set.hpp"

namespace hearsay::models {
namespace {

using Rows = std::vector<std::size_t>;

struct Owners {
  std::vector<std::string> names;
  std::vector<Rows> rows;  // of the table, in file order
};

// The classes of rows; one for other targets.
struct RowClasses {
  const Column& target;
  std::size_t count;  // 1 of other targets

  std::size_t operator()(std::size_t row) const {
    const double y = target.values[static_cast<Eigen::Index>(row)];
    if (count == 1) return 0;
    return target.levels.empty() ? (y > 0 ? 1 : 0) : static_cast<std::size_t>(y);
  }
  std::vector<std::size_t> of(const Rows& rows) const {
    std::vector<std::size_t> all;
    for (const std::size_t row : rows) all.push_back((*this)(row));
    return all;
  }
};

Owners find_owners(const TextTable& table, const Rows& rows, const RowClasses& classes,
                   const CsvData& options, const sim::Streams& streams) {
  Owners o;
  if (const auto partition = options.owner ? partition_of(*options.owner) : std::nullopt) {
    o.names = numbered("owner ", owners_of(*partition));
    if (const std::string* const name = column_of(*partition)) {
      const std::size_t column = table.column(*name, "owner/by");
      const Column by = read_levels(table, column, options);
      for (const std::size_t row : rows) {
        if (std::isnan(by.values[static_cast<Eigen::Index>(row)]))
          throw DataError(fmt::format("{}expected a class to divide by, found none", table.at(row, column)));
      }
      const RowClasses of_column{by, by.levels.size()};
      o.rows = draw_partition(*partition, of_column.of(rows), of_column.count, streams);
    } else {
      o.rows = draw_partition(*partition, classes.of(rows), classes.count, streams);
    }
    for (std::size_t i = 0; i < o.rows.size(); ++i) {
      // Not the first ones: they are in file order, and a file may be sorted.
      const Rows all = std::exchange(o.rows[i], {});
      const auto kept = choose(all.size(), std::min(all.size(), options.records.value_or(all.size())),
                               data_stream(streams, i, DataDraw::kSize));
      for (std::size_t k = 0; k < all.size(); ++k)
        if (kept[k]) o.rows[i].push_back(rows[all[k]]);
    }
  } else if (!options.owner) {
    for (std::size_t f = 0; f < table.files(); ++f)
      o.names.push_back(std::filesystem::path(table.file_name(f)).filename());
    o.rows.resize(table.files());
    for (const std::size_t row : rows) o.rows[table.file_of(row)].push_back(row);
  } else if (const auto* rule = std::get_if<OwnerColumn>(&*options.owner)) {
    const std::size_t column = table.column(rule->column, "owner/column");
    std::map<std::string_view, std::size_t> number;
    for (const std::size_t row : rows) {
      const std::string_view name = table.field(row, column);
      if (is_missing(name, options))
        throw DataError(fmt::format("{}expected an owner, found none", table.at(row, column)));
      const std::size_t owner = number.emplace(name, o.names.size()).first->second;
      if (owner == o.names.size()) {
        o.names.emplace_back(name);
        o.rows.emplace_back();
      }
      o.rows[owner].push_back(row);
    }
  } else {
    const std::size_t blocks = std::get<OwnerBlocks>(*options.owner).blocks;
    if (blocks > rows.size()) {
      throw DataError(fmt::format("{}: expected at most as many owners as records ({}), found {} blocks",
                                  table.file_name(0), rows.size(), blocks));
    }
    o.names = numbered("block ", blocks);
    for (auto begin = rows.begin(); o.rows.size() < blocks; begin += std::ssize(o.rows.back())) {
      const std::size_t size = rows.size() / blocks + (o.rows.size() < rows.size() % blocks ? 1 : 0);
      o.rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
  }
  return o;
}

// Warns of two names that differ in the case of ASCII letters and in surrounding space only.
void warn_of_alike(const std::vector<std::string>& names, std::vector<std::string>& notes) {
  std::map<std::string, const std::string*> first;
  for (const std::string& name : names) {
    std::string plain = name;
    std::ranges::transform(plain, plain.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto begin = plain.find_first_not_of(" \t");
    plain = begin == std::string::npos ? "" : plain.substr(begin, plain.find_last_not_of(" \t") + 1 - begin);
    const auto [other, is_new] = first.emplace(std::move(plain), &name);
    if (is_new) continue;
    notes.push_back(fmt::format(
        "warning: the owners '{}' and '{}' differ in case or surrounding space only; write one name if they "
        "are the same",
        *other->second, name));
  }
}

void drop_small(Owners& o, std::size_t least, const TextTable& table, std::vector<std::string>& notes) {
  Owners kept;
  std::size_t records = 0;
  for (std::size_t i = 0; i < o.rows.size(); ++i) {
    if (o.rows[i].size() < least) {
      records += o.rows[i].size();
      continue;
    }
    kept.names.push_back(std::move(o.names[i]));
    kept.rows.push_back(std::move(o.rows[i]));
  }
  if (kept.rows.empty()) {
    throw DataError(fmt::format("{}: expected an owner with at least {} records (min_records), found none",
                                table.file_name(0), least));
  }
  if (kept.rows.size() < o.rows.size()) {
    notes.push_back(fmt::format("left out {} owners with fewer than {} records ({} records)",
                                o.rows.size() - kept.rows.size(), least, records));
  }
  o = std::move(kept);
}

// The records held out for testing, the same fraction of each class: csv_data.hpp, step 5.
std::vector<char> choose_stratified(const std::vector<std::size_t>& class_of, std::size_t classes,
                                    double fraction, const sim::Streams& streams, std::size_t owner,
                                    Instances instances) {
  const std::size_t n = class_of.size();
  const auto rounded = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(n)));
  const std::size_t wanted = std::min(rounded, n - 1);
  std::vector<Rows> of(classes);
  for (std::size_t k = 0; k < n; ++k) of[class_of[k]].push_back(k);
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t c) { return wanted * of[c].size() % n; });
  std::size_t rest = wanted;
  for (const Rows& one : of) rest -= wanted * one.size() / n;
  std::vector<char> test(n, 0);
  for (const std::size_t c : order) {
    const std::size_t more = rest > 0 ? 1 : 0;
    rest -= more;
    const auto chosen = choose(of[c].size(), wanted * of[c].size() / n + more,
                               data_stream(streams, owner, DataDraw::kSplit, instances, c));
    for (std::size_t k = 0; k < chosen.size(); ++k) test[of[c][k]] = chosen[k];
  }
  return test;
}

// Null if the column is not one number for each owner.
std::optional<std::vector<double>> values_of_owners(const TextTable& table, const Assignment& rows,
                                                    std::size_t column) {
  std::vector<double> values(rows.owner_names.size());
  std::vector<std::string_view> seen(values.size());  // the field as it was written, empty before the first
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::string_view field = table.field(rows.row[k], column);
    std::string_view& first = seen[rows.owner[k]];
    if (field == first && !field.empty()) continue;
    const std::optional<double> number = table.parse(field);
    if (!number || (!first.empty() && *number != values[rows.owner[k]])) return std::nullopt;
    values[rows.owner[k]] = *number;
    first = field;
  }
  return values;
}

}  // namespace

std::map<std::string, std::vector<double>> owner_columns(const TextTable& table, const Assignment& rows) {
  std::map<std::string, std::vector<double>> all;
  for (std::size_t c = 0; c < table.columns(); ++c) {
    if (auto values = values_of_owners(table, rows, c)) all.emplace(table.names()[c], std::move(*values));
  }
  return all;
}

Assignment assign_rows(const TextTable& table, const Rows& rows, const Column& target, const CsvData& options,
                       const sim::Streams& streams, double validation_fraction, Instances instances,
                       std::vector<std::string>& notes) {
  const std::size_t several = target.levels.size();
  const RowClasses classes{target, several > 0 ? several : options.positive ? 2 : 1};
  Owners owners = find_owners(table, rows, classes, options, streams);
  if (options.owner && std::holds_alternative<OwnerColumn>(*options.owner))
    warn_of_alike(owners.names, notes);
  for (auto& of_owner : owners.rows)
    of_owner.resize(std::min(of_owner.size(), options.records.value_or(of_owner.size())));
  drop_small(owners, std::max<std::size_t>(options.min_records, 1), table, notes);

  std::map<std::size_t, std::pair<std::size_t, char>> use;  // owner and test, by row: in file order
  for (std::size_t i = 0; i < owners.rows.size(); ++i) {
    // The records held out of some, and the others.
    const auto split = [&](const Rows& from, double fraction, Instances which) {
      const auto held =
          options.test_split == TestSplit::kStratified
              ? choose_stratified(classes.of(from), classes.count, fraction, streams, i, which)
              : choose_test(from.size(), fraction, data_stream(streams, i, DataDraw::kSplit, which));
      std::pair<Rows, Rows> parts;
      for (std::size_t k = 0; k < from.size(); ++k) (held[k] ? parts.first : parts.second).push_back(from[k]);
      return parts;
    };
    const auto [test, others] = split(owners.rows[i], options.test_fraction, Instances::kTest);
    const auto [validation, train] = split(others, validation_fraction, Instances::kValidation);
    for (const std::size_t row : train) use.try_emplace(row, i, 0);
    for (const std::size_t row : instances == Instances::kTest ? test : validation)
      use.try_emplace(row, i, 1);
  }
  Assignment a;
  a.owner_names = std::move(owners.names);
  for (const auto& [row, of] : use) {
    a.row.push_back(row);
    a.owner.push_back(of.first);
    a.test.push_back(of.second);
  }
  return a;
}

}  // namespace hearsay::models
