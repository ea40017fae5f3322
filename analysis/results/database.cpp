#include "analysis/results/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstring>
#include <limits>
#include <utility>

#include "analysis/results/output_file.hpp"
#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

constexpr int kPatience = 5000;  // ms to wait for somebody who reads

int open(const std::filesystem::path& path, sqlite3** handle, int flags) {
  return sqlite3_open_v2(path.c_str(), handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
}

}  // namespace

Database::Database(std::filesystem::path path, Access access) : path_(std::move(path)) {
  int code =
      open(path_, &handle_, SQLITE_OPEN_READWRITE | (access == Access::kCreate ? SQLITE_OPEN_CREATE : 0));
  if (code != SQLITE_OK && access == Access::kRead) {
    sqlite3_close(std::exchange(handle_, nullptr));
    code = open(path_, &handle_, SQLITE_OPEN_READONLY);
  }
  if (code != SQLITE_OK) {
    const std::string message =
        fmt::format("{}: can not be opened: {}", path_.string(), sqlite3_errstr(code));
    sqlite3_close(std::exchange(handle_, nullptr));
    throw OutputError(message);
  }
  sqlite3_busy_timeout(handle_, kPatience);
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::fail(int code) const {
  const int kind = code & 0xff;
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB) {
    throw OutputError(fmt::format(
        "{}: is damaged or no database of results ({}); move it away, or choose another folder with -o",
        path_.string(), sqlite3_errmsg(handle_)));
  }
  throw OutputError(
      fmt::format("{}: {} ({})", path_.string(), sqlite3_errmsg(handle_), sqlite3_errstr(code)));
}

void Database::run(const char* sql) {
  if (const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) fail(code);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  const int code = sqlite3_prepare_v3(database.handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

Statement& Statement::bind(int i, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(handle_, i, value); code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int i, double value) {
  if (const int code = sqlite3_bind_double(handle_, i, value); code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int i, std::string_view text) {
  // A view of nothing may have no address, which SQLite would take for NULL.
  const char* begin = text.data() == nullptr ? "" : text.data();
  const int code = sqlite3_bind_text(handle_, i, begin, static_cast<int>(text.size()), SQLITE_STATIC);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int i, std::span<const double> numbers) {
  const int code = numbers.empty()
                       ? sqlite3_bind_zeroblob(handle_, i, 0)
                       : sqlite3_bind_blob64(handle_, i, numbers.data(), numbers.size_bytes(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

Statement& Statement::bind_null(int i) {
  if (const int code = sqlite3_bind_null(handle_, i); code != SQLITE_OK) database_.fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  reset();
  return false;
}

void Statement::execute() {
  sim::check(!step(), "a statement gave rows that nobody reads");
}

void Statement::reset() {
  sqlite3_reset(handle_);
}

std::int64_t Statement::integer(int column) {
  return sqlite3_column_int64(handle_, column);
}

double Statement::number(int column) {
  return null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return text == nullptr ? std::string()
                         : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

bool Statement::null(int column) {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::vector<double> Statement::numbers(int column) {
  const void* data = sqlite3_column_blob(handle_, column);
  std::vector<double> all(static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)) / sizeof(double));
  if (!all.empty()) std::memcpy(all.data(), data, all.size() * sizeof(double));
  return all;
}

}  // namespace hearsay::analysis
