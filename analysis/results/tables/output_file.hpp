#pragma once
// A file that never appears half written: it is written under a temporary name, synced and renamed.
#include <fmt/format.h>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "sim/time.hpp"

namespace hearsay::analysis {

/// Writing a result failed: a full disk, no permission.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class OutputFile {
 public:
  /// Throws OutputError if the temporary file cannot be created.
  explicit OutputFile(std::filesystem::path path);
  /// Without commit(), nothing is left behind.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    buffer_.clear();
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    write({buffer_.data(), buffer_.size()});
  }
  /// Puts everything on disk, still under the temporary name. Throws OutputError if any write failed.
  void finish();
  /// Makes the file appear under its name, after finish(). Throws OutputError.
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
  bool pending_ = true;  // the temporary file is there
  fmt::memory_buffer buffer_;
};

/// Makes several files appear; none if one of them cannot be written. Throws OutputError.
void commit(const std::vector<OutputFile*>& files);

/// Removes the temporary files and folders that processes which no longer run have left in a folder.
void remove_abandoned(const std::filesystem::path& folder);

/// A field of a CSV file: quoted if it needs to be (RFC 4180). Text that a spreadsheet would take for a formula gets an
/// apostrophe before it.
std::string csv_field(std::string_view text);
/// Fields, each with the comma after it.
std::string csv_prefix(const std::vector<std::string>& fields);
/// The number of an agent, or an empty field.
std::string agent_text(const std::optional<sim::AgentId>& agent);

}  // namespace hearsay::analysis
