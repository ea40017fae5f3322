#pragma once
// Small tables from delimited text: traces, matrices, lists of edges.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/options/describe.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// A file that can not be read or holds what it must not; the message is for the user and names file and
/// line.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Fields are separated by the one of comma, semicolon, tab and bar that the first line has most of, else by
/// blanks; quoted as in RFC 4180. The first row is a header if it holds a field that is no number. Empty
/// lines are skipped.
class CsvTable {
 public:
  /// Throws FileError.
  explicit CsvTable(const InputFile& file);

  std::size_t rows() const { return lines_.size(); }
  std::size_t columns(std::size_t row) const { return first_[row + 1] - first_[row]; }
  /// Names of the columns; empty where there is no header.
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  /// Place of a column. Throws FileError if there is none of that name.
  std::size_t column(std::string_view name) const;
  std::string_view field(std::size_t row, std::size_t column) const;
  /// Throws FileError where there is no such field or it is no finite number.
  double number(std::size_t row, std::size_t column) const;
  /// A number that is an agent, of any run. Throws FileError.
  AgentId agent(std::size_t row, std::size_t column) const;
  /// "FILE:LINE: " of a row, "FILE: " of the whole.
  std::string at(std::size_t row) const;
  std::string at() const { return name_ + ": "; }

 private:
  struct Reader;

  std::string name_;
  std::vector<std::string> names_;
  std::string text_;
  std::vector<std::size_t> ends_;   // of each field, in text_
  std::vector<std::size_t> first_;  // number of each row's first field, and of the one after the last
  std::vector<std::uint32_t> lines_;
};

/// Throws std::invalid_argument, naming the place, unless `agent` is one of `agents`.
void require_agent(AgentId agent, AgentId agents, const std::string& where);

}  // namespace hearsay::sim
