#pragma once
// A file that never appears half written: it is written in a temporary folder next to it, synced and renamed.
#include <fmt/format.h>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "analysis/store/temporary_folder.hpp"
#include "sim/check.hpp"
#include "sim/time.hpp"

namespace hearsay::analysis {

/// Writing a result failed: a full disk, no permission.
struct OutputError : sim::Error {
  explicit OutputError(const std::string& message) : Error(Kind::kOutput, {}, message) {}
};

/// What becomes of what has the name already. A file inside a folder of results is replaced, whatever it is: the folder
/// may be from elsewhere. A path that the user names is followed: the file at the end of its links is replaced, and what
/// is no regular file (a FIFO, a device, /dev/stdout) is written into.
enum class Existing : std::uint8_t { kReplaced, kFollowed };

class OutputFile {
 public:
  /// Throws OutputError if the file cannot be created. Waits where a FIFO has no reader.
  explicit OutputFile(std::filesystem::path path, Existing existing = Existing::kReplaced);
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
  /// What has been written, unless it is direct(), and the same replaced. Throws OutputError.
  std::string written() const;
  void rewrite(std::string_view text);
  /// Whether what is written appears at once, in a FIFO, a device or a stream.
  bool direct() const { return direct_; }
  /// Puts everything on disk, still under the temporary name. Throws OutputError if any write failed.
  void finish();
  /// Makes the file appear under its name, after finish(). Throws OutputError.
  void commit();

 private:
  std::filesystem::path path_, destination_;  // as given; the end of its links
  std::optional<TemporaryFolder> folder_;     // until commit(); none for a direct one
  std::FILE* file_ = nullptr;
  bool direct_ = false;
  fmt::memory_buffer buffer_;
};

/// Makes several files appear; none if one of them cannot be written. Throws OutputError.
void commit(const std::vector<OutputFile*>& files);

/// A field of a CSV file: quoted if it needs to be (RFC 4180). Text that a spreadsheet would take for a formula gets an
/// apostrophe before it.
std::string csv_field(std::string_view text);
/// Fields, each with the comma after it.
std::string csv_prefix(const std::vector<std::string>& fields);
/// The number of an agent, or an empty field.
std::string agent_text(const std::optional<sim::AgentId>& agent);

}  // namespace hearsay::analysis
