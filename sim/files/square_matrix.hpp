#pragma once
// A square matrix of numbers that are not negative, from a file: measured delays between nodes.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::sim {

struct SquareMatrix {
  std::string name;  ///< of the file, for messages
  std::size_t nodes = 0;
  std::vector<double> values;  ///< row by row

  double at(std::size_t row, std::size_t column) const { return values[row * nodes + column]; }

  /// Every number times `scale`. Throws FileError for rows of another length than there are rows, a field
  /// that is no number, a negative one.
  static std::shared_ptr<const SquareMatrix> read(const InputFile& file, double scale);
};

}  // namespace hearsay::sim
