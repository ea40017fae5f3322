#pragma once
// SQLite, with its errors as OutputError: "FILE: what went wrong".
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace hearsay::analysis {

class Database {
 public:
  enum class Access { kCreate, kRead };

  /// Opens a database file, or makes it with kCreate. One that can not be written is opened for reading alone
  /// with kRead.
  Database(std::filesystem::path path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that give no rows, or whose rows are of no interest.
  void run(const char* sql);
  const std::filesystem::path& path() const { return path_; }

  /// Throws OutputError with what SQLite says went wrong.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement. Parameters are numbered from 1, columns from 0. What is bound must live until the
/// statement has run.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int i, std::int64_t value);
  Statement& bind(int i, std::uint64_t value) { return bind(i, static_cast<std::int64_t>(value)); }
  Statement& bind(int i, double value);
  Statement& bind(int i, std::string_view text);
  Statement& bind(int i, std::span<const double> numbers);
  Statement& bind_null(int i);

  /// Goes to the next row; false when there is none left, and then the statement can be bound anew.
  bool step();
  /// Runs a statement that gives no rows, and makes it ready to be bound anew.
  void execute();
  void reset();

  std::int64_t integer(int column);
  std::uint64_t whole(int column) { return static_cast<std::uint64_t>(integer(column)); }
  double number(int column);
  std::string text(int column);
  bool null(int column);
  /// A BLOB of doubles.
  std::vector<double> numbers(int column);

 private:
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace hearsay::analysis
