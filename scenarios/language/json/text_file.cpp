#include "scenarios/language/json/text_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace hearsay::scenarios {

std::string_view kind_of_file(const std::filesystem::path& path) {
  std::error_code error;
  switch (std::filesystem::status(path, error).type()) {
    case std::filesystem::file_type::regular:
      return "a regular file";
    case std::filesystem::file_type::directory:
      return "a directory";
    case std::filesystem::file_type::fifo:
      return "a FIFO";
    case std::filesystem::file_type::socket:
      return "a socket";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character:
      return "a device";
    case std::filesystem::file_type::not_found:
    case std::filesystem::file_type::none:
      return "nothing there";
    default:
      return "something else";
  }
}

std::string read_text_file(const std::filesystem::path& path, std::size_t most_bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw std::runtime_error(fmt::format("expected a regular file, found {}", kind_of_file(path)));
  }
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > most_bytes) {
    throw std::runtime_error(fmt::format("expected at most {} bytes, found {}", most_bytes, size));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("the file cannot be opened");
  // The size above may lie: of files under /proc it is 0.
  std::string text(std::max<std::size_t>(std::min<std::size_t>(size, most_bytes), 4096) + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw std::runtime_error("the file cannot be read");
  if (in && text.size() > most_bytes) {
    throw std::runtime_error(fmt::format("expected at most {} bytes, found more", most_bytes));
  }
  return text;
}

}  // namespace hearsay::scenarios
