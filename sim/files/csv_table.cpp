#include "sim/files/csv_table.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "sim/files/text.hpp"

namespace hearsay::sim {

namespace {

// The separator that the first line has most of, outside quotes; the decimal mark only if it has no other.
char detect_delimiter(std::string_view text, const CsvFormat& format) {
  constexpr std::string_view kCandidates = ",;\t|";
  std::array<std::size_t, kCandidates.size()> count{};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    if (const auto k = kCandidates.find(c); k != std::string_view::npos) ++count[k];
  }
  if (const auto k = kCandidates.find(format.decimal); k != std::string_view::npos) {
    // A record of n fields has n - 1 separators and at most n marks.
    const std::size_t marks = std::exchange(count[k], 0);
    if (std::ranges::all_of(count, [marks](std::size_t n) { return n == 0 || n + 1 < marks; }))
      count[k] = marks;
  }
  const auto most = std::max_element(count.begin(), count.end());
  return *most > 0 ? kCandidates[static_cast<std::size_t>(most - count.begin())] : format.fallback;
}

std::string shown(std::string_view field) {
  return fmt::format("'{}'", printable(field, 40));
}

}  // namespace

std::optional<double> parse_number(std::string_view field, char decimal) {
  std::string with_point;
  if (decimal != '.') {
    if (field.find('.') != field.npos) return std::nullopt;
    with_point = field;
    std::replace(with_point.begin(), with_point.end(), decimal, '.');
    field = with_point;
  }
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// Receives fields and rows from csv_parse(). No exception may cross libcsv's C frames: the first is kept in `thrown`,
// and nothing is read after it.
struct CsvTable::Reader {
  explicit Reader(CsvTable& t) : table(t) {}
  CsvTable& table;
  bool skip_empty = false;  // several blanks may separate two fields
  std::uint32_t line = 1;   // current line
  std::exception_ptr thrown = nullptr;

  static void on_field(void* text, std::size_t size, void* self) {
    auto& reader = *static_cast<Reader*>(self);
    reader.guard([&] { reader.field({static_cast<const char*>(text), size}); });
  }
  static void on_row(int terminator, void* self) {
    auto& reader = *static_cast<Reader*>(self);
    reader.guard([&] { reader.row(terminator); });
  }

 private:
  template <class F>
  void guard(F&& f) {
    if (thrown) return;
    try {
      f();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  void field(std::string_view text) {
    if (skip_empty && text.empty()) return;
    if (row_is_empty()) row_line_ = line;
    if (const std::size_t bad = find_not_utf8(text); bad != text.npos) {
      const auto above = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
      throw FileError("{}:{}: {}", table.name_, line + above, file_not_utf8(text, bad));
    }
    line += static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
    table.text_ += text;
    table.ends_.push_back(table.text_.size());
  }
  void row(int terminator) {
    const bool empty = row_is_empty();
    if (!empty) {
      table.lines_.push_back(row_line_);
      table.first_.push_back(table.ends_.size());
    }
    const bool second_half = terminator == '\n' && empty && after_cr_;
    if (terminator >= 0 && !second_half) ++line;
    after_cr_ = terminator == '\r';
  }
  bool row_is_empty() const { return table.ends_.size() == table.first_.back(); }

  std::uint32_t row_line_ = 1;  // first line of the row
  bool after_cr_ = false;
};

CsvTable::CsvTable(const InputFile& file, const CsvFormat& format) : name_(file.path), first_{0} {
  const std::string& path = file.resolved.empty() ? file.path : file.resolved;
  if (!std::filesystem::is_regular_file(path)) throw FileError(at() + "not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError(at() + "cannot be opened for reading");

  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, void (*)(csv_parser*)> owner(&parser, csv_free);
  constexpr std::size_t kChunk = 1 << 16;
  csv_set_blk_size(&parser, kChunk);  // its buffer grows by so much at a time: 128 bytes by default
  Reader reader(*this);
  const auto require = [&](bool parsed) {
    if (reader.thrown) std::rethrow_exception(reader.thrown);
    if (parsed) return;
    if (csv_error(&parser) == CSV_ENOMEM) throw std::bad_alloc();
    throw FileError(
        "{}:{}: expected a field or a quoted field, found a quote that is not closed or is inside a field",
        name_, reader.line);
  };
  std::string chunk(kChunk, '\0');
  for (bool start = true; in; start = false) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    std::string_view text(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (start) {
      if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
      const char delimiter = format.delimiter ? *format.delimiter : detect_delimiter(text, format);
      reader.skip_empty = !format.delimiter && delimiter == ' ';
      csv_set_delim(&parser, static_cast<unsigned char>(delimiter));
    }
    require(csv_parse(&parser, text.data(), text.size(), Reader::on_field, Reader::on_row, &reader) ==
            text.size());
  }
  if (in.bad()) throw FileError(at() + "reading failed");
  require(csv_fini(&parser, Reader::on_field, Reader::on_row, &reader) == 0);

  if (rows() == 0) throw FileError(at() + "expected rows, found an empty file");
  top_line_ = lines_[0];
  if (!starts_with_header(format)) return;
  for (std::size_t k = 0; k < columns(0); ++k) names_.emplace_back(field(0, k));
  lines_.erase(lines_.begin());
  first_.erase(first_.begin());
  if (rows() == 0) throw FileError(at() + "expected rows, found only a header");
}

bool CsvTable::starts_with_header(const CsvFormat& format) const {
  std::size_t numbers = 0;
  for (std::size_t k = 0; k < columns(0); ++k) numbers += parse_number(field(0, k), format.decimal) ? 1 : 0;
  switch (format.header) {
    case HeaderRow::kYes:
      return true;
    case HeaderRow::kNo:
      return false;
    case HeaderRow::kIfAnyText:
      return numbers < columns(0);
    case HeaderRow::kIfNoNumber:
      return numbers == 0;
  }
  return false;
}

bool CsvTable::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  throw FileError("{}expected a column '{}', found {}{}", at(), name,
                  names_.empty() ? "no header" : "the columns ", fmt::join(names_, ", "));
}

std::string_view CsvTable::field(std::size_t row, std::size_t column) const {
  if (column >= columns(row))
    throw FileError("{}expected at least {} fields, found {}", at(row), column + 1, columns(row));
  const std::size_t i = first_[row] + column;
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(begin, ends_[i] - begin);
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string_view text = field(row, column);
  if (const auto value = parse_number(text)) return *value;
  throw FileError("{}expected a number in field {}, found {}", at(row), column + 1, shown(text));
}

AgentId CsvTable::agent(std::size_t row, std::size_t column, const Names& names) const {
  if (!names.empty()) {
    try {
      return agent_of(field(row, column), names);
    } catch (const std::invalid_argument& e) {
      throw FileError("{}{}", at(row), e.what());
    }
  }
  const double value = number(row, column);
  if (value >= 0 && value < kMaxAgents && value == std::floor(value)) return static_cast<AgentId>(value);
  throw FileError("{}expected the number of an agent in field {}, found {}", at(row), column + 1,
                  shown(field(row, column)));
}

std::string CsvTable::at(std::size_t row) const {
  return fmt::format("{}:{}: ", name_, lines_[row]);
}

std::string CsvTable::at_top() const {
  return fmt::format("{}:{}: ", name_, top_line_);
}

void require_agent(AgentId agent, AgentId agents, const std::string& where) {
  if (agent < agents) return;
  throw std::invalid_argument(
      fmt::format("{}expected agents 0 to {}, found agent {}", where, agents - 1, agent));
}

}  // namespace hearsay::sim
