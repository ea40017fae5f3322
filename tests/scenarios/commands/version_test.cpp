// The version of the program stands in every file that names one.
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

// The first group of the first match in a file of the tree.
std::string stated(const std::string& file, const std::string& pattern) {
  const std::string text = text_of(std::string(HEARSAY_SOURCE_DIR "/") + file);
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "no version in " + file;
}

}  // namespace

TEST_CASE("version: the recipe of conda fetches the scripts that draw figures, in the versions of npm") {
  const std::string recipe = text_of(HEARSAY_SOURCE_DIR "/package/conda/meta.yaml");
  const std::string lock = text_of(HEARSAY_SOURCE_DIR "/analysis/figures/package-lock.json");
  std::string embed = text_of(HEARSAY_SOURCE_DIR "/analysis/figures/embed.cmake");
  std::smatch parts;
  REQUIRE(std::regex_search(embed, parts, std::regex(R"(foreach\(part ([a-z ]+)\))")));
  std::istringstream d3(parts[1].str());
  for (std::string part; d3 >> part;) embed += " d3-" + part + "/dist/";
  const std::regex folder(R"([ (]([a-z0-9-]+)/(build|dist)/)");
  std::set<std::string> names;
  for (std::sregex_iterator it(embed.begin(), embed.end(), folder), end; it != end; ++it)
    names.insert((*it)[1]);
  CHECK(names.size() == 8);  // vega, vega-lite, vega-embed, four of d3, gifenc
  for (const std::string& name : names) {
    INFO(name);
    std::smatch version;
    REQUIRE(std::regex_search(lock, version,
                              std::regex("\"node_modules/" + name + R"re(": \{\s*"version": "([^"]+)")re")));
    CHECK(recipe.find("/" + name + "/-/" + name + "-" + version[1].str() + ".tgz\n") != std::string::npos);
    CHECK(recipe.find("folder: build/npm/node_modules/" + name + "\n") != std::string::npos);
  }
}

TEST_CASE("version: all files that name it agree with the program") {
  std::smatch match;
  const std::string printed = shell("hearsay --version").out;
  REQUIRE(std::regex_search(printed, match, std::regex(R"(^hearsay (\d+\.\d+\.\d+) )")));
  const std::string version = match[1];
  CHECK(stated("CITATION.cff", R"(\nversion: (\S+)\n)") == version);
  CHECK(stated("CHANGELOG.md", R"(\n## (\d\S*)\n)") == version);  // the newest release
  CHECK(stated("docs/install.md", R"(hearsay_(\d\S*)_amd64\.deb)") == version);
  CHECK(stated("docs/install.md", R"(hearsay-(\d[^-]*)-cp311)") == version);
  CHECK(stated("package/conda/meta.yaml", R"re(set version = "(\S+)")re") == version);
  CHECK(stated("package/changelog", R"(^hearsay \((\S+)\))") == version);
  CHECK(stated("analysis/python/pyproject.toml", R"re(\nversion = "(\S+)"\n)re") == version);
  CHECK(stated("analysis/figures/package.json", R"re("version": "(\S+)")re") == version);
  CHECK(stated("analysis/figures/package-lock.json", R"re("version": "(\S+)")re") == version);
}
