#pragma once
// All that hearsay prints. Names come from files that others wrote: what people read shows control characters and the
// like escaped, and no line is longer than stated here, so that no file can steer a terminal or flood it.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace hearsay::scenarios {

/// Most characters in a line for people, on standard error and in a table on standard output.
inline constexpr std::size_t kLongestMessage = 2000, kLongestLine = 20'000;

/// "12 s", "3 min 05 s", "2 h 10 min"; "?" if it is unknown.
std::string duration_text(double seconds);

/// Where what is printed goes instead of the standard streams, in a program that hearsay is a part of. Any thread may
/// call it; empty: the standard streams.
using Sink = std::function<void(bool error, std::string_view text)>;

/// While it lives, what is printed goes to a sink.
class SinkGuard {
 public:
  explicit SinkGuard(Sink sink);
  ~SinkGuard();
  SinkGuard(const SinkGuard&) = delete;
  SinkGuard& operator=(const SinkGuard&) = delete;
};

/// Prints text for people: escaped except for line feeds, long lines shortened. Throws std::system_error if
/// standard output cannot be written; messages may go to a log on a full disk, which must not end a study.
void put(std::FILE* file, std::string_view text);

/// put() on standard output and standard error.
template <class... Args>
void print_out(fmt::format_string<Args...> format, Args&&... args) {
  put(stdout, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void print_error(fmt::format_string<Args...> format, Args&&... args) {
  put(stderr, fmt::format(format, std::forward<Args>(args)...));
}
/// A message of one line, whatever names are in it.
void print_message(std::string_view message);

/// Prints JSON to standard output, in full: what is escaped is so in JSON. Throws std::system_error.
void print_json(std::string_view text);
/// Prints rows for programs (CSV, traces) to standard output as they are; on a terminal escaped. Throws
/// std::system_error.
void print_rows(std::string_view rows);

}  // namespace hearsay::scenarios
