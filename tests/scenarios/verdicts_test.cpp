// docs/papers.md: every claim of the papers has a verdict, and the page is what the papers' pages say.
#include <catch2/catch.hpp>

#include <filesystem>

#include "tests/support/process.hpp"

using namespace hearsay;
using test::Scratch;
using test::shell;
using test::text_of;
namespace fs = std::filesystem;

namespace {

const std::string kRoot = HEARSAY_SOURCE_DIR;

// A copy of what the script reads.
void copy_papers(const Scratch& dir) {
  for (const char* part : {"script/verdicts", "docs/papers.md"}) {
    fs::create_directories((dir.path() / part).parent_path());
    fs::copy_file(fs::path(kRoot) / part, dir.path() / part);
  }
  fs::create_directories(dir.path() / "scenarios");
  fs::copy(fs::path(kRoot) / "scenarios/papers", dir.path() / "scenarios/papers",
           fs::copy_options::recursive);
}

std::string check(const Scratch& dir) {
  return shell("/usr/bin/python3 " + dir / "script/verdicts --check").out;
}

}  // namespace

TEST_CASE(
    "verdicts: every figure, table and theorem has one, and docs/papers.md is up to date, else run "
    "script/verdicts") {
  const auto outcome = shell("/usr/bin/python3 " + kRoot + "/script/verdicts --check");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  CHECK(text_of(kRoot + "/docs/papers.md").find("not measured") == std::string::npos);
}

TEST_CASE("verdicts: a claim without verdict, without reason or without number is reported") {
  const Scratch dir;
  copy_papers(dir);
  REQUIRE(check(dir).empty());
  const std::string folder = "scenarios/papers/personalized-p2p/";
  dir.write(folder + "items.txt", text_of(dir / (folder + "items.txt")) + "Theorem 9\n");
  CHECK_THAT(check(dir), Catch::Contains("personalized-p2p: no verdict on Theorem 9"));
  dir.write(folder + "new.md",
            "# New\n\n## How to run\n\n```\nhearsay run x.json\n```\n\n## Verdicts\n\n| a | b | c "
            "|\n|---|---|---|\n"
            "| Theorem 9: it holds | it does | not reproduced |\n");
  const std::string found = check(dir);
  CHECK_THAT(found, !Catch::Contains("no verdict on Theorem 9"));
  CHECK_THAT(found, Catch::Contains("new.md: expected a reason after the verdict, found not reproduced"));
  CHECK_THAT(found, Catch::Contains("new.md: expected a number as measured, found it does"));
  CHECK_THAT(found, Catch::Contains("docs/papers.md is not what the pages say"));
}
