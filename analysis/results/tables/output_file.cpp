#include "analysis/results/tables/output_file.hpp"

#include <signal.h>
#include <unistd.h>

#include <boost/algorithm/string/replace.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <utility>

#include "sim/files/csv_table.hpp"

namespace hearsay::analysis {

namespace {
OutputError failure(const std::filesystem::path& path, const char* what) {
  return OutputError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
}
}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), temporary_(path_) {
  temporary_ += fmt::format(".{}.tmp", ::getpid());
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) throw failure(path_, "cannot be written");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  std::error_code ignored;
  if (pending_) std::filesystem::remove(temporary_, ignored);
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) throw failure(path_, "writing failed");
}

void OutputFile::finish() {
  if (file_ == nullptr) return;
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0 ||
      std::fclose(std::exchange(file_, nullptr)) != 0)
    throw failure(path_, "writing failed");
}

void OutputFile::commit() {
  finish();
  std::error_code error, ignored;
  std::filesystem::rename(temporary_, path_, error);
  pending_ = false;
  if (!error) return;
  std::filesystem::remove(temporary_, ignored);
  throw OutputError(fmt::format("{}: cannot be written: {}", path_.string(), error.message()));
}

void commit(const std::vector<OutputFile*>& files) {
  for (OutputFile* file : files) file->finish();
  for (OutputFile* file : files) file->commit();
}

void remove_abandoned(const std::filesystem::path& folder) {
  static const std::regex name(R"(.+\.([0-9]+)\.tmp)");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::smatch match;
    const std::string file = entry.path().filename().string();
    if (!std::regex_match(file, match, name)) continue;
    const auto process = static_cast<::pid_t>(std::strtol(match[1].str().c_str(), nullptr, 10));
    if (::kill(process, 0) != 0 && errno == ESRCH) std::filesystem::remove_all(entry.path(), error);
  }
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
