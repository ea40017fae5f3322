#include "sim/files/text_shape.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace hearsay::sim {

namespace {

const std::string& path_of(const InputFile& file) {
  return file.resolved.empty() ? file.path : file.resolved;
}

}  // namespace

double file_bytes(const InputFile& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path_of(file), error);
  return error ? 0 : static_cast<double>(size);
}

Memory TextShape::table() const {
  const Memory text = grown(bytes, 1), ends = grown(fields, sizeof(std::size_t)), lines = grown(rows, 12);
  return {text.held + ends.held + lines.held, std::max({text.making, ends.making, lines.making})};
}

namespace {

TextShape sampled(const InputFile& file) {
  constexpr std::size_t kPiece = 1 << 14, kPieces = 64;
  TextShape shape{.bytes = file_bytes(file)};
  std::ifstream in(path_of(file), std::ios::binary);
  std::string piece(kPiece, '\0');
  const bool whole = shape.bytes <= kPiece * kPieces;
  double read = 0, rows = 0, separators = 0;
  for (std::size_t k = 0; k < kPieces && in; ++k) {
    if (!whole) in.seekg(static_cast<std::streamoff>(shape.bytes / kPieces * static_cast<double>(k)));
    in.read(piece.data(), kPiece);
    const auto count = static_cast<std::size_t>(in.gcount());
    read += static_cast<double>(count);
    char before = '\n';
    for (const char c : std::string_view(piece).substr(0, count)) {
      rows += c == '\n' ? 1 : 0;
      // Several blanks may separate two fields.
      separators += c == ',' || c == ';' || c == '\t' || c == '|' || (c == ' ' && before != ' ') ? 1 : 0;
      before = c;
    }
  }
  if (read == 0) return shape;
  shape.rows = std::max(1.0, shape.bytes * rows / read);
  shape.fields = shape.rows + shape.bytes * separators / read;
  return shape;
}

}  // namespace

TextShape text_shape(const InputFile& file) {
  // Many points of a sweep name the same file.
  static std::mutex mutex;
  static std::map<std::tuple<std::string, double, std::filesystem::file_time_type>, TextShape> known;
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path_of(file), error);
  const std::lock_guard lock(mutex);
  const auto [place, fresh] = known.try_emplace({path_of(file), file_bytes(file), written});
  if (fresh) place->second = sampled(file);
  return place->second;
}

}  // namespace hearsay::sim
