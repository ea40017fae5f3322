// What lies beside the program: scenarios, and the pages that are made from the options' descriptions.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scenarios/language/json/document.hpp"
#include "scenarios/language/json/node.hpp"
#include "scenarios/study/plan.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

std::vector<std::string> shipped() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::kSources + "/scenarios")) {
    const std::string name = entry.path().string();
    if (name.ends_with(".json") && !name.ends_with(".schema.json")) all.push_back(name);
  }
  return all;
}

}  // namespace

TEST_CASE("shipped: an independent validator finds every scenario valid under the schema") {
  const auto files = shipped();
  REQUIRE_FALSE(files.empty());
  const test::Scratch dir;
  std::string lines;
  for (const std::string& file : files) {
    lines += scenarios::to_json(scenarios::parse(text_of(file), file).root).dump() + "\n";
  }
  dir.write("documents", lines);
  dir.write("check.py",
            "import json, sys, jsonschema\n"
            "schema = json.load(open(sys.argv[1]))\n"
            "jsonschema.Draft202012Validator.check_schema(schema)\n"
            "validator = jsonschema.Draft202012Validator(schema)\n"
            "for n, line in enumerate(open(sys.argv[2])):\n"
            "  for e in validator.iter_errors(json.loads(line)): print(n, list(e.path), e.message[:200])\n");
  const auto outcome = shell("hearsay schema > " + dir / "schema.json" + " && /usr/bin/python3 -W ignore " +
                             dir / "check.py " + dir / "schema.json " + dir / "documents");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
}

TEST_CASE("shipped: the schema refuses invalid sweeps") {
  const test::Scratch dir;
  const char* const bad[] = {
      R"({"sweep": 3})",
      R"({"sweep": {"seed": 3}})",
      R"({"sweep": {"seed": []}})",
      R"({"sweep": {"seed": {"from": 1, "to": 2}}})",
      R"({"sweep": {"seed": {"from": 1, "to": 2, "step": 1, "count": 2}}})",
      R"({"sweep": {"seed": {"from": 1, "to": 2, "stp": 1}}})",
      R"({"sweep": {"seed": {"from": 1, "to": 2, "count": 2, "scale": "ln"}}})",
      R"({"sweep": {"zip": {"seed": [1]}}})",
      R"({"sweep": {"zip": [{}]}})",
      R"({"sweep": {"where": 3}})",
      R"({"sweep": {"random_numbers": "none"}})",
      R"({"sweep": {"select": {"over": "seed"}}})",
      R"({"sweep": {"select": {"over": "seed", "minimise": "a", "maximise": "b"}}})",
      R"({"sweep": {"select": {"over": "seed", "minimise": "a", "on": "train"}}})",
      R"({"repeat": 0})",
  };
  std::string lines;
  for (const char* text : bad) lines += std::string(text) + "\n";
  dir.write("documents", lines);
  dir.write("check.py",
            "import json, sys, jsonschema\n"
            "validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))\n"
            "for line in open(sys.argv[2]):\n"
            "  if validator.is_valid(json.loads(line)): print(line)\n");
  const auto outcome = shell("hearsay schema > " + dir / "schema.json" + " && /usr/bin/python3 -W ignore " +
                             dir / "check.py " + dir / "schema.json " + dir / "documents");
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
}

TEST_CASE(
    "shipped: the reference page and the schema file are those of this program, else run script/generate") {
  const auto page = shell("hearsay explain --all");
  CHECK(page.out == text_of(test::kSources + "/docs/reference.md"));
  CHECK_THAT(page.out, Catch::Contains("| `epsilon` |") && Catch::Contains("random_numbers"));
  CHECK(shell("hearsay schema").out == text_of(test::kSources + "/scenarios/scenario.schema.json"));
}
