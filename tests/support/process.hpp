#pragma once
// Runs the program as a user does.
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/scratch.hpp"

namespace hearsay::test {

inline const std::string kSources = HEARSAY_SOURCE_DIR;
/// The folder of the shipped scenarios.
inline const std::string kScenarios = HEARSAY_SOURCE_DIR "/scenarios/";

struct Outcome {
  int code = -1;  ///< 128 + signal if a signal ended it
  std::string out{}, err{};
};

inline std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs a shell command line in which "hearsay" is the built program and "$program" its path. Start it by its path to
/// send it a signal.
inline Outcome shell(const std::string& command) {
  const Scratch scratch;
  const std::string script = scratch.write("script", "program='" HEARSAY_BINARY_DIR
                                                     "/hearsay'\nhearsay() { \"$program\" \"$@\"; }\n"
                                                     "export HEARSAY_DATA_DIR=\nunset COLUMNS\n" +
                                                         command + "\n");
  const int status = std::system(
      ("/bin/bash '" + script + "' >'" + scratch / "out" + "' 2>'" + scratch / "err" + "' </dev/null")
          .c_str());
  Outcome outcome{.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
  outcome.out = text_of(scratch / "out");
  outcome.err = text_of(scratch / "err");
  return outcome;
}

/// The same in a folder, where files have relative names.
inline Outcome shell(const Scratch& folder, const std::string& command) {
  return shell("cd '" + folder.path().string() + "' || exit\n" + command);
}

/// Runs `hearsay WORDS` in a folder, which must end with this exit code.
inline Outcome ended_with(const Scratch& folder, const std::string& words, int code = 0) {
  Outcome outcome = shell(folder, "hearsay " + words);
  INFO(words << "\n" << outcome.out << outcome.err);
  CHECK(outcome.code == code);
  return outcome;
}

/// What `hearsay WORDS` prints, and the error with which it refuses them.
inline std::string output_of(const Scratch& folder, const std::string& words) {
  return ended_with(folder, words).out;
}
inline std::string refusal(const Scratch& folder, const std::string& words) {
  const Outcome outcome = ended_with(folder, words, 2);
  CHECK(outcome.out.empty());
  return outcome.err;
}

/// Runs the study s.json of a folder. Returns the messages.
inline std::string run_study(const Scratch& folder, const std::string& options) {
  const Outcome outcome = ended_with(folder, "run s.json --no-progress " + options);
  REQUIRE(outcome.code == 0);
  return outcome.err;
}

/// A scenario with runs of a few milliseconds; `changes` are further members, "\"repeat\": 3".
inline std::string small_scenario(const std::string& changes = "", int iterations = 200) {
  return R"({
  "data": { "type": "lending_like", "owners": 3, "records": 200, "features": 4 },
  "network": { "topology": "star", "latency": { "type": "uniform", "min": "0 ms", "max": "15 ms" } },
  "protocol": { "type": "central_async", "rho": 1, "budget_for": "expected_share" },
  "privacy": { "mechanism": "laplace", "epsilon": 1, "gradient_bound": 50 },
  "stop": { "iterations": )" +
         std::to_string(iterations) + R"( },
  "record": { "every": { "iterations": 50 }, "metrics": ["relative_fitness", "epsilon_spent_by_owner"] })" +
         (changes.empty() ? "" : ",\n  " + changes) + "\n}\n";
}

/// A folder with that scenario as s.json.
class StudyFolder : public Scratch {
 public:
  explicit StudyFolder(const std::string& changes = "", int iterations = 200) {
    write("s.json", small_scenario(changes, iterations));
  }
};

/// How often a part is in a text.
inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t all = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++all;
  return all;
}

/// That these files of two folders are the same, and more than a header.
inline void check_same_files(const std::string& folder, const std::string& other,
                             const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    INFO(folder << "/" << file);
    const std::string text = text_of(folder + "/" + file);
    CHECK(text.size() > 100);
    CHECK(text == text_of(other + "/" + file));
  }
}

/// Whether a line has these neighbouring words, with whatever spaces between them.
inline bool has_words(const std::string& text, const std::string& words) {
  const auto split = [](const std::string& line) {
    std::istringstream in(line);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  const std::vector<std::string> wanted = split(words);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> found = split(line);
    // clang 14 refuses std::ranges::search.
    if (std::search(found.begin(), found.end(), wanted.begin(), wanted.end()) != found.end()) return true;
  }
  return false;
}

}  // namespace hearsay::test
