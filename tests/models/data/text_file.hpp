#pragma once
// A file with a given text, for as long as the test holds it.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "models/data/csv/csv_data.hpp"

namespace hearsay::test {

class TextFile {
 public:
  explicit TextFile(std::string_view text, const std::string& name = "data.csv")
      : folder_(std::filesystem::temp_directory_path() / unique()), path_(folder_ / name) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TextFile() { std::filesystem::remove_all(folder_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  sim::InputFile input() const { return {path_.filename(), path_}; }

 private:
  std::string unique() const {
    static int count = 0;
    return "hearsay-text-" + std::to_string(getpid()) + "-" + std::to_string(count++);
  }
  std::filesystem::path folder_, path_;
};

inline models::CsvData csv_data(const TextFile& file, std::string target = "y") {
  models::CsvData options;
  options.path = file.input();
  options.target = std::move(target);
  return options;
}

/// With the owner set, so that no note says that there is one.
inline models::CsvData csv_of_one_owner(const TextFile& file, std::string target = "y") {
  models::CsvData options = csv_data(file, std::move(target));
  options.owner = models::OwnerBlocks{1};
  return options;
}

}  // namespace hearsay::test
