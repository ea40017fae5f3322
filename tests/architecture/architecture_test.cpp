#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/architecture.hpp"

using hearsay::test::offences;
using Lines = std::vector<std::string>;
namespace fs = std::filesystem;

TEST_CASE("architecture: an include that runs upward is found, one that runs downward is none") {
  CHECK(offences("sim/a.hpp", "#pragma once\n#include \"models/b.hpp\"\n") ==
        Lines{"sim/a.hpp:2: an include that runs upward: #include \"models/b.hpp\""});
  CHECK(offences("sim/a.cpp", "#include <scenarios/b.hpp>").size() == 1);
  CHECK(offences("models/data/a.cpp", " #  include \"analysis/metrics/metric.hpp\"").size() == 1);
  CHECK(offences("analysis/a.cpp", "#include \"scenarios/study/plan.hpp\"").size() == 1);
  CHECK(offences("scenarios/a.cpp", "#include \"tests/support/toy.hpp\"").size() == 1);
  CHECK(offences("scenarios/a.cpp",
                 "#include \"sim/a.hpp\"\n#include \"models/a.hpp\"\n#include \"analysis/a.hpp\"\n"
                 "#include \"scenarios/a.hpp\"\n#include <boost/math/x.hpp>\n#include <vector>\n")
            .empty());
  CHECK(offences("models/a.cpp", "#include \"sim/a.hpp\"\n#include \"models/b.hpp\"").empty());
}

TEST_CASE("architecture: within a layer an include that runs to a later room is found") {
  CHECK(
      offences("models/privacy/a.cpp", "#include \"models/learning/problem.hpp\"") ==
      Lines{"models/privacy/a.cpp:1: an include that runs upward: #include \"models/learning/problem.hpp\""});
  CHECK(offences("models/protocols/gossip/a.hpp", "#include \"models/registry.hpp\"").size() == 1);
  CHECK(offences("scenarios/study/plan.cpp", "#include \"scenarios/commands/command.hpp\"").size() == 1);
  CHECK(offences("sim/engine/engine.hpp", "#include \"sim/time.hpp\"\n#include \"sim/events/event.hpp\"")
            .empty());
  CHECK(offences("models/registry.cpp", "#include \"models/protocols/gossip/a.hpp\"").empty());
  CHECK_THROWS(offences("models/cellar/a.cpp", "#include \"models/data/draw.hpp\""));
}

namespace {

// All files of the tree that a source includes, directly or not, without system headers.
std::set<std::string> reached(const fs::path& root, const std::string& file) {
  std::set<std::string> all;
  std::vector<std::string> next{file};
  const std::regex include(R"rx(^\s*#\s*include\s*"([^"]+)")rx");
  while (!next.empty()) {
    const std::string one = next.back();
    next.pop_back();
    if (!all.insert(one).second) continue;
    std::ifstream in(root / one);
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (std::regex_search(line, match, include)) next.push_back(match[1]);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("architecture: results and figures know neither the engine nor what runs in it") {
  for (const char* bad :
       {"models/run/world.hpp", "models/protocols/central/parties.hpp", "sim/engine/engine.hpp"}) {
    const std::string line = "#include \"" + std::string(bad) + "\"";
    CHECK(offences("analysis/store/study.hpp", line).size() == 1);
    CHECK(offences("analysis/figures/page.cpp", line).size() == 1);
    CHECK(offences("analysis/metrics/metric.hpp", line).empty());
  }
  CHECK(offences("analysis/store/study.hpp", "#include <Eigen/Core>").size() == 1);
  CHECK(offences("analysis/store/study.hpp", "#include \"sim/trace/trace.hpp\"").empty());
  // Nor through what they include.
  const fs::path root(HEARSAY_SOURCE_DIR);
  for (const char* folder : {"analysis/store", "analysis/tables", "analysis/figures"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      for (const std::string& file : reached(root, fs::relative(entry.path(), root).generic_string())) {
        INFO(entry.path() << " reaches " << file);
        CHECK_FALSE((file.starts_with("models/run/") || file.starts_with("models/protocols/") ||
                     file.starts_with("sim/engine/")));
      }
    }
  }
}

TEST_CASE("architecture: what would make runs differ is found in sim and models") {
  for (const char* bad : {"std::normal_distribution<double> d;", "std::shuffle(a, b, c);", "int x = rand();",
                          "srand (1);", "std::random_device r;", "std::chrono::system_clock::now();",
                          "std::chrono::steady_clock::now();", "std::unordered_map<int, int> m;",
                          "#include <unordered_set>", "std::unordered_multimap<int, int> m;"}) {
    INFO(bad);
    CHECK(offences("sim/a.cpp", bad).size() == 1);
    CHECK(offences("models/a/b.hpp", std::string("int x;\n\n") + bad).size() == 1);
    CHECK(offences("scenarios/a.cpp", bad).empty());
  }
  CHECK(offences("sim/a.cpp", "\n\nint x = rand();") == Lines{"sim/a.cpp:3: rand( has no place in a run"});
  CHECK(offences("sim/a.cpp", "boost::random::normal_distribution<double> d; operand(1); shuffle(a, s);")
            .empty());
}

TEST_CASE("architecture: output that is not escaped is found") {
  for (const char* bad :
       {"fmt::print(\"x\");", "std::cout << x;", "std::cerr << x;", "std::printf(\"x\");",
        "fprintf(stderr, x);", "std::fputs(x, stdout);", "puts (x);", "std::fwrite(x, 1, 1, stdout);"}) {
    INFO(bad);
    CHECK(offences("scenarios/commands/a.cpp", bad).size() == 1);
    CHECK(offences("sim/a.cpp", bad).size() == 1);
    CHECK(offences("scenarios/terminal/terminal.cpp", bad).empty());
  }
  CHECK(offences("scenarios/a.cpp", "std::snprintf(x, 1, y); print_out(x); inputs(x);").empty());
}

TEST_CASE("architecture: comments may say anything, and hide nothing") {
  CHECK(offences("sim/a.cpp", "// never std::shuffle\n/* nor\n rand() */ int x;").empty());
  CHECK(offences("sim/a.cpp", "auto s = \"// \"; int x = rand();").size() == 1);
  CHECK(offences("sim/a.cpp", "auto c = '\"'; // \"\nint x = rand();").size() == 1);
  CHECK(offences("sim/a.cpp", "auto n = 1'000; /* ' */ int x = rand();").size() == 1);
  CHECK(offences("sim/a.cpp", "/* a */ #include \"models/b.hpp\"").size() == 1);
}

TEST_CASE("architecture: this tree") {
  const fs::path root(HEARSAY_SOURCE_DIR);
  std::size_t files = 0;
  for (const auto layer : hearsay::test::kLayers) {
    for (const auto& entry : fs::recursive_directory_iterator(root / layer)) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      // The example is a program of a user's own: it uses all layers and is part of none.
      if (fs::relative(entry.path(), root).generic_string().starts_with("docs/example-protocol/")) continue;
      ++files;
      std::ifstream in(entry.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      for (const auto& offence : offences(fs::relative(entry.path(), root).generic_string(), text)) {
        UNSCOPED_INFO(offence);
        CHECK(false);
      }
    }
  }
  CHECK(files > 50);
}

namespace {

// The first semicolon within the quotes of a test's name; npos without one.
std::size_t semicolon_in_name(const std::string& text, std::size_t begin) {
  bool quoted = false;
  for (std::size_t k = begin; k < text.size() && (quoted || text[k] != ')'); ++k) {
    if (text[k] == '"') quoted = !quoted;
    if (quoted && text[k] == ';') return k;
  }
  return std::string::npos;
}

}  // namespace

TEST_CASE("architecture: no name of a test has a semicolon, at which ctest would split it") {
  const std::string begin = std::string("TEST_CASE") + "(";  // not this line
  CHECK(semicolon_in_name("\"a, b\", \"[c]\") { x; }", 0) == std::string::npos);
  CHECK(semicolon_in_name("\"a\"\n \"b; c\") { x; }", 0) == 7);
  std::size_t names = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HEARSAY_SOURCE_DIR) / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1), ++names) {
      INFO(entry.path() << ": " << text.substr(at, 120));
      CHECK(semicolon_in_name(text, at + begin.size()) == std::string::npos);
    }
  }
  CHECK(names > 1000);
}
