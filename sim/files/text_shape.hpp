#pragma once
// The size of a text file's contents, estimated without reading all of it.
#include "sim/memory.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::sim {

/// Bytes of the file; 0 if it cannot be opened.
double file_bytes(const InputFile& file);

struct TextShape {
  double bytes = 0, rows = 0, fields = 0;  ///< of the whole file
  /// Of a CsvTable of the file.
  Memory table() const;
};
/// From pieces of 16 KiB at equal distances, 1 MiB in all. All are 0 if the file cannot be opened.
TextShape text_shape(const InputFile& file);

}  // namespace hearsay::sim
