#pragma once
// SQLite; its errors are thrown as OutputError: "FILE: what went wrong".
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace hearsay::analysis {

class Database;

/// A prepared statement. Columns are numbered from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Sets all parameters, in order: integers, doubles, text, numbers (a BLOB, which must live until the statement
  /// has run), or an optional of these (NULL where it is empty).
  template <class... Values>
  Statement& operator()(const Values&... values) {
    reset();
    int i = 0;
    (bind(++i, values), ...);
    return *this;
  }

  /// Goes to the next row; if there is none, resets the statement and returns false.
  bool step();
  /// Runs a statement that returns no rows.
  void execute();
  void reset();
  /// A hash of the current row's values and types, and of `seed`.
  std::uint64_t hash(std::uint64_t seed) const;

  /// A value of the current row: an integer, double (NaN for NULL), std::string or std::vector<double> (a BLOB),
  /// or an optional of these.
  template <class T>
  T get(int column) const {
    if constexpr (requires(T value) { value.has_value(); }) {
      return null(column) ? T() : T(get<typename T::value_type>(column));
    } else if constexpr (std::integral<T>) {
      return static_cast<T>(integer(column));
    } else {
      T value;
      read(column, value);
      return value;
    }
  }

 private:
  void bind(int i, std::integral auto value) { bind_integer(i, static_cast<std::int64_t>(value)); }
  void bind(int i, double value);
  void bind(int i, const std::convertible_to<std::string_view> auto& text) { bind_text(i, text); }
  void bind(int i, std::span<const double> numbers);
  template <class T>
  void bind(int i, const std::optional<T>& value) {
    if (value) bind(i, *value);  // else NULL: what reset() leaves
  }
  void bind_integer(int i, std::int64_t value);
  void bind_text(int i, std::string_view text);
  void require(int code) const;

  bool null(int column) const;
  std::int64_t integer(int column) const;
  void read(int column, double& value) const;
  void read(int column, std::string& text) const;
  void read(int column, std::vector<double>& numbers) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

class Database {
 public:
  enum class Access { kCreate, kRead };

  /// Opens a database file; kCreate creates it if there is none. With kRead a file that cannot be written is opened
  /// read-only.
  Database(std::filesystem::path path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs any number of statements; rows are ignored.
  void run(const char* sql);
  /// The same; returns false if that is not possible because others have the file open.
  bool run_unless_busy(const char* sql);
  /// A statement, prepared once and kept.
  Statement& prepared(std::string_view sql);
  /// Resets all prepared statements, also those that an exception has left between two rows.
  void reset();
  /// Runs one statement with parameters that returns no rows.
  template <class... Values>
  void execute(std::string_view sql, const Values&... values) {
    prepared(sql)(values...).execute();
  }
  /// The first column of the first row; nothing if there is no row.
  template <class T, class... Values>
  std::optional<T> first(std::string_view sql, const Values&... values) {
    Statement& statement = prepared(sql)(values...);
    if (!statement.step()) return std::nullopt;
    const auto value = statement.get<T>(0);
    statement.reset();
    return value;
  }
  const std::filesystem::path& path() const { return path_; }

  /// Throws OutputError with SQLite's message.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
  std::map<std::string, Statement, std::less<>> prepared_;
};

}  // namespace hearsay::analysis
