#include "models/data/csv/text_table.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <set>

namespace hearsay::models {
namespace {

constexpr std::size_t kChunk = 1 << 16;

// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Not fmt::join: GCC 12 warns of an overflow inside it.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// The separator that the first line has most of, outside quotes; a comma where it has none.
char detect_delimiter(std::string_view text) {
  constexpr std::string_view kCandidates = ",;\t|";
  std::array<std::size_t, kCandidates.size()> count{};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    if (const auto k = kCandidates.find(c); k != std::string_view::npos) ++count[k];
  }
  return kCandidates[static_cast<std::size_t>(std::max_element(count.begin(), count.end()) - count.begin())];
}

}  // namespace

struct TextTable::Reader : sim::CsvFeed<Reader> {
  Reader(TextTable& t, const CsvData& o, std::string name) : table(t), options(o), file(std::move(name)) {}
  TextTable& table;
  const CsvData& options;
  std::string file;
  std::vector<std::string> head;  // fields of the first row, until it is known whether they are names
  bool first = true;

  void take(std::string_view text) {
    if (first) {
      head.emplace_back(text);
    } else {
      store(text);
    }
  }
  void end_row() {
    if (first) {
      first = false;
      begin(fmt::format("{}:{}: ", file, row_line));
      return;
    }
    if (fields != table.columns()) {
      throw DataError(
          fmt::format("{}:{}: expected {} fields, found {}", file, row_line, table.columns(), fields));
    }
    table.lines_.push_back(row_line);
  }

 private:
  void store(std::string_view text) {
    table.text_ += text;
    table.ends_.push_back(table.text_.size());
  }
  // The first row: names, or a record.
  void begin(const std::string& where) {
    const bool numbers =
        std::any_of(head.begin(), head.end(), [](const auto& f) { return parse_number(f).has_value(); });
    if (options.header == Header::kYes || (options.header == Header::kAuto && !numbers)) {
      table.take_names(head, where);
      return;
    }
    std::vector<std::string> names = options.columns;
    for (std::size_t i = names.size(); options.columns.empty() && i < head.size(); ++i)
      names.push_back(std::to_string(i + 1));
    if (names.size() != head.size()) {
      throw DataError(fmt::format("{}expected {} fields, as many as /columns names, found {}", where,
                                  names.size(), head.size()));
    }
    table.take_names(std::move(names), where);
    for (const auto& f : head) store(f);
    table.lines_.push_back(row_line);
  }
};

TextTable::TextTable(const CsvData& options) {
  if (options.path) read(*options.path, options);
  for (const auto& file : options.files) read(file, options);
  if (files_.empty()) throw DataError("csv: expected a file in path or files, found none");
}

void TextTable::take_names(std::vector<std::string> names, const std::string& where) {
  if (files_.size() > 1 && names != names_) {
    throw DataError(fmt::format("{}expected the columns of {} ({}), found other ones ({})", where,
                                files_[0].name, listed(names_), listed(names)));
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw DataError(fmt::format("{}two columns have the same name", where));
  }
  names_ = std::move(names);
}

void TextTable::read(const sim::InputFile& input, const CsvData& options) {
  const std::string& path = input.resolved.empty() ? input.path : input.resolved;
  if (!std::filesystem::is_regular_file(path))
    throw DataError(fmt::format("{}: not a regular file", input.path));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError(fmt::format("{}: can not be opened for reading", input.path));
  files_.push_back({input.path, rows()});
  const std::size_t before = rows();

  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, void (*)(csv_parser*)> owner(&parser, csv_free);
  Reader reader(*this, options, input.path);
  sim::CsvFeed<Reader>* const feed = &reader;
  const auto refuse_quoting = [&] {
    if (csv_error(&parser) == CSV_ENOMEM) throw std::bad_alloc();
    throw DataError(
        fmt::format("{}:{}: expected a field or a quoted field, found a quote that is not closed or stands "
                    "inside a field",
                    input.path, reader.line));
  };

  std::string chunk(kChunk, '\0');
  for (bool start = true; in; start = false) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    std::string_view text(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (start) {
      if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
      const char delimiter = options.delimiter == "auto" ? detect_delimiter(text) : options.delimiter.at(0);
      csv_set_delim(&parser, static_cast<unsigned char>(delimiter));
    }
    if (csv_parse(&parser, text.data(), text.size(), Reader::on_field, Reader::on_row, feed) != text.size()) {
      if (!reader.thrown) refuse_quoting();
    }
    if (reader.thrown) std::rethrow_exception(reader.thrown);
  }
  if (in.bad()) throw DataError(fmt::format("{}: reading failed", input.path));
  if (csv_fini(&parser, Reader::on_field, Reader::on_row, feed) != 0 && !reader.thrown) refuse_quoting();
  if (reader.thrown) std::rethrow_exception(reader.thrown);
  if (rows() == before)
    throw DataError(fmt::format("{}: expected records, found {}", input.path,
                                reader.first ? "an empty file" : "only a header"));
}

std::string_view TextTable::field(std::size_t row, std::size_t column) const {
  const std::size_t i = row * columns() + column;
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(begin, ends_[i] - begin);
}

std::size_t TextTable::file_of(std::size_t row) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), row,
                                      [](std::size_t r, const File& f) { return r < f.first_row; });
  return static_cast<std::size_t>(after - files_.begin()) - 1;
}

std::size_t TextTable::column(std::string_view name, std::string_view option) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  const auto nearest = std::min_element(names_.begin(), names_.end(), [&](const auto& a, const auto& b) {
    return distance(a, name) < distance(b, name);
  });
  throw DataError(fmt::format("{}: {}: there is no column '{}'; the nearest is '{}'", files_[0].name, option,
                              name, *nearest));
}

std::string TextTable::at(std::size_t row) const {
  return fmt::format("{}:{}: ", files_[file_of(row)].name, lines_[row]);
}
std::string TextTable::at(std::size_t row, std::size_t column) const {
  return fmt::format("{}column '{}': ", at(row), names_[column]);
}

}  // namespace hearsay::models
