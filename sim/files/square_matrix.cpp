#include "sim/files/square_matrix.hpp"

#include <fmt/format.h>

#include "sim/files/csv_table.hpp"

namespace hearsay::sim {

std::shared_ptr<const SquareMatrix> SquareMatrix::read(const InputFile& file, double scale) {
  const CsvTable table(file);
  auto matrix = std::make_shared<SquareMatrix>();
  matrix->name = file.path;
  matrix->nodes = table.rows();
  matrix->values.reserve(table.rows() * table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.columns(row) != table.rows()) {
      throw FileError(
          fmt::format("{}a latency matrix must be square: expected {} numbers, as many as rows, found {}",
                      table.at(row), table.rows(), table.columns(row)));
    }
    for (std::size_t column = 0; column < table.rows(); ++column) {
      const double value = table.number(row, column);
      if (value < 0) {
        throw FileError(fmt::format("{}a latency must not be negative, found {:g} in field {}", table.at(row),
                                    value, column + 1));
      }
      matrix->values.push_back(value * scale);
    }
  }
  return matrix;
}

}  // namespace hearsay::sim
