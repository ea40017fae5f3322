// docs/papers.md: every claim of the papers has a verdict, and the page is what the papers' pages say.
#include <filesystem>
#include <string>
#include <utility>

#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;
namespace fs = std::filesystem;

namespace {

// A copy of what the script reads.
void copy_papers(const Scratch& dir) {
  for (const char* part : {"script/verdicts", "docs/papers.md"}) {
    fs::create_directories((dir.path() / part).parent_path());
    fs::copy_file(fs::path(test::kSources) / part, dir.path() / part);
  }
  fs::create_directories(dir.path() / "scenarios");
  for (const char* folder : {"scenarios/papers", "scenarios/studies"})
    fs::copy(fs::path(test::kSources) / folder, dir.path() / folder, fs::copy_options::recursive);
}

std::string check(const Scratch& dir) {
  return shell("/usr/bin/python3 " + dir / "script/verdicts --check").out;
}

const std::string kFolder = "scenarios/papers/personalized-p2p/";

// A paper's page with one claim on "Theorem 9".
std::string page_with(const std::string& measured, const std::string& verdict) {
  return "# New\n\n## How to run\n\n```\nhearsay run x.json\n```\n\n## Verdicts\n\n"
         "| a | b | c |\n|---|---|---|\n| Theorem 9: it holds | " +
         measured + " | " + verdict + " |\n";
}

}  // namespace

TEST_CASE(
    "verdicts: every figure, table and theorem has one, and docs/papers.md is up to date, else run "
    "script/verdicts") {
  const auto outcome = shell("/usr/bin/python3 " + test::kSources + "/script/verdicts --check");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  CHECK(text_of(test::kSources + "/docs/papers.md").find("not measured") == std::string::npos);
}

TEST_CASE("verdicts: a claim without verdict, without reason or without number is reported") {
  const Scratch dir;
  copy_papers(dir);
  REQUIRE(check(dir).empty());
  dir.write(kFolder + "items.txt", text_of(dir / (kFolder + "items.txt")) + "Theorem 9\n");
  CHECK_THAT(check(dir), Catch::Contains("personalized-p2p: no verdict on Theorem 9"));
  dir.write(kFolder + "new.md", page_with("it does", "with other constants"));
  const std::string found = check(dir);
  CHECK_THAT(found, !Catch::Contains("no verdict on Theorem 9"));
  CHECK_THAT(found, Catch::Contains("new.md: expected \"with other constants: which, and whether the paper "
                                    "gives its own\", found with other constants"));
  CHECK_THAT(found, Catch::Contains("new.md: expected a number as measured, found it does"));
  CHECK_THAT(found, Catch::Contains("docs/papers.md is not what the pages say"));
}

TEST_CASE("verdicts: a page of another folder has its verdicts in docs/papers.md if items.txt names it") {
  const Scratch dir;
  copy_papers(dir);
  const std::string items = text_of(dir / (kFolder + "items.txt"));
  dir.write(kFolder + "items.txt", items + "Theorem 9\npage: ../../studies/new.md\n");
  CHECK_THAT(check(dir), Catch::Contains("personalized-p2p: no page scenarios/studies/new.md"));
  dir.write("scenarios/studies/new.md", page_with("3", "reproduced"));
  CHECK_THAT(check(dir), !Catch::Contains("Theorem 9"));
  REQUIRE(shell("/usr/bin/python3 " + dir / "script/verdicts").code == 0);
  CHECK_THAT(text_of(dir / "docs/papers.md"), Catch::Contains("[new](../scenarios/studies/new.md)"));
}

TEST_CASE("verdicts: a verdict is one of the five classes, in its form") {
  const Scratch dir;
  copy_papers(dir);
  dir.write(kFolder + "items.txt", text_of(dir / (kFolder + "items.txt")) + "Theorem 9\n");
  const std::pair<std::string, std::string> wrong[] = {
      {"holds",
       "expected a verdict (reproduced, with other constants, not reproduced at, not tested, "
       "refuted), found holds"},
      {"not reproduced: 3 is not 4", "expected a verdict"},
      {"reproduced here", "expected \"reproduced\" or \"reproduced: ...\", found reproduced here"},
      {"not reproduced at: 3 is not 4", "expected \"not reproduced at SETTING: reason\""},
      {"not reproduced at epsilon 1", "expected \"not reproduced at SETTING: reason\""},
      {"not tested", "expected \"not tested: the data or setting that we lack\""},
      {"refuted", "expected \"refuted: the derivation or counterexample\""},
  };
  for (const auto& [verdict, complaint] : wrong) {
    dir.write(kFolder + "new.md", page_with("3", verdict));
    CHECK_THAT(check(dir), Catch::Contains("new.md: " + complaint));
  }
  for (const std::string verdict :
       {"reproduced", "reproduced: to the digit", "with other constants: c = 3", "not tested: needs ADNI"}) {
    dir.write(kFolder + "new.md", page_with("3", verdict));
    CHECK_THAT(check(dir), !Catch::Contains("new.md"));
  }
}

TEST_CASE("verdicts: a page that contradicts a paper says what would change this verdict") {
  const Scratch dir;
  copy_papers(dir);
  dir.write(kFolder + "items.txt", text_of(dir / (kFolder + "items.txt")) + "Theorem 9\n");
  for (const std::string verdict :
       {"refuted: 1 + 1 is 2, not 3", "not reproduced at epsilon 1: the noise is larger than the gain"}) {
    const std::string page = page_with("3", verdict);
    dir.write(kFolder + "new.md", page);
    CHECK_THAT(check(dir),
               Catch::Contains("new.md: no section \"## What would change this verdict\", which"));
    dir.write(kFolder + "new.md", page + "\n## What would change this verdict\n\nA proof.\n" +
                                      "\nThe derivation was checked\nindependently.\n");
    CHECK_THAT(check(dir), !Catch::Contains("new.md"));
  }
}

TEST_CASE("verdicts: a page that refutes a claim says that its derivation was checked independently") {
  const Scratch dir;
  copy_papers(dir);
  dir.write(kFolder + "items.txt", text_of(dir / (kFolder + "items.txt")) + "Theorem 9\n");
  const std::string change = "\n## What would change this verdict\n\nA proof.\n";
  dir.write(kFolder + "new.md", page_with("3", "refuted: 1 + 1 is 2, not 3") + change);
  CHECK_THAT(check(dir), Catch::Contains("new.md: expected the words \"checked independently\""));
  dir.write(kFolder + "new.md", page_with("3", "not reproduced at epsilon 1: too much noise") + change);
  CHECK_THAT(check(dir), !Catch::Contains("new.md"));
}
