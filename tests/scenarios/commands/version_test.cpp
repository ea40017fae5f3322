// The version of the program stands in every file that names one.
#include <regex>
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
