#include "analysis/store/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <new>

#include <bit>
#include <cstring>
#include <utility>

#include "analysis/store/output_file.hpp"
#include "sim/check.hpp"
#include "sim/hash.hpp"

namespace hearsay::analysis {

Database::Database(std::filesystem::path path, Access access) : path_(std::move(path)) {
  constexpr int kBusyTimeout = 5000;  // ms to wait while another process reads
  const auto open = [&](int flags) {
    sqlite3_close(std::exchange(handle_, nullptr));
    return sqlite3_open_v2(path_.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                           nullptr);
  };
  int code = open(SQLITE_OPEN_READWRITE | (access == Access::kCreate ? SQLITE_OPEN_CREATE : 0));
  if (code != SQLITE_OK && access == Access::kRead) code = open(SQLITE_OPEN_READONLY);
  if (code != SQLITE_OK) {
    sqlite3_close(std::exchange(handle_, nullptr));
    throw OutputError(fmt::format("{}: cannot be opened: {}", path_.string(), sqlite3_errstr(code)));
  }
  sqlite3_busy_timeout(handle_, kBusyTimeout);
}

Database::~Database() {
  prepared_.clear();
  sqlite3_close(handle_);
}

Statement& Database::prepared(std::string_view sql) {
  const auto found = prepared_.find(sql);
  return found != prepared_.end() ? found->second
                                  : prepared_.try_emplace(std::string(sql), *this, sql).first->second;
}

void Database::reset() {
  for (auto& [sql, statement] : prepared_) statement.reset();
}

void Database::fail(int code) const {
  const int kind = code & 0xff;
  if (kind == SQLITE_NOMEM) throw std::bad_alloc();
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
    throw OutputError(fmt::format(
        "{}: damaged, or not a database of results ({}); move it away or choose another folder with -o",
        path_.string(), sqlite3_errmsg(handle_)));
  throw OutputError(
      fmt::format("{}: {} ({})", path_.string(), sqlite3_errmsg(handle_), sqlite3_errstr(code)));
}

bool Database::run_unless_busy(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if ((code & 0xff) == SQLITE_BUSY) return false;
  if (code != SQLITE_OK) fail(code);
  return true;
}

void Database::run(const char* sql) {
  if (!run_unless_busy(sql)) fail(SQLITE_BUSY);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  require(sqlite3_prepare_v3(database.handle_, sql.data(), static_cast<int>(sql.size()),
                             SQLITE_PREPARE_PERSISTENT, &handle_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

void Statement::require(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::bind_integer(int i, std::int64_t value) {
  require(sqlite3_bind_int64(handle_, i, value));
}

void Statement::bind(int i, double value) {
  require(sqlite3_bind_double(handle_, i, value));
}

void Statement::bind_text(int i, std::string_view text) {
  // An empty view may have no address, which SQLite would take for NULL.
  const char* begin = text.data() == nullptr ? "" : text.data();
  require(sqlite3_bind_text(handle_, i, begin, static_cast<int>(text.size()), SQLITE_TRANSIENT));
}

void Statement::bind(int i, std::span<const double> numbers) {
  require(numbers.empty()
              ? sqlite3_bind_zeroblob(handle_, i, 0)
              : sqlite3_bind_blob64(handle_, i, numbers.data(), numbers.size_bytes(), SQLITE_STATIC));
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  sqlite3_reset(handle_);
  return false;
}

void Statement::execute() {
  sim::check(!step(), "a statement that should return no rows returned one");
}

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

std::uint64_t Statement::hash(std::uint64_t seed) const {
  const auto add = [&](int type, const void* data, std::size_t size) {
    seed = sim::hash_of(data, size, seed + static_cast<std::uint64_t>(type));
  };
  for (int column = 0; column < sqlite3_column_count(handle_); ++column) {
    const int type = sqlite3_column_type(handle_, column);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
      const auto bits = type == SQLITE_INTEGER
                            ? integer(column)
                            : std::bit_cast<std::int64_t>(sqlite3_column_double(handle_, column));
      add(type, &bits, sizeof bits);
    } else {
      const void* data = sqlite3_column_blob(handle_, column);
      add(type, data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
    }
  }
  return seed;
}

bool Statement::null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_, column);
}

void Statement::read(int column, double& value) const {
  value = null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(handle_, column);
}

void Statement::read(int column, std::string& text) const {
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (begin != nullptr) text.assign(begin, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

void Statement::read(int column, std::vector<double>& numbers) const {
  const void* data = sqlite3_column_blob(handle_, column);
  numbers.resize(static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)) / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), data, numbers.size() * sizeof(double));
}

}  // namespace hearsay::analysis
