#pragma once
// Studies that are made in parts and merged, through the program.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/process.hpp"

namespace hearsay::test {

inline constexpr const char* kMergedTables[] = {"series.csv", "quantiles.csv", "scalars.csv", "runs.csv",
                                                "owners.csv", "nodes.csv",     "links.csv",   "models.csv",
                                                "fits.csv",   "bounds.csv"};

inline const std::string kThreePoints = R"("sweep": {"privacy.epsilon": [0.1, 1, 10]}, "repeat": 7)";

/// Equal tables, `count` of them.
inline void check_same_tables(const std::string& folder, const std::string& other, int count) {
  int compared = 0;
  for (const std::string file : kMergedTables) {
    INFO(folder << "/" << file);
    CHECK(std::filesystem::exists(folder + "/" + file) == std::filesystem::exists(other + "/" + file));
    const std::string text = text_of(folder + "/" + file);
    CHECK(text == text_of(other + "/" + file));
    compared += text.size() > 60 ? 1 : 0;
  }
  CHECK(compared == count);
}

/// Runs s.json of a folder to NAME in it.
inline void run_to(const Scratch& dir, const std::string& name, const std::string& more = "") {
  run_study(dir, "-o " + name + " " + more);
}

/// Its parts, to 1, 2, ...
inline void run_parts(const Scratch& dir, int count, const std::string& more = "") {
  for (int k = 1; k <= count; ++k)
    run_to(dir, std::to_string(k), fmt::format("--shard {}/{} {}", k, count, more));
}

/// Merges folders.
inline Outcome merge_to(const Scratch& dir, const std::string& names, const std::string& out, int code = 0) {
  return ended_with(dir, fmt::format("merge {} -o {}", names, out), code);
}

}  // namespace hearsay::test
