#include "sim/files/csv_table.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "sim/files/csv_feed.hpp"

namespace hearsay::sim {

namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr char kBlank = ' ';

char detect_delimiter(std::string_view text) {
  constexpr std::string_view kCandidates = ",;\t|";
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  std::array<std::ptrdiff_t, kCandidates.size()> count{};
  for (std::size_t k = 0; k < kCandidates.size(); ++k)
    count[k] = std::count(line.begin(), line.end(), kCandidates[k]);
  const auto most = std::max_element(count.begin(), count.end());
  return *most > 0 ? kCandidates[static_cast<std::size_t>(most - count.begin())] : kBlank;
}

std::string shown(std::string_view field) {
  return fmt::format("'{}'{}", field.substr(0, 40), field.size() > 40 ? "..." : "");
}

}  // namespace

std::optional<double> parse_number(std::string_view field) {
  if (field.starts_with('+') && !field.starts_with("+-")) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc{} || end != field.data() + field.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

struct CsvTable::Reader : CsvFeed<Reader> {
  explicit Reader(CsvTable& t) : table(t) {}
  CsvTable& table;

  void take(std::string_view text) {
    table.text_ += text;
    table.ends_.push_back(table.text_.size());
  }
  void end_row() {
    table.lines_.push_back(static_cast<std::uint32_t>(row_line));
    table.first_.push_back(table.ends_.size());
  }
};

CsvTable::CsvTable(const InputFile& file) : name_(file.path), first_{0} {
  const std::string& path = file.resolved.empty() ? file.path : file.resolved;
  if (!std::filesystem::is_regular_file(path)) throw FileError(at() + "not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FileError(at() + "can not be opened for reading");

  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, void (*)(csv_parser*)> owner(&parser, csv_free);
  Reader reader(*this);
  CsvFeed<Reader>* const feed = &reader;
  const auto refuse_quoting = [&] {
    if (csv_error(&parser) == CSV_ENOMEM) throw std::bad_alloc();
    throw FileError(
        fmt::format("{}:{}: expected a field or a quoted field, found a quote that is not closed or stands "
                    "inside a field",
                    name_, reader.line));
  };
  std::string chunk(kChunk, '\0');
  for (bool start = true; in; start = false) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    std::string_view text(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (start) {
      if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
      const char delimiter = detect_delimiter(text);
      reader.skip_empty = delimiter == kBlank;
      csv_set_delim(&parser, static_cast<unsigned char>(delimiter));
    }
    const bool parsed =
        csv_parse(&parser, text.data(), text.size(), Reader::on_field, Reader::on_row, feed) == text.size();
    if (reader.thrown) std::rethrow_exception(reader.thrown);
    if (!parsed) refuse_quoting();
  }
  if (in.bad()) throw FileError(at() + "reading failed");
  const bool finished = csv_fini(&parser, Reader::on_field, Reader::on_row, feed) == 0;
  if (reader.thrown) std::rethrow_exception(reader.thrown);
  if (!finished) refuse_quoting();

  bool header = false;
  for (std::size_t k = 0; rows() > 0 && k < columns(0); ++k) header |= !parse_number(field(0, k)).has_value();
  if (header) {
    for (std::size_t k = 0; k < columns(0); ++k) names_.emplace_back(field(0, k));
    lines_.erase(lines_.begin());
    first_.erase(first_.begin());
  }
  if (rows() == 0) throw FileError(at() + (header ? "expected rows, found only a header" : "is empty"));
}

bool CsvTable::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  std::string known;
  for (const std::string& n : names_) known += (known.empty() ? "" : ", ") + n;
  throw FileError(fmt::format("{}expected a column '{}', found {}", at(), name,
                              known.empty() ? "no header" : "the columns " + known));
}

std::string_view CsvTable::field(std::size_t row, std::size_t column) const {
  if (column >= columns(row)) {
    throw FileError(
        fmt::format("{}expected at least {} fields, found {}", at(row), column + 1, columns(row)));
  }
  const std::size_t i = first_[row] + column;
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(begin, ends_[i] - begin);
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string_view text = field(row, column);
  if (const auto value = parse_number(text)) return *value;
  throw FileError(fmt::format("{}expected a number in field {}, found {}", at(row), column + 1, shown(text)));
}

AgentId CsvTable::agent(std::size_t row, std::size_t column) const {
  const double value = number(row, column);
  if (value >= 0 && value < kMaxAgents && value == std::floor(value)) return static_cast<AgentId>(value);
  throw FileError(fmt::format("{}expected the number of an agent in field {}, found {}", at(row), column + 1,
                              shown(field(row, column))));
}

std::string CsvTable::at(std::size_t row) const {
  return fmt::format("{}:{}: ", name_, lines_[row]);
}

void require_agent(AgentId agent, AgentId agents, const std::string& where) {
  if (agent < agents) return;
  throw std::invalid_argument(
      fmt::format("{}there is no agent {}, there are agents 0 to {}", where, agent, agents - 1));
}

}  // namespace hearsay::sim
