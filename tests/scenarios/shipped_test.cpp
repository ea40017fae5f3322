// What lies beside the program: scenarios, and the pages that are made from the options' descriptions.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scenarios/language/json/document.hpp"
#include "scenarios/language/json/node.hpp"
#include "scenarios/study/plan.hpp"
#include "tests/support/process.hpp"
#include "tests/support/schema_check.hpp"

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
  std::vector<std::string> documents;
  for (const std::string& file : files)
    documents.push_back(scenarios::to_json(scenarios::parse(text_of(file), file).root).dump());
  test::check_schema(output_of(Scratch(), "schema"), documents, {});
}

TEST_CASE("shipped: the schema refuses invalid sweeps") {
  const std::vector<std::string> invalid{
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
  test::check_schema(output_of(Scratch(), "schema"), {}, invalid);
}

TEST_CASE(
    "shipped: the reference page and the schema file are those of this program, else run script/generate") {
  const auto page = shell("hearsay explain --all");
  CHECK(page.out == text_of(test::kSources + "/docs/reference.md"));
  CHECK_THAT(page.out, Catch::Contains("| `epsilon` |") && Catch::Contains("random_numbers"));
  CHECK(shell("hearsay schema").out == text_of(test::kSources + "/scenarios/scenario.schema.json"));
}
