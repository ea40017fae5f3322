#pragma once
// A file with a given text, for as long as the test holds it.
#include <string>
#include <string_view>

#include "models/data/csv/csv_data.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/streams.hpp"

namespace hearsay::test {

class TextFile {
 public:
  explicit TextFile(std::string_view text, const std::string& name = "data.csv")
      : input_{name, folder_.write(name, std::string(text))} {}

  const sim::InputFile& input() const { return input_; }

 private:
  Scratch folder_;
  sim::InputFile input_;
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

/// The message with which data cannot be made.
inline std::string data_failure(const models::CsvData& options) {
  return error_of<models::DataError>([&] { make_data(options, kStreams); });
}

}  // namespace hearsay::test
