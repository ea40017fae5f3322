#pragma once
// Tables from delimited text: traces, matrices, lists of edges, data sets.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check.hpp"
#include "sim/files/names.hpp"
#include "sim/options/describe.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// A file that cannot be read or has invalid contents; the message is for the user and names file and line.
struct FileError : UserError {
  using UserError::UserError;
};

/// The number that the whole field is, if finite; a leading plus is allowed. `decimal`: a point or a comma.
std::optional<double> parse_number(std::string_view field, char decimal = '.');

/// Whether the first row is a header: always, never, if any of its fields is not a number, or if none is.
enum class HeaderRow { kYes, kNo, kIfAnyText, kIfNoNumber };

struct CsvFormat {
  /// Between fields; by default the one of comma, semicolon, tab and bar that is most frequent in the first line.
  std::optional<char> delimiter = {};
  /// Used if the first line has none of these. Several blanks may separate two fields.
  char fallback = ' ';
  HeaderRow header = HeaderRow::kIfAnyText;
  char decimal = '.';  ///< of the numbers by which a header is recognised
};

/// All rows of a file; rows may differ in length. Fields are quoted as in RFC 4180, empty lines are skipped. Memory: 8
/// bytes a field and 12 a row in addition to the text itself.
class CsvTable {
 public:
  /// Throws FileError for a file that cannot be read or is not UTF-8, faulty quotes, or no rows.
  explicit CsvTable(const InputFile& file, const CsvFormat& format = {});

  const std::string& file() const { return name_; }
  std::size_t rows() const { return lines_.size(); }
  std::size_t columns(std::size_t row) const { return first_[row + 1] - first_[row]; }
  /// Names of the columns; empty where there is no header.
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const;
  /// Index of a column. Throws FileError if there is none of that name.
  std::size_t column(std::string_view name) const;
  std::string_view field(std::size_t row, std::size_t column) const;
  /// Throws FileError if there is no such field or it is not a finite number.
  double number(std::size_t row, std::size_t column) const;
  /// An agent by its number or, of `names` by agent, its name; without names the number is of any run. Throws FileError.
  AgentId agent(std::size_t row, std::size_t column, const Names& names = {}) const;
  /// "FILE:LINE: " of a row, and of the header or, without one, the first row; "FILE: " of the whole.
  std::string at(std::size_t row) const;
  std::string at_top() const;
  std::string at() const { return name_ + ": "; }

 private:
  struct Reader;

  bool starts_with_header(const CsvFormat& format) const;

  std::string name_;
  std::vector<std::string> names_;
  std::uint32_t top_line_ = 1;
  std::string text_;
  std::vector<std::size_t> ends_;   // of each field, in text_
  std::vector<std::size_t> first_;  // number of each row's first field, and of the one after the last
  std::vector<std::uint32_t> lines_;
};

/// Throws std::invalid_argument, naming the place, unless `agent` is one of `agents`.
void require_agent(AgentId agent, AgentId agents, const std::string& where);

}  // namespace hearsay::sim
