#pragma once
// What a source must not contain: an include of a higher layer or of a later room of its own layer, an include of the
// engine where results are only read and drawn, output that does not pass scenarios/terminal/terminal.hpp, and in the layers of runs anything that could make
// two runs differ.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::test {

/// The layers; each can include those before it.
inline constexpr std::array<std::string_view, 4> kLayers{"sim", "models", "analysis", "scenarios"};

/// The rooms of the layers; each can include those before it. A layer's own files come before its rooms, but for
/// models/registry, which names all protocols.
inline constexpr std::array<std::string_view, 38> kRooms{"sim/options",
                                                         "sim/state",
                                                         "sim/files",
                                                         "sim/random",
                                                         "sim/laws",
                                                         "sim/events",
                                                         "sim/clocks",
                                                         "sim/topology",
                                                         "sim/trace",
                                                         "sim/network",
                                                         "sim/parallel",
                                                         "sim/engine",
                                                         "models/algebra",
                                                         "models/aggregation",
                                                         "models/hostile",
                                                         "models/losses",
                                                         "models/privacy",
                                                         "models/data",
                                                         "models/learning",
                                                         "models/run",
                                                         "models/views",
                                                         "models/protocols",
                                                         "models/registry",
                                                         "analysis/store",
                                                         "analysis/tables",
                                                         "analysis/metrics",
                                                         "analysis/theory",
                                                         "analysis/audit",
                                                         "analysis/trace",
                                                         "analysis/conclusions",
                                                         "analysis/figures",
                                                         "scenarios/language",
                                                         "scenarios/study",
                                                         "scenarios/terminal",
                                                         "scenarios/execution",
                                                         "scenarios/benchmarks",
                                                         "scenarios/commands",
                                                         "scenarios/python"};

/// The position of a file's room in kRooms; -1 of a layer's own files. Throws std::invalid_argument for a folder that is
/// not listed.
inline std::ptrdiff_t room_of(std::string_view path) {
  const auto stem = path.substr(0, path.rfind('.'));
  const auto folder = path.substr(0, path.find('/', path.find('/') + 1));
  const auto room = std::find(kRooms.begin(), kRooms.end(), folder.size() == path.size() ? stem : folder);
  if (room != kRooms.end()) return room - kRooms.begin();
  if (folder.size() == path.size()) return -1;
  throw std::invalid_argument(std::string(folder) +
                              " is not among the rooms of tests/support/architecture.hpp");
}

/// The text without its comments; lines keep their numbers.
inline std::string without_comments(std::string_view text) {
  std::string code;
  enum { kCode, kLine, kBlock, kString, kCharacter } in = kCode;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k], next = k + 1 < text.size() ? text[k + 1] : '\0';
    // A quote between digits separates them.
    const bool separator = c == '\'' && k > 0 && std::isalnum(static_cast<unsigned char>(text[k - 1])) != 0;
    if (in == kCode && c == '/' && next == '/') in = kLine;
    if (in == kCode && c == '/' && next == '*') in = kBlock;
    if (in == kLine && c == '\n') in = kCode;
    if (in == kLine || in == kBlock) {
      if (c == '\n') code += c;
      if (in == kBlock && c == '*' && next == '/') {
        in = kCode;
        ++k;
      }
      continue;
    }
    code += c;
    if ((in == kString || in == kCharacter) && c == '\\') {
      code += next;
      ++k;
    } else if (c == '"' && in != kCharacter) {
      in = in == kCode ? kString : kCode;
    } else if (c == '\'' && in != kString && !separator) {
      in = in == kCode ? kCharacter : kCode;
    }
  }
  return code;
}

/// Results and figures are values and text: they include nothing of the engine, of what runs in it, or of Eigen.
inline bool is_apart_from_runs(std::string_view path) {
  return path.starts_with("analysis/store/") || path.starts_with("analysis/tables/") ||
         path.starts_with("analysis/figures/");
}

/// One line for each violation in the file at `path`, relative to the root of the tree.
inline std::vector<std::string> offences(const std::string& path, std::string_view text) {
  static const std::regex kInclude(R"rx(^\s*#\s*include\s*["<](([a-z]+)/[^">]+))rx");
  static const std::regex kOfRuns(
      R"rx(^\s*#\s*include\s*["<](models/learning/|models/run/|models/protocols/|sim/engine/|Eigen/))rx");
  static const std::regex kForbidden(
      R"rx(\bstd::\w+_distribution\b|\bstd::shuffle\b|\bs?rand\s*\(|\brandom_device\b|\bsystem_clock\b)rx"
      R"rx(|\bsteady_clock\b|\bgettimeofday\b|\bstd::time\b|\bunordered_(multi)?(map|set)\b)rx");
  static const std::regex kPrints(
      R"rx(\bfmt::print\b|\bstd::(cout|cerr|clog)\b|\b(f|v|vf)?printf\s*\(|\bf?puts\s*\(|\bfwrite\s*\()rx");
  const bool prints = path == "scenarios/terminal/terminal.cpp" || path == "analysis/store/output_file.cpp";
  const auto layer_of = [](std::string_view folder) {
    return std::find(kLayers.begin(), kLayers.end(), folder) - kLayers.begin();
  };
  const auto own = layer_of(std::string_view(path).substr(0, path.find('/')));
  std::vector<std::string> found;
  const std::string code = without_comments(text);
  for (std::size_t begin = 0, number = 1; begin < code.size(); ++number) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::string line = code.substr(begin, end - begin);
    begin = end + 1;
    const std::string where = path + ":" + std::to_string(number) + ": ";
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) {
      const auto other = layer_of(match[2].str());
      const bool upward = other != own ? (other > own && other < std::ssize(kLayers)) || match[2] == "tests"
                                       : room_of(match[1].str()) > room_of(path);
      if (upward) found.push_back(where + "an include that runs upward: " + line);
    }
    if (is_apart_from_runs(path) && std::regex_search(line, match, kOfRuns))
      found.push_back(where + "an include of what runs: " + line);
    if (!prints && std::regex_search(line, match, kPrints))
      found.push_back(where + match[0].str() + " prints past scenarios/terminal/terminal.hpp");
    if (own < 2 && std::regex_search(line, match, kForbidden))
      found.push_back(where + match[0].str() + " has no place in a run");
  }
  return found;
}

}  // namespace hearsay::test
