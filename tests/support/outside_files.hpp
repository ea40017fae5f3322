#pragma once
// Files outside the tree that some tests need: data sets in the folder HEARSAY_DATA_DIR, values of independent
// programs in HEARSAY_REFERENCE_DIR.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "sim/options/describe.hpp"

namespace hearsay::test {

/// The path of the file, or nothing if it is missing; ctest then reports the test as skipped. A test first looks up
/// its files and returns if one is missing.
inline std::optional<std::filesystem::path> outside_file(const char* variable, const std::string& name) {
  const char* folder = std::getenv(variable);
  if (folder != nullptr && *folder != '\0') {
    if (const auto path = std::filesystem::path(folder) / name; std::filesystem::exists(path)) return path;
  }
  std::cout << "skipped: set " << variable << " to a folder that holds " << name << std::endl;
  return std::nullopt;
}

inline std::optional<sim::InputFile> data_file(const std::string& name) {
  const auto path = outside_file("HEARSAY_DATA_DIR", name);
  if (!path) return std::nullopt;
  return sim::InputFile{name, *path};
}
inline std::optional<std::filesystem::path> reference_file(const std::string& name) {
  return outside_file("HEARSAY_REFERENCE_DIR", name);
}

}  // namespace hearsay::test
