#include "scenarios/terminal/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "sim/files/text.hpp"

namespace hearsay::scenarios {

namespace {

Sink sink;

void write(std::FILE* file, std::string_view text) {
  if (sink) return sink(file == stderr, text);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!written && file == stdout)
    throw std::system_error(errno, std::generic_category(), "standard output: writing failed");
}

}  // namespace

SinkGuard::SinkGuard(Sink to) {
  sink = std::move(to);
}

SinkGuard::~SinkGuard() {
  sink = {};
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

void put(std::FILE* file, std::string_view text) {
  const std::size_t longest = file == stdout ? kLongestLine : kLongestMessage;
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    safe += sim::shortened_line(text.substr(0, end), longest);
    if (end < text.size()) safe += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  write(file, safe);
}

void print_message(std::string_view message) {
  write(stderr, sim::shortened_line(message, kLongestMessage) + "\n");
}

void print_json(std::string_view text) {
  write(stdout, sim::escaped(text, true));
}

void print_rows(std::string_view rows) {
  static const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  write(stdout, terminal ? sim::escaped(rows, true) : rows);
}

}  // namespace hearsay::scenarios
