#include "analysis/store/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/algorithm/string/replace.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "sim/files/csv_table.hpp"
#include "sim/files/whole_number.hpp"

namespace hearsay::analysis {

namespace {
OutputError failure(const std::filesystem::path& path, const char* what) {
  return OutputError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}

// Where a path leads.
struct Destination {
  std::filesystem::path path;
  std::optional<int> stream{};  // a descriptor of this process
  bool special = false;         // there is something that is no regular file
};

Destination destination_of(std::filesystem::path path) {
  namespace fs = std::filesystem;
  constexpr int kMaxLinks = 40;
  std::error_code error;
  const fs::path streams = fs::canonical("/proc/self/fd", error);
  for (int links = 0; links < kMaxLinks && fs::is_symlink(path, error); ++links) {
    const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
    const auto number = sim::whole_number<std::uint16_t>(path.filename().string());
    if (!error && folder == streams && number) return {.path = path, .stream = *number};
    path = folder / fs::read_symlink(path, error);
  }
  const fs::file_status status = fs::status(path, error);
  return {.path = path, .special = fs::exists(status) && !fs::is_regular_file(status)};
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path, Existing existing) : path_(std::move(path)) {
  const Destination target = existing == Existing::kFollowed ? destination_of(path_) : Destination{path_};
  direct_ = target.stream || target.special;
  if (direct_) {
    // Of an open stream the descriptor itself, so that what else is written to it comes after.
    const int descriptor =
        target.stream ? ::dup(*target.stream) : ::open(target.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    file_ = descriptor < 0 ? nullptr : ::fdopen(descriptor, "wb");
  } else {
    destination_ = target.path;
    folder_.emplace(destination_.has_parent_path() ? destination_.parent_path() : ".", path_);
    file_ = std::fopen((*folder_ / destination_.filename()).c_str(), "wb");
  }
  if (file_ == nullptr) throw failure(path_, "cannot be written");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) throw failure(path_, "writing failed");
}

std::string OutputFile::written() const {
  if (std::fflush(file_) != 0) throw failure(path_, "writing failed");
  std::ifstream file(*folder_ / destination_.filename(), std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw failure(path_, "cannot be read again");
  return text;
}

void OutputFile::rewrite(std::string_view text) {
  std::rewind(file_);
  if (::ftruncate(::fileno(file_), 0) != 0) throw failure(path_, "writing failed");
  write(text);
}

void OutputFile::finish() {
  if (file_ == nullptr) return;
  const bool flushed = std::fflush(file_) == 0 && (direct_ || ::fsync(::fileno(file_)) == 0);
  if (std::fclose(std::exchange(file_, nullptr)) != 0 || !flushed) throw failure(path_, "writing failed");
}

void OutputFile::commit() {
  finish();
  if (!folder_) return;
  std::error_code error;
  std::filesystem::rename(*folder_ / destination_.filename(), destination_, error);
  folder_.reset();
  if (error) throw OutputError(fmt::format("{}: cannot be written: {}", path_.string(), error.message()));
}

void commit(const std::vector<OutputFile*>& files) {
  for (OutputFile* file : files) file->finish();
  for (OutputFile* file : files) file->commit();
}

std::string csv_field(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t";
  if (!text.empty() && kFormula.find(text[0]) != std::string_view::npos && !sim::parse_number(text))
    return csv_field("'" + std::string(text));
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  return '"' + boost::replace_all_copy(std::string(text), "\"", "\"\"") + '"';
}

std::string csv_prefix(const std::vector<std::string>& fields) {
  std::string all;
  for (const std::string& field : fields) all += csv_field(field) + ",";
  return all;
}

std::string agent_text(const std::optional<sim::AgentId>& agent) {
  return agent ? std::to_string(*agent) : std::string();
}

}  // namespace hearsay::analysis
