// What the documents say of the tree: links, paths, names in the code and commands exist.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;
namespace fs = std::filesystem;

namespace {

const fs::path kRoot = HEARSAY_SOURCE_DIR;

std::vector<fs::path> documents() {
  std::vector<fs::path> all{kRoot / "README.md", kRoot / "CONTRIBUTING.md", kRoot / "models/README.md"};
  for (const char* folder : {"docs", "scenarios"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".md") all.push_back(entry.path());
    }
  }
  return all;
}

// All matches of the first group.
std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> all;
  for (std::sregex_iterator m(text.begin(), text.end(), regex), end; m != end; ++m) all.insert((*m)[1].str());
  return all;
}

// The alternatives of "a/{b,c}/d".
std::vector<std::string> expand(const std::string& path) {
  const auto open = path.find('{'), close = path.find('}');
  if (open == std::string::npos || close == std::string::npos) return {path};
  std::vector<std::string> all;
  std::string part;
  for (const char c : path.substr(open + 1, close - open - 1) + ",") {
    if (c != ',') {
      part += c == ' ' ? std::string() : std::string(1, c);
      continue;
    }
    for (const std::string& rest : expand(path.substr(0, open) + part + path.substr(close + 1)))
      all.push_back(rest);
    part.clear();
  }
  return all;
}

// The code blocks of a page.
std::string code_blocks(const std::string& text) {
  std::string all;
  bool inside = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
    } else if (inside) {
      all += "\n" + line;
    }
  }
  return all;
}

std::string sources() {
  std::string all;
  for (const char* layer : {"sim", "models", "analysis", "scenarios"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / layer)) {
      const auto extension = entry.path().extension();
      if (extension == ".hpp" || extension == ".cpp") all += text_of(entry.path());
    }
  }
  return all;
}

}  // namespace

TEST_CASE("documents: every relative link names a file") {
  std::size_t links = 0;
  for (const fs::path& page : documents()) {
    for (const std::string& link : found(text_of(page), R"(\]\(([^)#:\s]+)(#[^)]*)?\))")) {
      INFO(page << ": " << link);
      CHECK(fs::exists(page.parent_path() / link));
      ++links;
    }
  }
  CHECK(links > 50);
}

TEST_CASE("documents: README is short, and begins with a shipped figure and commands of a fresh clone") {
  const std::string readme = text_of(kRoot / "README.md");
  CHECK(std::ranges::count(readme, '\n') <= 110);
  std::smatch figure;
  REQUIRE(std::regex_search(readme, figure, std::regex(R"(!\[[^\]]+\]\(docs/gallery/(\S+)\.svg\))")));
  CHECK(static_cast<std::size_t>(figure.position()) < readme.find("```"));
  CHECK_THAT(text_of(kRoot / "docs/gallery/figures.txt"), Catch::Contains("\n" + figure[1].str() + " "));
  std::istringstream lines(readme.substr(readme.find("\n```") + 1));
  std::string line;
  std::getline(lines, line);
  int commands = 0;
  for (; std::getline(lines, line) && line != "```"; ++commands)
    CHECK(fs::exists(kRoot / line.substr(0, line.find(' '))));
  CHECK(commands == 2);
}

TEST_CASE("documents: files, folders and names in the architecture and contributing pages exist") {
  const std::string code = sources();
  const auto names = found(code, R"(\b([A-Za-z_]\w+)\b)");
  std::size_t paths = 0, functions = 0;
  for (const char* page : {"docs/architecture.md", "CONTRIBUTING.md"}) {
    const std::string text = text_of(kRoot / page);
    REQUIRE_FALSE(text.empty());
    for (const std::string& token : found(text, "`([^`\n]+)`")) {
      static const std::regex kPath(R"((sim|models|analysis|scenarios|tests|script|docs)/[\w./{}, -]*)");
      static const std::regex kName(R"(([A-Za-z_]\w+(::|\.)~?)+[A-Za-z_]\w*(\(.*\))?)");
      INFO(page << ": " << token);
      if (std::regex_match(token, kPath)) {
        for (const std::string& path : expand(token)) {
          INFO(path);
          CHECK((fs::exists(kRoot / path) || fs::exists(kRoot / path.substr(0, path.find(' ')))));
        }
        ++paths;
      } else if (token.find("::") != std::string::npos && std::regex_match(token, kName)) {
        for (const std::string& name : found(token.substr(0, token.find('(')), R"(\b([A-Za-z_]\w*)\b)")) {
          INFO(name);
          CHECK((name == "sim" || name == "std" || names.count(name) == 1));
        }
        ++functions;
      }
    }
  }
  CHECK(paths > 30);
  CHECK(functions > 20);
}

TEST_CASE("documents: commands in code blocks are commands of the program") {
  const std::string help = shell("hearsay --help").out;
  std::size_t commands = 0;
  for (const fs::path& page : documents()) {
    const std::string code = code_blocks(text_of(page));
    for (const std::string& command : found(code, R"((?:^|\n)(?:build/release/)?hearsay ([a-z]+)\b)")) {
      INFO(page << ": hearsay " << command);
      CHECK_THAT(help, Catch::Contains("hearsay " + command + " "));
      ++commands;
    }
    for (const std::string& script : found(code, R"((?:^|\n)(script/[a-z]+(?:-[a-z]+)*)\b)")) {
      INFO(page << ": " << script);
      CHECK(fs::exists(kRoot / script));
    }
  }
  CHECK(commands > 20);
}

TEST_CASE("documents: the tree in the architecture page is complete") {
  // Every folder of the layers down to the second level is named there.
  const std::string text = text_of(kRoot / "docs/architecture.md");
  for (const char* layer : {"sim", "models", "analysis", "scenarios"}) {
    for (const auto& entry : fs::directory_iterator(kRoot / layer)) {
      if (!entry.is_directory()) continue;
      INFO(entry.path());
      CHECK_THAT(text, Catch::Contains(entry.path().filename().string() + "/"));
    }
  }
}
