#pragma once
// What every reader of delimited text needs of libcsv: its fields and rows with the lines they stand on.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string_view>

namespace hearsay::sim {

/// A number when the whole field is one that is finite; a plus in front is allowed.
std::optional<double> parse_number(std::string_view field);

/// Takes fields and rows from csv_parse(), called with on_field, on_row and a pointer to the feed. Derived has
/// take(field), and end_row() for every row that has a field. No exception crosses libcsv's C frames: the first
/// waits in `thrown`, and nothing is taken after it.
template <class Derived>
struct CsvFeed {
  std::size_t line = 1, row_line = 1;  ///< where the text is, and where its row began
  std::size_t fields = 0;              ///< of the row so far
  bool skip_empty = false;             ///< empty fields are no fields: blanks may stand in a row
  std::exception_ptr thrown = nullptr;

  static void on_field(void* text, std::size_t size, void* self) {
    auto& feed = *static_cast<CsvFeed*>(self);
    feed.guard([&] { feed.field({static_cast<const char*>(text), size}); });
  }
  static void on_row(int terminator, void* self) {
    auto& feed = *static_cast<CsvFeed*>(self);
    feed.guard([&] { feed.row(terminator); });
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
    if (fields++ == 0) row_line = line;
    line += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    static_cast<Derived&>(*this).take(text);
  }
  void row(int terminator) {
    if (fields > 0) static_cast<Derived&>(*this).end_row();
    const bool second_half = terminator == '\n' && fields == 0 && after_cr_;
    if (terminator >= 0 && !second_half) ++line;
    after_cr_ = terminator == '\r';
    fields = 0;
  }

  bool after_cr_ = false;
};

}  // namespace hearsay::sim
