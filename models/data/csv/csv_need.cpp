#include <algorithm>
#include <set>

#include "models/data/csv/working_set.hpp"
#include "sim/files/text_shape.hpp"

namespace hearsay::models {
namespace {

constexpr std::size_t kHead = 1 << 18;  // bytes of each file that are read

// Different values of a column in `all` rows: as many more as appear for the first time in the second half of the rows
// at the beginning.
double different_values(const TextTable& head, std::size_t column, double all) {
  std::set<std::string_view> seen;
  std::size_t in_first_half = 0;
  for (std::size_t row = 0; row < head.rows(); ++row) {
    seen.insert(head.field(row, column));
    if (row < head.rows() / 2) in_first_half = seen.size();
  }
  const auto rows = static_cast<double>(head.rows()), count = static_cast<double>(seen.size());
  const double fresh = 2 * (count - static_cast<double>(in_first_half)) / rows;  // a row
  return count + fresh * std::max(0.0, all - rows);
}

// Features that the used columns become.
double features_of(const TextTable& head, const CsvData& options, const std::vector<std::size_t>& columns) {
  double p = options.bias ? 1 : 0;
  for (const std::size_t c : columns) {
    const bool levels = options.encode == Encode::kOneHot && read_column(head, c, options).text();
    p += levels ? static_cast<double>(read_column(head, c, options).levels.size()) : 1;
  }
  return options.pca ? static_cast<double>(options.pca->components) + (options.bias ? 1 : 0) : p;
}

}  // namespace

DataNeed need_of(const CsvData& options, const sim::Streams&) {
  constexpr double kNumber = sizeof(double);
  const TextTable head(options, kHead);
  const std::vector<std::size_t> columns = feature_columns(head, options);

  double rows = 0, files = static_cast<double>(options.files.size());
  sim::Memory table{};
  const auto add = [&](const sim::InputFile& file) {
    const sim::TextShape text = sim::text_shape(file);
    rows += text.rows;
    table = sim::in_order({table, text.table()});
  };
  if (options.path) add(*options.path);
  for (const sim::InputFile& file : options.files) add(file);

  DataNeed need{.owners = std::max(1.0, files), .features = features_of(head, options, columns)};
  if (options.owner) {
    const auto* blocks = std::get_if<OwnerBlocks>(&*options.owner);
    const auto* by_column = std::get_if<OwnerColumn>(&*options.owner);
    need.owners = blocks != nullptr      ? static_cast<double>(blocks->blocks)
                  : by_column != nullptr ? different_values(head, head.column(by_column->column, ""), rows)
                                         : static_cast<double>(owners_of(*partition_of(*options.owner)));
  }
  if (options.classes) {
    const auto* listed = std::get_if<ClassesListed>(&*options.classes);
    need.classes = listed != nullptr ? static_cast<double>(listed->values.size())
                                     : different_values(head, head.column(options.target, "target"), rows);
  }
  const double used =
      options.records ? std::min(rows, need.owners * static_cast<double>(*options.records)) : rows;
  need.test_records = options.test_fraction * used;
  need.records = used - need.test_records;

  // The columns as numbers, the rows by owner (in a map whose nodes have 64 bytes), then the matrix of features and
  // finally the shards, all beside the text.
  const sim::Memory records = memory_of_records(need);
  const double text = table.held + static_cast<double>(columns.size() + 1) * rows * kNumber;
  const double assigned = used * (2 * sizeof(std::size_t) + 1);
  const double assigning = rows * 3 * sizeof(std::size_t) + used * 64;
  const double matrix = used * (need.features + 1) * kNumber * (options.pca ? 2 : 1);
  const double most = std::max(table.peak(), text + assigned + std::max(assigning, matrix + records.peak()));
  need.memory = {records.held, std::max(0.0, most - records.held)};
  if (!options.similarity) return need;

  const double pairs = need.owners * (need.owners - 1) / 2;
  const auto* nearest = std::get_if<NearestWeights>(&options.similarity->weights);
  need.similar = nearest != nullptr
                     ? std::min(pairs, 0.75 * need.owners * static_cast<double>(nearest->neighbours))
                     : pairs / 2;
  need.memory = sim::in_order({need.memory, memory_of_similarity(need.similar)});
  return need;
}

}  // namespace hearsay::models
