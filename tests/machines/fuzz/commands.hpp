#pragma once
// Commands of the program in a folder in memory.
#include <filesystem>
#include <fstream>

#include "scenarios/commands/command.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

namespace hearsay::fuzz {

/// A folder in memory, removed at the end. TMPDIR, if given, is where.
inline const std::filesystem::path& folder() {
  static const auto& made = *new std::filesystem::path([] {  // still there at exit
    const char* parent = std::getenv("TMPDIR");
    std::filesystem::path path = parent != nullptr ? parent : "/dev/shm";
    path /= "hearsay-fuzz-" + std::to_string(getpid());
    std::filesystem::create_directories(path);
    std::atexit([] {
      std::error_code error;
      std::filesystem::remove_all(folder(), error);
    });
    return path;
  }());
  return made;
}

/// Writes and reads files of that folder.
inline void write(const std::string& file, std::string_view text) {
  std::ofstream out(folder() / file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  require(out.good(), "writing a file");
}

inline std::string read(const std::string& file) {
  std::ifstream in(folder() / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace hearsay::fuzz
