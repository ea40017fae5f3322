#pragma once
// What the fuzzers share. Each is one source with LLVMFuzzerTestOneInput (libFuzzer). A reader may refuse its input with
// the errors that its header names; any other exception, a sanitizer's report or an abort() is a failure.
//
// An input begins with a line of letters, each of which switches an option on; the file to read follows.
#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/options/describe.hpp"

/// A small quarantine of freed memory: with the usual one every input touches fresh pages, which takes longer than to
/// read it.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=8:detect_stack_use_"
         "after_return=0";
}

namespace hearsay::fuzz {

/// Ends the program with a message unless `holds`: something that must be so for every input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  __sanitizer_report_error_summary(what);  // libFuzzer closes standard error
  std::abort();
}

/// Calls f, which may throw one of the errors. Returns whether it threw none.
template <class First, class... Rest, class F>
bool accepted(F&& f) {
  try {
    if constexpr (sizeof...(Rest) > 0) return accepted<Rest...>(f);
    f();
    return true;
  } catch (const First&) {
    return false;
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The text before the first `separator`, and all after it.
inline std::pair<std::string_view, std::string_view> split(std::string_view text,
                                                           std::string_view separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + separator.size())};
}

/// What a letter of an input's first line does to the options.
template <class Options>
struct Letter {
  char letter;
  void (*set)(Options&);
};

template <class Options, std::size_t N>
void apply(std::string_view letters, const Letter<Options> (&table)[N], Options& options) {
  for (const char letter : letters) {
    for (const Letter<Options>& row : table) {
      if (row.letter == letter) row.set(options);
    }
  }
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto [line, rest] = split(text, "\n");
    lines.emplace_back(line);
    text = rest;
  }
  return lines;
}

/// A file in memory, rewritten for each input.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz", 0)) { require(descriptor_ >= 0, "memory for a file"); }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// The file with this text; messages call it `name`.
  sim::InputFile operator()(std::string_view text, const char* name) const {
    require(ftruncate(descriptor_, 0) == 0, "truncating a file in memory");
    require(pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
            "writing a file in memory");
    return {name, "/proc/self/fd/" + std::to_string(descriptor_)};
  }

 private:
  int descriptor_;
};

inline sim::InputFile memory_file(std::string_view text, const char* name) {
  static const MemoryFile file;
  return file(text, name);
}

}  // namespace hearsay::fuzz
