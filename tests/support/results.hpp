#pragma once
// The files that a run of the program writes.
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace hearsay::test {

inline nlohmann::json manifest_of(const std::string& folder) {
  return nlohmann::json::parse(text_of(folder + "/manifest.json"));
}

/// The fields of each line of a CSV file.
inline std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream in(text_of(file));
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string>& row = rows.emplace_back(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        row.emplace_back();
      } else {
        row.back() += c;
      }
    }
  }
  return rows;
}

}  // namespace hearsay::test
